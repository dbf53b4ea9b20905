"""Record consolidation runs, and undo the last one as a whole.

A run is recorded in the transaction that makes its changes. Undoing it does not change anything
that was edited since.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from remem.entries.lifecycle import archive
from remem.entries.placement import update
from remem.errors import InvalidInput
from remem.learn.consolidate.result import Place, UndoResult
from remem.learn.file_updates.changes import Change, RecordFact, RetractFact
from remem.learn.file_updates.facts import was_written_by
from remem.learn.flush import state
from remem.model.entry import Entry
from remem.model.fact import Fact
from remem.model.lesson import lesson_id
from remem.ports.entries import EntryReader, Transaction
from remem.ports.state import Namespace

_MAX_RUNS: Final = 50
_REASON: Final = "its consolidation was undone"
_Outcome = Literal["archived", "weakened", "kept", "retracted"]


@dataclass(frozen=True, slots=True)
class EntryAction:
    """An entry that was `stored`, or else reinforced; `version` is its version afterwards.

    `places` are the sightings that were added to it. `strength` is that of the new entry, or the
    strength before it was reinforced.
    """

    entry: str
    stored: bool
    version: int
    strength: int
    places: tuple[Place, ...]

    @property
    def strength_after(self) -> int:
        return self.strength + (0 if self.stored else len(self.places))


@dataclass(frozen=True, slots=True)
class FactAction:
    """A fact that was recorded (`stored`) or only confirmed; file, text and origin identify it."""

    file: str
    text: str
    origin: str
    stored: bool
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class ConsolidationRun:
    """One consolidation: its changes to entries and facts; `undone` is when it was undone."""

    number: int
    at: str
    entries: tuple[EntryAction, ...]
    undone: str | None = None
    facts: tuple[FactAction, ...] = ()

    @property
    def places(self) -> list[Place]:
        entries = [place for action in self.entries for place in action.places]
        facts = [place for action in self.facts for place in action.places]
        return entries + facts


_RUNS: Final[Namespace[ConsolidationRun]] = Namespace("consolidation", ConsolidationRun)


def recorded_runs(reader: EntryReader) -> list[ConsolidationRun]:
    """Return the recorded runs, the latest last."""
    return list(reader.records(_RUNS).values())


def add_run(tx: Transaction, at: str, actions: Sequence[EntryAction | FactAction]) -> int:
    """Record a run, drop the oldest ones if there are too many, and return the run's number."""
    earlier = recorded_runs(tx)
    number = earlier[-1].number + 1 if earlier else 1
    entries = tuple(action for action in actions if isinstance(action, EntryAction))
    facts = tuple(action for action in actions if isinstance(action, FactAction))
    _save(tx, ConsolidationRun(number, at, entries, facts=facts))
    for old in earlier[: max(0, len(earlier) + 1 - _MAX_RUNS)]:
        tx.put_record(_RUNS, f"{old.number:08}", None)
    return number


def undone_places(reader: EntryReader) -> frozenset[Place]:
    """Return the sightings that do not count, because the owner undid their run."""
    return frozenset(place for run in recorded_runs(reader) if run.undone for place in run.places)


def confirming_places(reader: EntryReader, file: str, text: str) -> frozenset[Place]:
    """Return the sightings that have already confirmed a fact."""
    return frozenset(
        place
        for run in recorded_runs(reader)
        if not run.undone
        for action in run.facts
        if (action.file, action.text) == (file, text)
        for place in action.places
    )


def _save(tx: Transaction, run: ConsolidationRun) -> None:
    tx.put_record(_RUNS, f"{run.number:08}", run)


def undo_last_run(
    now: str, topics: tuple[str, ...], facts: Sequence[Fact] = ()
) -> Callable[[Transaction], UndoResult]:
    """Return the operation that undoes the last run that has not been undone yet.

    Changes to files remain pending until they are written; `facts` are all facts in the files now.
    """

    def operation(tx: Transaction) -> UndoResult:
        not_undone = [run for run in recorded_runs(tx) if run.undone is None]
        if not not_undone:
            raise InvalidInput(
                "there is no consolidation to undo", hint="run `remem consolidate` first"
            )
        last = not_undone[-1]
        results: dict[_Outcome, list[str]] = {name: [] for name in get_args(_Outcome)}
        for action in last.entries:
            results[_undo_entry(tx, action, now, topics)].append(action.entry)
        for fact_action in last.facts:
            outcome, id_ = _undo_fact(tx, fact_action, facts)
            results[outcome].append(id_)
        _save(tx, replace(last, undone=now))
        return UndoResult(last.number, **{name: tuple(ids) for name, ids in results.items()})

    return operation


def _undo_entry(
    tx: Transaction, action: EntryAction, now: str, topics: tuple[str, ...]
) -> _Outcome:
    entry = tx.find([action.entry]).get(action.entry)
    if entry is None or not _is_unchanged(entry, action):
        return "kept"
    if action.stored:
        archive(tx, entry, now, _REASON, topics)
        return "archived"
    origins = tuple(
        origin for origin in entry.origins if (origin.source, origin.position) not in action.places
    )
    weaker = replace(entry, strength=action.strength, origins=origins)
    update(tx, weaker, topics)
    return "weakened"


def _undo_fact(tx: Transaction, action: FactAction, facts: Sequence[Fact]) -> tuple[_Outcome, str]:
    """Retract a fact that the run recorded; a fact that it only confirmed is left unchanged.

    Return the outcome with the fact's id, or with its file if the fact is not in it.
    """
    retraction = _retraction(action)
    pending = [change for change in state.pending_changes(tx) if _records_fact(change, action)]
    if pending:
        state.remove_pending(tx, pending)
        return "retracted", action.file
    fact = next((fact for fact in facts if fact.active and was_written_by(fact, retraction)), None)
    if fact is None:
        return "kept", action.file
    if not action.stored:
        return "weakened", fact.id
    state.add_pending(tx, [retraction])
    return "retracted", fact.id


def _retraction(action: FactAction) -> RetractFact:
    id_ = lesson_id("retract", action.file, action.origin, action.text)
    return RetractFact(id_, action.file, action.text, action.origin)


def _records_fact(change: Change, action: FactAction) -> bool:
    """Return whether a change would write the fact that an action recorded."""
    if not action.stored or not isinstance(change, RecordFact):
        return False
    return (change.file, change.text, change.origin) == (action.file, action.text, action.origin)


def _is_unchanged(entry: Entry, action: EntryAction) -> bool:
    """Return whether the entry has not been changed, archived, superseded or reinforced since."""
    if entry.archived or entry.superseded_by:
        return False
    return entry.version == action.version and entry.strength == action.strength_after
