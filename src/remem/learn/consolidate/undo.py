"""How is a consolidation taken back? As one step, and never over what has changed since."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Literal, get_args

from remem.entries.lifecycle import archive
from remem.errors import InvalidInput
from remem.learn.consolidate.result import TakenBack
from remem.learn.consolidate.runs import Deed, FactDeed, mark_undone, runs
from remem.learn.file_updates.changes import Change
from remem.learn.file_updates.facts import is_of
from remem.learn.flush import state
from remem.model.domain_routing import home_of
from remem.model.fact import Fact
from remem.model.lesson import lesson_id
from remem.ports.entries import Transaction
from remem.ports.records import Located

_CHANGE: Final = "its consolidation was taken back"
_Became = Literal["archived", "weakened", "kept", "retracted"]


def take_back(
    now: str, topics: tuple[str, ...], facts: Sequence[Fact] = ()
) -> Callable[[Transaction], TakenBack]:
    """The operation that undoes the last step that stands. Changes of files wait until they are
    written; `facts` are all that stand in the files now."""

    def operation(tx: Transaction) -> TakenBack:
        standing = [run for run in runs(tx) if run.undone is None]
        if not standing:
            raise InvalidInput(
                "there is no consolidation to take back", hint="`remem consolidate` makes one"
            )
        last = standing[-1]
        became: dict[_Became, list[str]] = {name: [] for name in get_args(_Became)}
        for deed in last.deeds:
            became[_undo(tx, deed, now, topics)].append(deed.entry)
        for fact in last.facts:
            how, id_ = _undo_fact(tx, fact, facts)
            became[how].append(id_)
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
        origin
        for origin in found.entry.origins
        if (origin.source, origin.position) not in deed.places
    )
    weaker = replace(found.entry, strength=deed.strength, origins=origins)
    tx.touch(found, weaker)
    tx.rehome(Located(found.row, weaker), home_of(weaker, topics))
    return "weakened"


def _undo_fact(tx: Transaction, deed: FactDeed, facts: Sequence[Fact]) -> tuple[_Became, str]:
    """A fact that was recorded ends; one that was confirmed has nothing that could go."""
    written = _change(deed)
    if waiting := [change for change in state.pending_changes(tx) if _is_to_write(change, deed)]:
        state.done(tx, waiting)
        return "retracted", deed.file
    found = next((fact for fact in facts if fact.active and is_of(written, fact)), None)
    if found is None:
        return "kept", deed.file
    if not deed.stored:
        return "weakened", found.id
    state.wait_for(tx, [written])
    return "retracted", found.id


def _change(deed: FactDeed) -> Change:
    id_ = lesson_id("retract", deed.file, deed.origin, deed.text)
    return Change(id_, deed.file, "retract", deed.text, trigger=deed.origin)


def _is_to_write(change: Change, deed: FactDeed) -> bool:
    mine = (change.file, change.text, change.trigger) == (deed.file, deed.text, deed.origin)
    return deed.stored and change.do == "fact" and mine


def _as_it_was(found: Located, deed: Deed) -> bool:
    """Whether nobody has changed the entry, used it up or said it again since."""
    entry = found.entry
    if entry.archived or entry.superseded_by:
        return False
    return entry.version == deed.version and entry.strength == deed.strength_then
