"""Lessons for a flush: the checked items of a call, or lessons learned from a transcript.

Each item is checked separately: an invalid one is refused with a reason and does not affect the
others. A transcript is read from where the last flush stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from remem.entries.draft import checked_origin
from remem.errors import InvalidInput, NotAllowed, quoted
from remem.files.transcripts.openclaw import base_name, scopes_by_file, session_files_in
from remem.files.transcripts.reading import ReadPosition, head_of, new_turns, source_of
from remem.files.transcripts.records import Turn
from remem.learn.flush.result import RefusedItem
from remem.model.arguments import LESSON_KINDS, checked_list, checked_text, one_of
from remem.model.entry import Origin, Trust, granted_trust, lower_trust
from remem.model.lesson import Lesson, Utterance
from remem.model.scope import Scope, Session
from remem.model.statement import keep_grounded
from remem.ports.models import Extractor
from remem.text.timestamps import normalize_time

if TYPE_CHECKING:
    from remem.text.secrets.mask import KnownSecrets


MAX_ITEMS: Final = 500
MAX_LESSON_LENGTH: Final = 20_000
_MAX_NAME_LENGTH: Final = 100
_MAX_STATUS_LENGTH: Final = 120

ITEM_FIELDS: Final = (
    *("kind", "text", "project", "topic", "status"),
    *("replaces", "trust", "source", "position", "said_at", "why"),
)


def read_items(items: Any, max_trust: Trust) -> tuple[list[Lesson], list[RefusedItem]]:
    """Return the lessons in the items of a call, and the items that are refused.

    A secret that is found in one item is masked in all of them.
    """
    from remem.text.secrets.mask import secrets_in  # slow to import: it compiles many patterns

    lessons: list[Lesson] = []
    refused: list[RefusedItem] = []
    item_list = checked_list(items, MAX_ITEMS, "items")
    known_secrets = secrets_in(text for item in item_list for text in _texts(item))
    for item in item_list:
        try:
            lessons.append(lesson_of(item, max_trust, known_secrets))
        except (InvalidInput, NotAllowed) as error:
            text = item.get("text", item) if isinstance(item, Mapping) else item
            refused.append(RefusedItem(quoted(text, 80), str(error)))
    return lessons, refused


def _texts(item: Any) -> Iterator[str]:
    """Yield the texts of an item, except those that exceed the maximum length."""
    if isinstance(item, Mapping):
        for value in item.values():
            if isinstance(value, str) and len(value) <= MAX_LESSON_LENGTH:
                yield value


def lesson_of(item: Any, max_trust: Trust, known_secrets: KnownSecrets | None = None) -> Lesson:
    """Check an item and mask its secrets, and also the `known_secrets` if they are given."""
    from remem.text.secrets.mask import redact_all, secrets_in

    if not isinstance(item, Mapping):
        raise InvalidInput(
            f"an item must be an object, not {quoted(item)}",
            hint='write {"kind": "decision", "text": "…"}',
        )
    if unknown := sorted(set(map(str, item)) - set(ITEM_FIELDS)):
        raise InvalidInput(
            f"unknown field {quoted(unknown[0])} in an item",
            hint=f"allowed fields: {', '.join(ITEM_FIELDS)}",
        )
    kinds: dict[str, None] = {}
    secrets = secrets_in(_texts(item)) if known_secrets is None else known_secrets

    def clean(name: str, max_length: int) -> str | None:
        value = item.get(name)
        if value is None:
            return None
        (redaction,) = redact_all([checked_text(value, name, max_length)], known_secrets=secrets)
        kinds.update(dict.fromkeys(redaction.kinds))
        return redaction.text

    kind = one_of(item.get("kind"), LESSON_KINDS, "kind")
    text = clean("text", MAX_LESSON_LENGTH)
    if text is None:
        raise InvalidInput("an item has no text", hint="say what was learned")
    said_at, trust = item.get("said_at"), item.get("trust")
    lesson = Lesson(
        kind=kind,
        text=text,
        project=_one_line(clean("project", _MAX_NAME_LENGTH)),
        topic=_one_line(clean("topic", _MAX_NAME_LENGTH)),
        status=_one_line(clean("status", _MAX_STATUS_LENGTH)),
        replaces=clean("replaces", MAX_LESSON_LENGTH),
        trust=granted_trust(max_trust, trust),
        origin=_origin(clean("source", 1_000), item.get("position")),
        said_at=normalize_time(said_at, "said_at") if said_at else None,
        why=clean("why", MAX_LESSON_LENGTH),
        redacted=tuple(kinds),
    )
    return reject_untrusted_rule(lesson)


def reject_untrusted_rule(lesson: Lesson) -> Lesson:
    """Return the lesson; raise InvalidInput if it is an untrusted rule."""
    if lesson.trust == "untrusted" and lesson.kind == "rule":
        raise InvalidInput(
            f"an untrusted item cannot be a rule: {quoted(lesson.text)}",
            hint="flush it as a fact; `remem review` lets the owner confirm it",
        )
    return lesson


def _origin(source: str | None, position: Any) -> Origin | None:
    if source is None:
        return None
    return checked_origin(Origin(source, position))


def _one_line(text: str | None) -> str | None:
    return " ".join(text.split()) if text else None


_SESSIONS_FOLDER = "sessions"


@dataclass(frozen=True, slots=True)
class SourceLessons:
    """The lessons of a transcript or note, and the position up to which it has now been read.

    `skipped` counts what was skipped, by reason. `unreadable_reason` is set if the source could not
    be read, `fallback_reason` if the extractor was replaced by a simpler one.
    """

    source: str
    read_to: ReadPosition
    lessons: Sequence[Lesson] = ()
    unreadable_reason: str | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    fallback_reason: str | None = None


def learn_from_transcript(
    path: Path, last_read: ReadPosition | None, extractor: Extractor, scope: Scope, trust: Trust
) -> SourceLessons:
    """Return the lessons of the turns after `last_read`.

    Because they are extracted automatically, they get at most the trust of the agent. Only the
    owner can state rules: a rule that somebody states in a room or a direct chat is kept as an
    insight. What may have been pasted into the owner's message is untrusted and waits for review.
    """
    new = new_turns(path, last_read)
    if new.refusal or not new.turns:
        return SourceLessons(source_of(path), new.read_to, (), new.refusal)
    turns = utterances_of(path, new.turns, scope)
    learned_lessons = keep_grounded(extractor.learn(turns), turns)
    max_trust = lower_trust(trust, "agent")
    lessons = [
        replace(demote_rule(lesson, scope), trust=max_trust) for lesson in learned_lessons.lessons
    ]
    lessons += [replace(lesson, trust="untrusted") for lesson in learned_lessons.doubtful]
    return SourceLessons(
        source_of(path),
        new.read_to,
        lessons,
        skipped=learned_lessons.skipped,
        fallback_reason=learned_lessons.fallback_reason,
    )


def require_own_transcript(path: Path, scope: Scope, session_of: Callable[[str], Session]) -> None:
    """Refuse a transcript that the host's session list assigns to a different scope."""
    name = base_name(path.name)
    if name is None or path.parent.name != _SESSIONS_FOLDER:
        return
    if not any(name in claim.names for claim in session_files_in(path.parent)):
        return
    if scopes_by_file(path.parent, path.parent.parent.name, session_of).get(name) != scope:
        raise NotAllowed(
            "this transcript does not belong to this session",
            hint="flush it from the session it belongs to, with --session KEY",
        )


def demote_rule(lesson: Lesson, scope: Scope) -> Lesson:
    """Turn a rule into an insight if somebody other than the owner may have stated it."""
    if lesson.kind == "rule" and scope.kind != "main":
        return replace(lesson, kind="insight")
    return lesson


def utterances_of(path: Path, turns: Sequence[Turn], scope: Scope) -> list[Utterance]:
    """Return the turns as extractors read them, each with its position.

    Outside main they are marked as shared, because somebody other than the owner may have spoken.
    """
    source, shared = _cited_source(path), scope.kind != "main"
    return [
        Utterance(turn.role, turn.text, source, turn.line, turn.time, turn.multiline, shared)
        for turn in turns
    ]


def _cited_source(path: Path) -> str:
    """Return the name under which a transcript is cited, which is the same in search results."""
    if path.parent.name == _SESSIONS_FOLDER:
        return f"sessions/{path.parent.parent.name}/{path.name}"
    reader = head_of(path).reader
    return f"sessions/{reader.host if reader else path.parent.name}/{path.name}"
