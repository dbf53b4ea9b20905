"""What does a transcript teach since it was last read? Its lessons, each with its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from remem.core.entry import Trust, lower_trust
from remem.core.lesson import Lesson, Said
from remem.core.scope import Scope, Session
from remem.errors import NotAllowed
from remem.notes.transcripts.read_up_to import ReadUpTo
from remem.notes.transcripts.sessions_file import base_name, claims_in, owners_in
from remem.notes.transcripts.since import news_in, source_of
from remem.notes.transcripts.turns import Turn
from remem.ports import Extractor

_HOST_OF_MANY = "sessions"


@dataclass(frozen=True, slots=True)
class Heard:
    """What was found, and how far the transcript has been read then."""

    source: str
    upto: ReadUpTo
    lessons: Sequence[Lesson] = ()
    why_not: str | None = None


def listen(
    path: Path, before: ReadUpTo | None, extractor: Extractor, scope: Scope, trust: Trust
) -> Heard:
    """The lessons behind `before`. They are the agent's word at most: rules found them.

    Only the owner gives rules by saying them. What others say in a room or a direct chat is
    kept as what was said there, until the agent writes a rule of it.
    """
    news = news_in(path, before)
    if news.why_not or not news.turns:
        return Heard(source_of(path), news.upto, (), news.why_not)
    named = _reference(path)
    found = extractor.learn([_said(turn, named) for turn in news.turns])
    allowed = lower_trust(trust, "agent")
    lessons = [replace(_without_power(each, scope), trust=allowed) for each in found]
    return Heard(source_of(path), news.upto, lessons)


def require_own(path: Path, scope: Scope, whose: Callable[[str], Session]) -> None:
    """A host that serves many chats says whose a transcript is: never another scope's."""
    name = base_name(path.name)
    if name is None or path.parent.name != _HOST_OF_MANY:
        return
    if not any(name in claim.names for claim in claims_in(path.parent)):
        return
    if owners_in(path.parent, path.parent.parent.name, whose).get(name) != scope:
        raise NotAllowed(
            "this transcript does not belong to this session",
            hint="flush it in the session whose chat it is: --session KEY",
        )


def _without_power(lesson: Lesson, scope: Scope) -> Lesson:
    if lesson.kind == "rule" and scope.kind != "main":
        return replace(lesson, kind="insight")
    return lesson


def _said(turn: Turn, source: str) -> Said:
    return Said(turn.role, turn.text, source, turn.line, turn.moment)


def _reference(path: Path) -> str:
    """How the transcript is cited."""
    agent = path.parent.parent.name if path.parent.name == _HOST_OF_MANY else path.parent.name
    return f"sessions/{agent}/{path.name}"
