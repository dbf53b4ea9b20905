"""Undo a consolidation as a whole, without touching what has changed since."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Literal, get_args

from remem.entries.lifecycle import archive
from remem.errors import InvalidInput
from remem.learn.consolidate.result import UndoResult
from remem.learn.consolidate.runs import EntryAction, FactAction, mark_undone, runs
from remem.learn.file_updates.changes import Change, RecordFact, RetractFact
from remem.learn.file_updates.facts import is_fact_of
from remem.learn.flush import state
from remem.model.domain_routing import domain_stem
from remem.model.fact import Fact
from remem.model.lesson import lesson_id
from remem.ports.entries import Transaction
from remem.ports.records import Located

_REASON: Final = "its consolidation was undone"
_Outcome = Literal["archived", "weakened", "kept", "retracted"]


def undo_last_run(
    now: str, topics: tuple[str, ...], facts: Sequence[Fact] = ()
) -> Callable[[Transaction], UndoResult]:
    """The operation that undoes the last run that was not undone yet.

    Changes to files stay pending until they are written; `facts` are all facts in the files now.
    """

    def operation(tx: Transaction) -> UndoResult:
        open_runs = [run for run in runs(tx) if run.undone is None]
        if not open_runs:
            raise InvalidInput(
                "there is no consolidation to undo", hint="run `remem consolidate` first"
            )
        last = open_runs[-1]
        results: dict[_Outcome, list[str]] = {name: [] for name in get_args(_Outcome)}
        for action in last.deeds:
            results[_undo(tx, action, now, topics)].append(action.entry)
        for fact_action in last.facts:
            outcome, id_ = _undo_fact(tx, fact_action, facts)
            results[outcome].append(id_)
        mark_undone(tx, last.number, now)
        return UndoResult(last.number, **{name: tuple(ids) for name, ids in results.items()})

    return operation


def _undo(tx: Transaction, action: EntryAction, now: str, topics: tuple[str, ...]) -> _Outcome:
    found = tx.by_ids([action.entry]).get(action.entry)
    if found is None or not _is_unchanged(found, action):
        return "kept"
    if action.stored:
        archive(tx, found, now, _REASON, topics)
        return "archived"
    origins = tuple(
        origin
        for origin in found.entry.origins
        if (origin.source, origin.position) not in action.places
    )
    weaker = replace(found.entry, strength=action.strength, origins=origins)
    tx.touch(found, weaker)
    tx.rehome(Located(found.row, weaker), domain_stem(weaker, topics))
    return "weakened"


def _undo_fact(tx: Transaction, action: FactAction, facts: Sequence[Fact]) -> tuple[_Outcome, str]:
    """Retract a fact that was recorded; one that was only confirmed has nothing to remove."""
    written = _change(action)
    if waiting := [change for change in state.pending_changes(tx) if _is_to_write(change, action)]:
        state.remove_pending(tx, waiting)
        return "retracted", action.file
    found = next((fact for fact in facts if fact.active and is_fact_of(written, fact)), None)
    if found is None:
        return "kept", action.file
    if not action.stored:
        return "weakened", found.id
    state.add_pending(tx, [written])
    return "retracted", found.id


def _change(action: FactAction) -> RetractFact:
    id_ = lesson_id("retract", action.file, action.origin, action.text)
    return RetractFact(id_, action.file, action.text, action.origin)


def _is_to_write(change: Change, action: FactAction) -> bool:
    if not action.stored or not isinstance(change, RecordFact):
        return False
    return (change.file, change.text, change.origin) == (action.file, action.text, action.origin)


def _is_unchanged(found: Located, action: EntryAction) -> bool:
    """Whether the entry was neither changed, ended nor reinforced since."""
    entry = found.entry
    if entry.archived or entry.superseded_by:
        return False
    return entry.version == action.version and entry.strength == action.strength_after
