"""What does a transcript teach since it was last read? Its lessons, each with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from remem.core.entry import Trust, lower_trust
from remem.core.grounding import grounded
from remem.core.lesson import Lesson, Said
from remem.core.scope import Scope, Session
from remem.errors import NotAllowed
from remem.notes.transcripts.look import head_of
from remem.notes.transcripts.read_up_to import ReadUpTo
from remem.notes.transcripts.sessions_file import base_name, claims_in, owners_in
from remem.notes.transcripts.since import news_in, source_of
from remem.notes.transcripts.turns import Turn
from remem.ports import Extractor

_HOST_OF_MANY = "sessions"


@dataclass(frozen=True, slots=True)
class Heard:
    """What was found, and how far the source has been read then.

    `passed` counts what was left, by its reason; `trouble` is why another reader had to do it.
    """

    source: str
    upto: ReadUpTo
    lessons: Sequence[Lesson] = ()
    why_not: str | None = None
    passed: Mapping[str, int] = field(default_factory=dict)
    trouble: str | None = None


def listen(
    path: Path, before: ReadUpTo | None, extractor: Extractor, scope: Scope, trust: Trust
) -> Heard:
    """The lessons behind `before`. They are the agent's word at most: somebody found them.

    Only the owner gives rules by saying them. What others say in a room or a direct chat is
    kept as what was said there, until the agent writes a rule of it. What may have been pasted
    into the owner's message is untrusted, and waits for review.
    """
    news = news_in(path, before)
    if news.why_not or not news.turns:
        return Heard(source_of(path), news.upto, (), news.why_not)
    said = said_in(path, news.turns, scope)
    learned = grounded(extractor.learn(said), said)
    allowed = lower_trust(trust, "agent")
    lessons = [replace(without_power(each, scope), trust=allowed) for each in learned.lessons]
    lessons += [replace(each, trust="untrusted") for each in learned.doubtful]
    source = source_of(path)
    return Heard(source, news.upto, lessons, passed=learned.passed, trouble=learned.trouble)


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


def without_power(lesson: Lesson, scope: Scope) -> Lesson:
    if lesson.kind == "rule" and scope.kind != "main":
        return replace(lesson, kind="insight")
    return lesson


def said_in(path: Path, turns: Sequence[Turn], scope: Scope) -> list[Said]:
    """The turns as extractors read them, each with its place. Only in main does the owner speak
    alone; elsewhere every statement is that scope's data."""
    source, shared = _reference(path), scope.kind != "main"
    return [
        Said(each.role, each.text, source, each.line, each.moment, each.layout, shared)
        for each in turns
    ]


def _reference(path: Path) -> str:
    """How the transcript is cited, as search cites it too."""
    if path.parent.name == _HOST_OF_MANY:
        return f"sessions/{path.parent.parent.name}/{path.name}"
    reader = head_of(path).reader
    return f"sessions/{reader.host if reader else path.parent.name}/{path.name}"
