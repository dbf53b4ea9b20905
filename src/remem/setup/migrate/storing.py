"""How does a plan become entries? Several files in one durable step, each file whole.

The operation may be run again by the store's writer, so it changes nothing outside of its
transaction; what it found out, it returns.

Which statements take others back? Where dates decide, the later one replaces the earlier.

A note never replaces what stands in the owner's own files: that is reported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.entries.receipt import Receipt, Remembering
from remem.entries.store import remember, supersede
from remem.errors import InvalidInput
from remem.model.contradictions import contradictions
from remem.model.domain_routing import home_of
from remem.model.entry import Category, Entry, Origin, Trust
from remem.model.statement import headings_in
from remem.ports.entries import Transaction
from remem.ports.records import Located
from remem.setup.migrate.account import Change, Outcome, Removed, Reversal, Said
from remem.setup.migrate.plan import Item, Plan, Row, wording_of, write_rows
from remem.text import statements

_NO_DATES: Final = "no dates decide; say which one stands"
_NOT_ITS_PLACE: Final = "a note does not overrule the owner's own file; say which one stands"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that is in an entry; `day` only where the text itself gives it."""

    said: Said
    words: str
    headings: tuple[str, ...]
    trust: Trust


def find_reversals(claims: Sequence[Claim]) -> list[Reversal]:
    places = {(claim.said.path, claim.said.line): claim for claim in claims}
    found: list[Reversal] = []
    for clash in contradictions([_audited(claim) for claim in claims]):
        one, other = (places[claim.path, claim.start] for claim in (clash.a, clash.b))
        if one.said.id is None or one.said.id != other.said.id:
            found.append(_judged(one, other, clash.rule))
    return sorted(found, key=lambda each: (each.earlier.path, each.earlier.line, each.later.line))


def supersede_decided(
    reversals: Sequence[Reversal], now: str, topics: Sequence[str]
) -> Callable[[Transaction], None]:
    """Each earlier statement is replaced by the latest that took it back."""
    latest: dict[str, Said] = {}
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


def _judged(one: Claim, other: Claim, rule: str) -> Reversal:
    first, second = sorted((one, other), key=lambda each: each.said.day or "")
    dated = first.said.day is not None and first.said.day != second.said.day
    allowed = second.trust == "owner" or first.trust != "owner"
    why = f"{second.said.day} is later" if dated and allowed else _NO_DATES
    if dated and not allowed:
        why = _NOT_ITS_PLACE
    return Reversal(first.said, second.said, rule, dated and allowed, why)


def _audited(claim: Claim) -> statements.Statement:
    said = claim.said
    return statements.Statement(
        path=said.path,
        start=said.line,
        end=said.line,
        text=claim.words,
        said=statements.clean(claim.words),
        kind="bullet",
        headings=claim.headings,
        parent=None,
        leaf=True,
        always=False,
    )


ERASED: Final = "its entry was erased"


@dataclass(frozen=True, slots=True)
class Known:
    """An entry that holds certain words already."""

    id: str
    category: Category
    trust: Trust


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one statement."""

    outcome: Outcome
    id: str | None
    change: Change
    why: str | None = None
    category: Category | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of a file's statements, and which of its lines are gone."""

    done: tuple[Done, ...]
    removed: tuple[Removed, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What one durable step did to its files, and which words are known since."""

    files: tuple[Stored, ...]
    known: Mapping[int, Known]


Remember = Callable[[Transaction], Receipt]


def store_plans(
    plans: Sequence[Plan], known: Mapping[int, Known], how: Remembering, now: str
) -> Callable[[Transaction], Step]:
    """The operation that stores some files; all slow work is done before it runs."""
    prepared = [
        [None if item.unchanged else remember(item.draft, now, how) for item in plan.items]
        for plan in plans
    ]

    def operation(tx: Transaction) -> Step:
        case = _Case(tx, known, {}, how, now)
        files = [_store_file(case, *pair) for pair in zip(plans, prepared, strict=True)]
        return Step(tuple(files), case.news)

    return operation


@dataclass(frozen=True, slots=True)
class _Case:
    """A file inside its transaction."""

    tx: Transaction
    known: Mapping[int, Known]
    news: dict[int, Known]
    how: Remembering
    now: str

    def knows(self, item: Item) -> Known | None:
        return self.news.get(item.folded) or self.known.get(item.folded)


def _store_file(case: _Case, plan: Plan, prepared: Sequence[Remember | None]) -> Stored:
    tx, path = case.tx, plan.source.path
    located = tx.by_ids([item.row.id for item in plan.items if item.row])
    rows: list[Row] = []
    done: list[Done] = []
    for item, operation in zip(plan.items, prepared, strict=True):
        if operation is None:
            result, held = _unchanged(path, item, located)
        else:
            result, held = _store_item(case, item, operation)
        done.append(result)
        if result.id is not None:
            rows.append(Row(item.line, item.wording, result.id))
        if held is not None:
            case.news.setdefault(item.folded, held)
    _move_origins(tx, path, [item for item in plan.items if item.unchanged])
    removed = [each for row in plan.gone if (each := _removed(tx, path, row, plan.pointed_to))]
    write_rows(tx, path, rows)
    return Stored(tuple(done), tuple(removed))


def _told_again(entry: Entry, path: str, row: Row) -> Outcome:
    """What became of a line in an earlier run: the first that an entry names was taken."""
    first = entry.origins[0] if entry.origins else None
    return "taken" if first in (None, Origin(path, row.line)) else "merged"


def _unchanged(path: str, item: Item, located: Mapping[str, Located]) -> tuple[Done, Known | None]:
    assert item.row is not None
    old = located.get(item.row.id)
    if old is None:
        return Done("left", None, "unchanged", ERASED), None
    held = Known(old.entry.id, old.entry.category, old.entry.trust)
    outcome = _told_again(old.entry, path, item.row)
    return Done(outcome, old.entry.id, "unchanged", category=held.category), held


def _store_item(case: _Case, item: Item, operation: Remember) -> tuple[Done, Known | None]:
    """The same words under another heading are the same memory, of the kind it has already."""
    draft = item.draft
    known = case.knows(item)
    if known is not None and known.trust == "owner" != draft.trust:
        _also_said(case.tx, known.id, draft.origin)
        return Done("merged", known.id, "new", category=known.category), None
    if known is None and item.row is not None and (revised := _revised(case, item, item.row)):
        return Done("taken", revised.id, "changed", category=revised.category), revised
    if known is not None and known.category != draft.category:
        operation = remember(replace(draft, category=known.category), case.now, case.how)
    try:
        receipt = operation(case.tx)
    except InvalidInput as error:
        return Done("left", None, "new", f"cannot be stored: {error.args[0]}"), None
    held = known or Known(receipt.id, draft.category, draft.trust)
    outcome: Outcome = "merged" if receipt.deduplicated else "taken"
    return Done(outcome, receipt.id, "new", category=held.category), held


def _revised(case: _Case, item: Item, row: Row) -> Known | None:
    """A new version of the entry, if it still says what the line said and nothing but that.

    An entry that a person has reworded, or that other lines share, stays as it is: the new
    wording is stored beside it.
    """
    old = case.tx.by_ids([row.id]).get(row.id)
    if old is None or not _is_the_lines_own(old.entry, row, item.draft.origin):
        return None
    draft = item.draft
    new = replace(
        old.entry,
        content=draft.content,
        context=draft.context,
        tags=tuple(dict.fromkeys([*old.entry.tags, *draft.tags])),
        origins=(draft.origin,) if draft.origin else (),
        token_estimate=case.how.counter.count(draft.content),
        updated_at=max(case.now, old.entry.created_at),
        version=old.entry.version + 1,
    )
    source = draft.origin.source if draft.origin else "its file"
    case.tx.revise(old, new, home_of(new, case.how.topics), f"changed in {source}")
    return Known(new.id, new.category, new.trust)


def _is_the_lines_own(entry: Entry, row: Row, origin: Origin | None) -> bool:
    single = [origin.source for origin in entry.origins] == [origin.source if origin else ""]
    current = entry.superseded_by is None and not entry.archived
    return single and current and wording_of(entry.content) == row.wording


def _also_said(tx: Transaction, id_: str, origin: Origin | None) -> None:
    """What the owner's own file says and a note repeats is one memory, said in two places."""
    old = tx.by_ids([id_]).get(id_)
    if old is not None and origin is not None and origin not in old.entry.origins:
        tx.touch(old, replace(old.entry, origins=(*old.entry.origins, origin)))


def _move_origins(tx: Transaction, path: str, unchanged: Sequence[Item]) -> None:
    """Lines shift when others are written above them; their entries follow, all at once, so
    that two that change places do not meet."""
    changes: dict[str, dict[Origin, Origin]] = {}
    for item in unchanged:
        if item.row is not None and item.row.line != item.line:
            moves = changes.setdefault(item.row.id, {})
            moves[Origin(path, item.row.line)] = Origin(path, item.line)
    for id_, old in tx.by_ids(list(changes)).items():
        origins = tuple(changes[id_].get(origin, origin) for origin in old.entry.origins)
        if origins != old.entry.origins:
            tx.touch(old, replace(old.entry, origins=tuple(dict.fromkeys(origins))))


def _removed(
    tx: Transaction, path: str, row: Row, pointed_to: Sequence[tuple[str, ...]]
) -> Removed | None:
    """A line that is gone: its entry stays, and no longer points at a line. It keeps its place,
    and with it its line in the index, where an audit has put a pointer in its stead."""
    old = tx.by_ids([row.id]).get(row.id)
    gone = Origin(path, row.line)
    if old is None or gone not in old.entry.origins:
        return None
    headings = headings_in(old.entry.context)
    if any(headings[: len(section)] == section for section in pointed_to):
        return None
    origins = tuple(Origin(path) if origin == gone else origin for origin in old.entry.origins)
    tx.touch(old, replace(old.entry, origins=tuple(dict.fromkeys(origins))))
    return Removed(path, row.line, row.id, old.entry.content)
