"""How is a consolidation taken back? As one step, and never over what has changed since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal

from remem.core.homes import home_of
from remem.errors import InvalidInput
from remem.maintenance.consolidation.result import TakenBack
from remem.maintenance.consolidation.runs import Deed, mark_undone, runs
from remem.maintenance.lifecycle import archive
from remem.ports import Located, Transaction

_CHANGE: Final = "its consolidation was taken back"
_Became = Literal["archived", "weakened", "kept"]


def take_back(now: str, topics: tuple[str, ...]) -> Callable[[Transaction], TakenBack]:
    """The operation that undoes the last step that stands."""

    def operation(tx: Transaction) -> TakenBack:
        standing = [each for each in runs(tx) if each.undone is None]
        if not standing:
            raise InvalidInput(
                "there is no consolidation to take back", hint="`remem consolidate` makes one"
            )
        last = standing[-1]
        became: dict[_Became, list[str]] = {"archived": [], "weakened": [], "kept": []}
        for deed in last.deeds:
            became[_undo(tx, deed, now, topics)].append(deed.entry)
        mark_undone(tx, last.number, now)
        return TakenBack(last.number, **{name: tuple(ids) for name, ids in became.items()})

    return operation


def _undo(tx: Transaction, deed: Deed, now: str, topics: tuple[str, ...]) -> _Became:
    found = tx.by_ids([deed.entry]).get(deed.entry)
    if found is None or not _as_it_was(found, deed):
        return "kept"
    if deed.stored:
        archive(tx, found, now, _CHANGE, topics)
        return "archived"
    origins = tuple(
        each for each in found.entry.origins if (each.source, each.position) not in deed.places
    )
    weaker = replace(found.entry, strength=deed.strength, origins=origins)
    tx.touch(found, weaker)
    tx.rehome(Located(found.row, weaker), home_of(weaker, topics))
    return "weakened"


def _as_it_was(found: Located, deed: Deed) -> bool:
    """Whether nobody has changed the entry, used it up or said it again since."""
    entry = found.entry
    if entry.archived or entry.superseded_by:
        return False
    return entry.version == deed.version and entry.strength == deed.strength_then
