"""What does a transcript teach since it was last read? Its lessons, each with its place.

Is this a lesson that can be flushed? Each item is checked by itself; a bad one is refused
with its reason and holds up no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from remem.errors import InvalidInput, NotAllowed, shown
from remem.files.transcripts.openclaw import base_name, claims_in, owners_in
from remem.files.transcripts.reading import ReadUpTo, head_of, news_in, source_of
from remem.files.transcripts.records import Turn
from remem.learn.flush.result import Refused
from remem.model.arguments import checked_text, one_of, several
from remem.model.entry import TRUSTS, Origin, Trust, lower_trust
from remem.model.lesson import LESSON_KINDS, Lesson, Said
from remem.model.scope import Scope, Session
from remem.model.statement import grounded
from remem.ports.models import Extractor
from remem.text.timestamps import moment

if TYPE_CHECKING:
    from remem.text.secrets.mask import Secrets


MOST_ITEMS: Final = 500
LONGEST_LESSON: Final = 20_000
_LONGEST_NAME: Final = 100
_LONGEST_STATUS: Final = 120

ITEM_FIELDS: Final = (
    *("kind", "text", "project", "topic", "status"),
    *("replaces", "trust", "source", "position", "said_at", "why"),
)


def read_items(items: Any, allowed: Trust) -> tuple[list[Lesson], list[Refused]]:
    """The lessons of a call, and what cannot be one. A secret that one item shows to be one is
    masked in all."""
    from remem.text.secrets.mask import (
        secrets_in,  # hundreds of patterns, which nothing else here needs
    )

    lessons: list[Lesson] = []
    refused: list[Refused] = []
    given = several(items, MOST_ITEMS, "items")
    known = secrets_in(text for item in given for text in _texts(item))
    for item in given:
        try:
            lessons.append(lesson_of(item, allowed, known))
        except InvalidInput as error:
            said = item.get("text") if isinstance(item, Mapping) else item
            refused.append(Refused(shown(said, 80), str(error)))
    return lessons, refused


def _texts(item: Any) -> Iterator[str]:
    """The texts of an item that are no longer than they may be."""
    if isinstance(item, Mapping):
        for value in item.values():
            if isinstance(value, str) and len(value) <= LONGEST_LESSON:
                yield value


def lesson_of(item: Any, allowed: Trust, known: Secrets | None = None) -> Lesson:
    """One item with its secrets masked, those that are known from elsewhere, too."""
    from remem.text.secrets.mask import redact_all, secrets_in

    if not isinstance(item, Mapping):
        raise InvalidInput(
            f"an item must be an object, not {shown(item)}",
            hint='write {"kind": "decision", "text": "…"}',
        )
    if unknown := sorted(set(map(str, item)) - set(ITEM_FIELDS)):
        raise InvalidInput(
            f"an item has no field {shown(unknown[0])}", hint=f"known: {', '.join(ITEM_FIELDS)}"
        )
    kinds: dict[str, None] = {}
    secrets = secrets_in(_texts(item)) if known is None else known

    def clean(name: str, longest: int) -> str | None:
        value = item.get(name)
        if value is None:
            return None
        (redaction,) = redact_all([checked_text(value, name, longest)], known=secrets)
        kinds.update(dict.fromkeys(redaction.kinds))
        return redaction.text

    kind = one_of(item.get("kind"), LESSON_KINDS, "kind")
    text = clean("text", LONGEST_LESSON)
    if text is None:
        raise InvalidInput("an item has no text", hint="say what was learned")
    given = {name: clean(name, _LONGEST_NAME) for name in ("project", "topic")}
    said_at, trust = item.get("said_at"), item.get("trust")
    lesson = Lesson(
        kind=kind,
        text=text,
        project=_one_line(given["project"]),
        topic=_one_line(given["topic"]),
        status=_one_line(clean("status", _LONGEST_STATUS)),
        replaces=clean("replaces", LONGEST_LESSON),
        trust=lower_trust(allowed, one_of(trust, TRUSTS, "trust") if trust else None),
        origin=_origin(clean("source", 1_000), item.get("position")),
        said_at=moment(said_at, "said_at") if said_at else None,
        why=clean("why", LONGEST_LESSON),
        redacted=tuple(kinds),
    )
    return refuse_power(lesson)


def refuse_power(lesson: Lesson) -> Lesson:
    """A stranger's words never become a rule."""
    if lesson.trust == "untrusted" and lesson.kind == "rule":
        raise InvalidInput(
            f"an untrusted item cannot be a rule: {shown(lesson.text)}",
            hint="flush it as a fact; `remem review` lets the owner confirm it",
        )
    return lesson


def _origin(source: str | None, position: Any) -> Origin | None:
    if source is None:
        return None
    if position is not None and (isinstance(position, bool) or not isinstance(position, int)):
        raise InvalidInput(f"position {shown(position)} is not a whole number")
    return Origin(source, position)


def _one_line(text: str | None) -> str | None:
    return " ".join(text.split()) if text else None


Items = Sequence[Mapping[str, Any]]


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
    lessons = [replace(without_power(lesson, scope), trust=allowed) for lesson in learned.lessons]
    lessons += [replace(lesson, trust="untrusted") for lesson in learned.doubtful]
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
        Said(turn.role, turn.text, source, turn.line, turn.moment, turn.layout, shared)
        for turn in turns
    ]


def _reference(path: Path) -> str:
    """How the transcript is cited, as search cites it too."""
    if path.parent.name == _HOST_OF_MANY:
        return f"sessions/{path.parent.parent.name}/{path.name}"
    reader = head_of(path).reader
    return f"sessions/{reader.host if reader else path.parent.name}/{path.name}"
