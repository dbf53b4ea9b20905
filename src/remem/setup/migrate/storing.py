"""Storing planned files as entries, and superseding statements that later ones contradict.

Several files are stored in one transaction, each of them completely. The store may retry an
operation, so it changes nothing outside its transaction and returns its results.

A later statement replaces an earlier one only if both have different dates. A note never
replaces what the owner's own files say; the contradiction is only reported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.entries.lifecycle import revise
from remem.entries.receipt import Receipt, StoreDependencies
from remem.entries.store import store_operation, supersede
from remem.errors import InvalidInput
from remem.model.contradictions import contradictions
from remem.model.entry import Category, Entry, Origin, Trust, headings_in
from remem.ports.entries import Transaction
from remem.ports.records import EntryRow
from remem.setup.migrate.account import Change, Outcome, PlacedStatement, RemovedLine, Reversal
from remem.setup.migrate.plan import Item, Plan, Row, has_prefix, wording_of, write_rows
from remem.text import statements

_NO_DATES: Final = "their dates do not tell which one is current; decide which is right"
_OWNER_FIRST: Final = "a note does not overrule the owner's own file; decide which is right"


@dataclass(frozen=True, slots=True)
class Claim:
    """A stored statement, to be checked for contradictions."""

    placed: PlacedStatement
    statement: statements.Statement
    trust: Trust


def claim_of(plan: Plan, item: Item, id_: str | None) -> Claim:
    """The claim of an item that was stored as entry `id_`."""
    text, headings = item.draft.content, headings_in(item.draft.context)
    placed = PlacedStatement(plan.source.path, item.line, text, id_, item.statement.day)
    statement = statements.Statement(
        path=placed.path,
        start=placed.line,
        end=placed.line,
        text=text,
        plain_text=statements.strip_markup(text),
        kind="bullet",
        headings=headings,
        parent=None,
        leaf=True,
        always=False,
    )
    return Claim(placed, statement, item.draft.trust)


def find_reversals(claims: Sequence[Claim]) -> list[Reversal]:
    places = {(claim.placed.path, claim.placed.line): claim for claim in claims}
    found: list[Reversal] = []
    for clash in contradictions([claim.statement for claim in claims]):
        one, other = (places[claim.path, claim.start] for claim in (clash.a, clash.b))
        if one.placed.id is None or one.placed.id != other.placed.id:
            found.append(_reversal(one, other, clash.reason))
    return sorted(found, key=lambda pair: (pair.earlier.path, pair.earlier.line, pair.later.line))


def supersede_decided(
    reversals: Sequence[Reversal], now: str, topics: Sequence[str]
) -> Callable[[Transaction], None]:
    """Supersede each earlier statement with the latest one that contradicts it."""
    latest: dict[str, PlacedStatement] = {}
    for reversal in reversals:
        if reversal.decided and reversal.earlier.id and reversal.later.id:
            last = latest.get(reversal.earlier.id)
            if last is None or (reversal.later.day or "") > (last.day or ""):
                latest[reversal.earlier.id] = reversal.later

    def operation(tx: Transaction) -> None:
        by_later: dict[str, list[str]] = defaultdict(list)
        for id_, located in tx.by_ids(list(latest)).items():
            later = latest[id_].id
            if later and located.entry.superseded_by is None and not located.entry.archived:
                by_later[later].append(id_)
        for later, ids in by_later.items():
            supersede(tx, ids, later, now, topics)

    return operation


def _reversal(one: Claim, other: Claim, rule: str) -> Reversal:
    first, second = sorted((one, other), key=lambda claim: claim.placed.day or "")
    earlier, later = first.placed, second.placed
    if earlier.day is None or earlier.day == later.day:
        return Reversal(earlier, later, rule, False, _NO_DATES)
    if first.trust == "owner" != second.trust:
        return Reversal(earlier, later, rule, False, _OWNER_FIRST)
    return Reversal(earlier, later, rule, True, f"{later.day} is later")


ERASED: Final = "its entry was erased"


@dataclass(frozen=True, slots=True)
class KnownEntry:
    """An entry that already says what a statement says."""

    id: str
    category: Category
    trust: Trust


@dataclass(frozen=True, slots=True)
class StatementResult:
    """The result for one statement."""

    outcome: Outcome
    id: str | None
    change: Change
    why: str | None = None
    category: Category | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """The results for the statements of a file, and its lines that are gone."""

    done: tuple[StatementResult, ...]
    removed: tuple[RemovedLine, ...]


Remember = Callable[[Transaction], Receipt]


def store_plans(
    plans: Sequence[Plan], known: Mapping[int, KnownEntry], deps: StoreDependencies, now: str
) -> Callable[[Transaction], tuple[list[Stored], dict[int, KnownEntry]]]:
    """The operation that stores several files, and returns the entries for their new wordings.

    Slow work is done before the transaction.
    """
    prepared = [
        [None if item.unchanged else store_operation(item.draft, now, deps) for item in plan.items]
        for plan in plans
    ]

    def operation(tx: Transaction) -> tuple[list[Stored], dict[int, KnownEntry]]:
        state = _Storing(tx, known, {}, deps, now)
        files = [_store_file(state, *pair) for pair in zip(plans, prepared, strict=True)]
        return files, state.added

    return operation


@dataclass(frozen=True, slots=True)
class _Storing:
    """The state of storing files in one transaction."""

    tx: Transaction
    known: Mapping[int, KnownEntry]
    added: dict[int, KnownEntry]
    deps: StoreDependencies
    now: str

    def known_entry(self, item: Item) -> KnownEntry | None:
        return self.added.get(item.folded) or self.known.get(item.folded)


def _store_file(state: _Storing, plan: Plan, prepared: Sequence[Remember | None]) -> Stored:
    tx, path = state.tx, plan.source.path
    located = tx.by_ids([item.row.id for item in plan.items if item.row])
    rows: list[Row] = []
    done: list[StatementResult] = []
    for item, operation in zip(plan.items, prepared, strict=True):
        if operation is None:
            result, entry = _keep_item(path, item, located)
        else:
            result, entry = _store_item(state, item, operation)
        done.append(result)
        if result.id is not None:
            rows.append(Row(item.line, item.wording, result.id))
        if entry is not None:
            state.added.setdefault(item.folded, entry)
    _move_origins(tx, path, [item for item in plan.items if item.unchanged])
    removed = [
        line for row in plan.gone if (line := _handle_removed(tx, path, row, plan.pointed_to))
    ]
    write_rows(tx, path, rows)
    return Stored(tuple(done), tuple(removed))


def _earlier_outcome(entry: Entry, path: str, row: Row) -> Outcome:
    """The outcome of a line in an earlier run; the first origin of an entry is the taken line."""
    first = entry.origins[0] if entry.origins else None
    return "taken" if first in (None, Origin(path, row.line)) else "merged"


def _keep_item(
    path: str, item: Item, located: Mapping[str, EntryRow]
) -> tuple[StatementResult, KnownEntry | None]:
    assert item.row is not None
    old = located.get(item.row.id)
    if old is None:
        return StatementResult("left", None, "unchanged", ERASED), None
    entry = KnownEntry(old.entry.id, old.entry.category, old.entry.trust)
    outcome = _earlier_outcome(old.entry, path, item.row)
    return StatementResult(outcome, old.entry.id, "unchanged", category=entry.category), entry


def _store_item(
    state: _Storing, item: Item, operation: Remember
) -> tuple[StatementResult, KnownEntry | None]:
    """Store one statement.

    The same words under a different heading are the same entry, which keeps its category.
    """
    draft = item.draft
    known = state.known_entry(item)
    if known is not None and known.trust == "owner" != draft.trust:
        _add_origin(state.tx, known.id, draft.origin)
        return StatementResult("merged", known.id, "new", category=known.category), None
    if known is None and item.row is not None and (revised := _revise(state, item, item.row)):
        return StatementResult("taken", revised.id, "changed", category=revised.category), revised
    if known is not None and known.category != draft.category:
        operation = store_operation(replace(draft, category=known.category), state.now, state.deps)
    try:
        receipt = operation(state.tx)
    except InvalidInput as error:
        return StatementResult("left", None, "new", f"cannot be stored: {error.args[0]}"), None
    entry = known or KnownEntry(receipt.id, draft.category, draft.trust)
    outcome: Outcome = "merged" if receipt.deduplicated else "taken"
    return StatementResult(outcome, receipt.id, "new", category=entry.category), entry


def _revise(state: _Storing, item: Item, row: Row) -> KnownEntry | None:
    """Revise the entry, if it still says exactly what the line said.

    An entry that was reworded, or that other lines share, is not changed; then the new wording
    becomes a new entry. Removing the headings that earlier versions wrote into the content
    changes no words, so it is always done.
    """
    draft = item.draft
    old = state.tx.by_ids([row.id]).get(row.id)
    if old is None or wording_of(old.entry.content) != row.wording:
        return None
    reworded = not has_prefix(old.entry.content, draft.content)
    if reworded and not _is_unshared(old.entry, draft.origin):
        return None
    new = replace(
        old.entry,
        content=draft.content,
        context=draft.context,
        tags=tuple(dict.fromkeys([*old.entry.tags, *draft.tags])),
        origins=(draft.origin,) if reworded and draft.origin else old.entry.origins,
        token_estimate=state.deps.counter.count(draft.content),
    )
    source = draft.origin.source if draft.origin else "its file"
    revise(state.tx, old, new, f"changed in {source}", now=state.now, topics=state.deps.topics)
    return KnownEntry(new.id, new.category, new.trust)


def _is_unshared(entry: Entry, origin: Origin | None) -> bool:
    single = [origin.source for origin in entry.origins] == [origin.source if origin else ""]
    return single and entry.superseded_by is None and not entry.archived


def _add_origin(tx: Transaction, id_: str, origin: Origin | None) -> None:
    """Add an origin to the owner's entry that a note repeats."""
    old = tx.by_ids([id_]).get(id_)
    if old is not None and origin is not None and origin not in old.entry.origins:
        tx.update_in_place(old, replace(old.entry, origins=(*old.entry.origins, origin)))


def _move_origins(tx: Transaction, path: str, unchanged: Sequence[Item]) -> None:
    """Update the origins of entries whose lines moved.

    This is done for all lines at once, so that two lines that were swapped do not collide.
    """
    changes: dict[str, dict[Origin, Origin]] = {}
    for item in unchanged:
        if item.row is not None and item.row.line != item.line:
            moves = changes.setdefault(item.row.id, {})
            moves[Origin(path, item.row.line)] = Origin(path, item.line)
    for id_, old in tx.by_ids(list(changes)).items():
        origins = tuple(changes[id_].get(origin, origin) for origin in old.entry.origins)
        if origins != old.entry.origins:
            tx.update_in_place(old, replace(old.entry, origins=tuple(dict.fromkeys(origins))))


def _handle_removed(
    tx: Transaction, path: str, row: Row, pointed_to: Sequence[tuple[str, ...]]
) -> RemovedLine | None:
    """Handle a line that is no longer in its file: its entry stays, but has no line as its origin.

    If an audit replaced the line with a pointer, the entry keeps its origin, and therefore its
    line in the index.
    """
    old = tx.by_ids([row.id]).get(row.id)
    gone = Origin(path, row.line)
    if old is None or gone not in old.entry.origins:
        return None
    headings = headings_in(old.entry.context)
    if any(headings[: len(section)] == section for section in pointed_to):
        return None
    origins = tuple(Origin(path) if origin == gone else origin for origin in old.entry.origins)
    tx.update_in_place(old, replace(old.entry, origins=tuple(dict.fromkeys(origins))))
    return RemovedLine(path, row.line, row.id, old.entry.content)
