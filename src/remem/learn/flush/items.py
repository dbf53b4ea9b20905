"""Is this a lesson that can be flushed? Each item is checked by itself; a bad one is refused
with its reason and holds up no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from remem.core.entry import TRUSTS, Origin, Trust, lower_trust
from remem.core.lesson import Lesson
from remem.core.lesson_kinds import LESSON_KINDS
from remem.core.moments import moment
from remem.core.values import checked_text, one_of, several
from remem.errors import InvalidInput, shown
from remem.maintenance.flush.result import Refused

if TYPE_CHECKING:
    from remem.core.secrets import Secrets

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
    from remem.core.secrets import secrets_in  # hundreds of patterns, which nothing else here needs

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
    from remem.core.secrets import redact_all, secrets_in

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
