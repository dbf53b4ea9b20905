"""The result of a consolidation: each statement with its verdict, reason and evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from remem.errors import counted
from remem.model.recurrence import ConversationSighting, RecurringStatement

Verdict = Literal["stored", "reinforced", "left"]
Place = tuple[str, int]
"""The source and line of a sighting."""


@dataclass(frozen=True, slots=True)
class WeighedStatement:
    """A statement, its verdict ("left" means rejected), and the reason.

    `said_at` lists the places where it was said, as `source#L12`. `entry` is the id of its entry;
    if it is about a known entity, `fact` is the id of its fact.
    """

    text: str
    verdict: Verdict
    reason: str
    conversations: int
    days: tuple[str, ...]
    said_at: tuple[str, ...]
    entry: str | None = None
    fact: str | None = None


def accepted_statement(
    statement: RecurringStatement,
    verdict: Verdict,
    entry: str | None = None,
    fact: str | None = None,
) -> WeighedStatement:
    """Return a statement that was stored or reinforced."""
    reason = (
        f"said in {counted(statement.conversations, 'conversation')} "
        f"on {counted(len(statement.days), 'day')}"
    )
    return _weighed(statement, verdict, reason, entry, fact)


def rejected_statement(
    statement: RecurringStatement, reason: str, entry: str | None = None, fact: str | None = None
) -> WeighedStatement:
    """Return a statement that was not stored, with the reason."""
    return _weighed(statement, "left", reason, entry, fact)


def _weighed(
    statement: RecurringStatement,
    verdict: Verdict,
    reason: str,
    entry: str | None,
    fact: str | None,
) -> WeighedStatement:
    days, sources = statement.days, sources_of(statement)
    count, text = statement.conversations, statement.lesson.text
    return WeighedStatement(text, verdict, reason, count, days, sources, entry, fact)


def sources_of(statement: RecurringStatement) -> tuple[str, ...]:
    """Return the places where a statement was said, as `source#L12`."""
    origins = (sighting.origin for sighting in statement.sightings)
    return tuple(f"{origin.source}#L{origin.position}" for origin in origins)


def place_of(sighting: ConversationSighting) -> Place:
    """Return the source of a sighting, and the position in it."""
    return sighting.origin.source, sighting.origin.position or 0


def places_of(sightings: Iterable[ConversationSighting]) -> tuple[Place, ...]:
    """Return the places of several sightings."""
    return tuple(map(place_of, sightings))


@dataclass(frozen=True, slots=True)
class ContradictionSide:
    """One side of a contradiction: its text, where it was said, and its fact id if it is a fact."""

    text: str
    said_at: tuple[str, ...] = ()
    day: str | None = None
    fact: str | None = None


@dataclass(frozen=True, slots=True)
class RecurringContradiction:
    """Two statements that cannot both be true; nothing is changed.

    `why` explains which one to prefer, if that can be decided; `command` would resolve the
    contradiction.
    """

    earlier: ContradictionSide
    later: ContradictionSide
    rule: str
    why: str
    command: str | None = None


@dataclass(frozen=True, slots=True)
class Consolidation:
    """The result of a consolidation.

    `run` is the number of the run that can be undone; None if nothing was changed. `taken`
    statements were stored or reinforced. `left` statements were rejected, and are listed on
    request; `rejected_total` is their number. `contradictions` are for the owner to decide.
    `unread` is the reason if the settings did not allow conversations to be read.
    """

    at: str
    run: int | None
    conversations: int
    statements: int
    taken: tuple[WeighedStatement, ...] = ()
    left: tuple[WeighedStatement, ...] = ()
    rejected_total: int = 0
    contradictions: tuple[RecurringContradiction, ...] = ()
    problems: tuple[str, ...] = ()
    unread: str | None = None


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The result of undoing a run, as ids of entries and facts.

    `weakened` ones had only been reinforced by the run, and no longer count that. `kept` ones were
    changed after the run, so they were not undone. `retracted` facts are no longer active; they
    remain in their files.
    """

    run: int
    archived: tuple[str, ...] = ()
    weakened: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    retracted: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
