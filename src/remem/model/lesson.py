"""Lessons that a conversation taught, each with its kind, its wording and its origin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from hashlib import blake2b
from typing import Final, Literal

from remem.fast_dataclass import dataclass
from remem.model.arguments import LessonKind
from remem.model.entry import Category, Origin, Trust
from remem.text.words import fold

CATEGORY_OF_LESSON: Final[dict[LessonKind, Category]] = {
    "decision": "decision",
    "task": "project",
    "person": "person",
    "fact": "fact",
    "rule": "instruction",
    "context": "project",
    "preference": "preference",
    "insight": "insight",
}
KIND_OF_CATEGORY: Final[dict[Category, LessonKind]] = {
    category: kind for kind, category in CATEGORY_OF_LESSON.items() if kind != "task"
}
"""The kind of lesson for each category; a text alone does not show that it is a task."""

_PART: Final = "\x1f"


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing to write into memory, with its secrets already masked.

    `project` and `topic` name what it belongs to. `status` is the status of a task, and `replaces`
    its earlier wording. `said_at` is the time of its turn; `why` says why it matters, if known.
    `doubt` is the reason why it may not be the owner's own statement; a lesson with a doubt
    waits for review. `redacted` are the kinds of the secrets that were masked.
    """

    kind: LessonKind
    text: str
    project: str | None = None
    topic: str | None = None
    status: str | None = None
    replaces: str | None = None
    trust: Trust = "agent"
    origin: Origin | None = None
    said_at: str | None = None
    why: str | None = None
    redacted: tuple[str, ...] = ()
    doubt: str | None = None

    @property
    def id(self) -> str:
        """An id that is equal for the same words about the same thing, whatever their origin."""
        about = (self.kind, self.text, self.project or "", self.topic or "")
        return lesson_id(*map(fold, about), "untrusted" if self.trust == "untrusted" else "")

    @property
    def category(self) -> Category:
        """The category of the entry that it becomes."""
        return CATEGORY_OF_LESSON[self.kind]


@dataclass(frozen=True, slots=True)
class Utterance:
    """One turn of a conversation, as a single line; `position` is its line in the source.

    `multiline` is the same text with its line breaks, if they are known; they help to recognise
    pasted text. `shared` means that other people than the owner take part in the conversation.
    """

    role: Literal["user", "assistant"]
    text: str
    source: str
    position: int
    time: str | None = None
    multiline: str = ""
    shared: bool = False


@dataclass(frozen=True, slots=True)
class LearnedLessons:
    """The lessons that an extractor found in a conversation.

    Only `lessons` are learned at once. `likely` are statements about the speaker that may hold only
    for the moment: they are learned if they recur, and curation offers them. `hints` were mentioned
    in passing, and are learned if they recur. `plain` are statements without a sign that they last;
    one that recurs may be a fact about a known person. `doubtful` lessons may come from pasted
    text, so they wait for review. `skipped` counts what was left out, by reason. `fallback_reason`
    says why another extractor than the configured one was used.
    """

    lessons: tuple[Lesson, ...] = ()
    hints: tuple[Lesson, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    fallback_reason: str | None = None
    likely: tuple[Lesson, ...] = ()
    plain: tuple[Lesson, ...] = ()
    doubtful: tuple[Lesson, ...] = ()


def lesson_id(*parts: str) -> str:
    """Return the id of a lesson, a digest of its parts: the same parts give the same id."""
    data = _PART.join(parts).encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=6).hexdigest()
