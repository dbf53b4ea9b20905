"""Of which kinds are lessons? The words that a tool offers.

What did a conversation teach? One lesson each: its kind, its words, and who said it where.

A lesson is known by its words: told twice, it is the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final, Literal, get_args

from remem.model.entry import Category, Origin, Trust
from remem.text.words import fold

LessonKind = Literal[
    "decision", "task", "person", "fact", "rule", "context", "preference", "insight"
]
LESSON_KINDS: Final[tuple[LessonKind, ...]] = get_args(LessonKind)


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
"""The kind of entry that a lesson becomes where entries are its home."""

_PART: Final = "\x1f"


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing to be written into memory; its secrets are masked already.

    `project` and `topic` name what it belongs to, `status` is a task's. `replaces` is the
    earlier wording of a task. `said_at` is when it was said, as far as that is known; `why` is
    why it matters, where that was said too. `doubt` is why it may not be the owner's statement;
    then it waits for review.
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
        """The same for the same words about the same thing, whoever tells them."""
        about = (self.kind, self.text, self.project or "", self.topic or "")
        return lesson_id(*map(fold, about), "untrusted" if self.trust == "untrusted" else "")


@dataclass(frozen=True, slots=True)
class Said:
    """What one side said in a conversation, as one line; `position` is where it stands.

    `layout` is the same text with its line breaks, as far as they are known: they tell what was
    pasted. `shared` says that several people speak there, and not the owner alone.
    """

    role: Literal["user", "assistant"]
    text: str
    source: str
    position: int
    moment: str | None = None
    layout: str = ""
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Learned:
    """What an extractor took from a conversation.

    `hints` were said in passing: one counts only if it comes back in other conversations. `plain`
    is what a person states without a sign that it lasts: one that comes back may be a fact of
    somebody who is known.
    `doubtful` lessons may come from pasted text: the owner is asked about them, and nothing else
    uses them.
    `passed` counts what was left, by its reason. `trouble` is why another reader had to do it.
    """

    lessons: tuple[Lesson, ...] = ()
    hints: tuple[Lesson, ...] = ()
    passed: Mapping[str, int] = field(default_factory=dict)
    trouble: str | None = None
    plain: tuple[Lesson, ...] = ()
    doubtful: tuple[Lesson, ...] = ()


def lesson_id(*parts: str) -> str:
    data = _PART.join(parts).encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=6).hexdigest()
