"""Supersede statements that later ones contradict.

A later statement replaces an earlier one only if both are dated and the dates differ. A
note never replaces a statement of the owner's own files; the contradiction is only reported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.entries.store import supersede
from remem.model.contradictions import contradictions
from remem.model.entry import Trust, headings_in
from remem.ports.entries import Transaction
from remem.setup.migrate.account import PlacedStatement, Reversal
from remem.setup.migrate.plan import FilePlan, PlannedStatement
from remem.text import statements

_NO_DATES: Final = "their dates do not show which one is current; decide which is right"
_OWNER_FIRST: Final = "a note does not overrule the owner's own file; decide which is right"


@dataclass(frozen=True, slots=True)
class MigratedStatement:
    """A stored statement with its place, to be checked for contradictions."""

    placed: PlacedStatement
    text: statements.TextStatement
    trust: Trust


def migrated_statement(
    plan: FilePlan, item: PlannedStatement, id_: str | None
) -> MigratedStatement:
    """Return the statement of an item that was stored as entry `id_`."""
    text, headings = item.draft.content, headings_in(item.draft.context)
    placed = PlacedStatement(plan.source.path, item.line, text, id_, item.statement.day)
    text_statement = statements.TextStatement(
        path=placed.path,
        start=placed.line,
        end=placed.line,
        text=text,
        plain_text=statements.strip_markup(text),
        kind="bullet",
        headings=headings,
        parent=None,
        leaf=True,
        always_loaded=False,
    )
    return MigratedStatement(placed, text_statement, item.draft.trust)


def find_reversals(migrated: Sequence[MigratedStatement]) -> list[Reversal]:
    """Return the pairs of statements that contradict each other, in the order of the files."""
    by_place = {(item.placed.path, item.placed.line): item for item in migrated}
    reversals: list[Reversal] = []
    for pair in contradictions([item.text for item in migrated]):
        one, other = (by_place[side.path, side.start] for side in (pair.a, pair.b))
        if one.placed.id is None or one.placed.id != other.placed.id:
            reversals.append(_reversal(one, other, pair.reason))
    return sorted(
        reversals, key=lambda pair: (pair.earlier.path, pair.earlier.line, pair.later.line)
    )


def supersede_decided(
    reversals: Sequence[Reversal], now: str, topics: Sequence[str]
) -> Callable[[Transaction], None]:
    """Return the operation that supersedes earlier statements, each with the latest against it."""
    latest: dict[str, PlacedStatement] = {}
    for reversal in reversals:
        if reversal.decided and reversal.earlier.id and reversal.later.id:
            last = latest.get(reversal.earlier.id)
            if last is None or (reversal.later.day or "") > (last.day or ""):
                latest[reversal.earlier.id] = reversal.later

    def operation(tx: Transaction) -> None:
        by_later: dict[str, list[str]] = defaultdict(list)
        for id_, entry in tx.find(latest).items():
            later = latest[id_].id
            if later and entry.superseded_by is None and not entry.archived:
                by_later[later].append(id_)
        for later, ids in by_later.items():
            supersede(tx, ids, later, now, topics)

    return operation


def _reversal(one: MigratedStatement, other: MigratedStatement, rule: str) -> Reversal:
    first, second = sorted((one, other), key=lambda item: item.placed.day or "")
    earlier, later = first.placed, second.placed
    if earlier.day is None or earlier.day == later.day:
        return Reversal(earlier, later, rule, decided=False, why=_NO_DATES)
    if first.trust == "owner" != second.trust:
        return Reversal(earlier, later, rule, decided=False, why=_OWNER_FIRST)
    return Reversal(earlier, later, rule, decided=True, why=f"{later.day} is later")
