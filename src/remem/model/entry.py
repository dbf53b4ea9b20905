"""What is an entry? The values that every other part of remem speaks of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, get_args

Category = Literal["preference", "instruction", "fact", "project", "person", "decision", "insight"]
Priority = Literal["critical", "high", "medium", "low"]
Trust = Literal["owner", "agent", "untrusted", "system"]

CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
PRIORITIES: Final[tuple[Priority, ...]] = get_args(Priority)  # the most important first
TRUSTS: Final[tuple[Trust, ...]] = get_args(Trust)
ASSISTANT: Final = "assistant"
"""The role of an origin that a model speaks in."""
CONVERSATION: Final = "conversation:"

# Who may speak for whom: a caller can only move to the right.
_TRUST_ORDER: Final[dict[Trust, int]] = {"owner": 3, "system": 2, "agent": 1, "untrusted": 0}


IMPORTED: Final = "import"
"""The source of an entry from a file that this workspace did not write."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a memory was said: a file or conversation, the place in it, and by whom."""

    source: str
    position: int | None = None
    speaker: str | None = None
    role: str | None = None


def of_conversation(name: str) -> str:
    """How a conversation is cited that no file tells of: by the name that its host gave it."""
    return f"{CONVERSATION}{name.removeprefix(CONVERSATION)}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One structured memory in its current version."""

    id: str
    category: Category
    content: str
    created_at: str
    updated_at: str
    context: str | None = None
    priority: Priority = "medium"
    tags: tuple[str, ...] = ()
    related_to: tuple[str, ...] = ()
    source: str = "session"
    origins: tuple[Origin, ...] = ()
    trust: Trust = "agent"
    expires_at: str | None = None
    token_estimate: int = 0
    archived: bool = False
    superseded_by: str | None = None
    version: int = 1
    strength: int = 1
    uses: int = 0

    @property
    def live(self) -> bool:
        """Whether ordinary recall, the index and the category files may show it."""
        return not self.archived and self.superseded_by is None and self.trust != "untrusted"


@dataclass(frozen=True, slots=True)
class Version:
    """One earlier or current wording of an entry, and what brought it about."""

    version: int
    at: str
    change: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory that asks to be stored: validated and redacted, not yet an entry."""

    category: Category
    content: str
    context: str | None = None
    priority: Priority = "medium"
    tags: tuple[str, ...] = ()
    related_to: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    source: str = "session"
    origin: Origin | None = None
    trust: Trust = "agent"
    created_at: str | None = None
    expires_at: str | None = None
    redacted: tuple[str, ...] = field(default=())


def lower_trust(allowed: Trust, asked: Trust | None) -> Trust:
    """The trust a caller gets: what he asked for, but never more than he has."""
    if asked is None or _TRUST_ORDER[asked] > _TRUST_ORDER[allowed]:
        return allowed
    return asked


def is_lower(trust: Trust, other: Trust) -> bool:
    return _TRUST_ORDER[trust] < _TRUST_ORDER[other]


def at_least(priority: Priority, minimum: Priority) -> bool:
    return PRIORITIES.index(priority) <= PRIORITIES.index(minimum)
