"""Entries, drafts and versions, their ids, and the filter that applies before any ranking.

Ids are random, because consecutive numbers would reveal to one scope how many entries another has.
They are written in Crockford's base 32 (no i, l, o, u), so that they can be read aloud.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from typing import Any, Final, Literal, get_args

from remem.errors import NotAllowed, quoted
from remem.fast_dataclass import dataclass
from remem.model.arguments import one_of
from remem.model.project import is_of_other_project
from remem.text.base32 import to_base32
from remem.text.words import fold, words

Category = Literal["preference", "instruction", "fact", "project", "person", "decision", "insight"]
Priority = Literal["critical", "high", "medium", "low"]
Trust = Literal["owner", "agent", "untrusted", "system"]
ArchiveReason = Literal["faded", "expired"]
"""Why an entry was archived: decay (faded), or its expiry date (expired)."""

CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
PRIORITIES: Final[tuple[Priority, ...]] = get_args(Priority)  # most important first
TRUSTS: Final[tuple[Trust, ...]] = get_args(Trust)
ARCHIVE_REASONS: Final[tuple[ArchiveReason, ...]] = get_args(ArchiveReason)
ASSISTANT: Final = "assistant"
"""The role of an origin whose words a model wrote."""
CONVERSATION: Final = "conversation:"
"""The prefix of the source of an origin that is a conversation and not a file."""

_TRUST_ORDER: Final[dict[Trust, int]] = {"owner": 3, "system": 2, "agent": 1, "untrusted": 0}

IMPORTED: Final = "import"
"""The `source` of an entry that was imported from a file that this workspace did not write."""
PATH_SEPARATOR: Final = " › "
"""The separator between the file and the headings in the context of an entry."""
_YEAR: Final = re.compile(r"20\d\d")
_MIN_WORDS_ALONE: Final = 6
"""A text with at least this many words can be understood without its headings."""
ID_PREFIX: Final = "mem-"
ENTRY_ID: Final = re.compile(rf"{ID_PREFIX}[0-9a-hjkmnp-tv-z]{{8}}")
"""The form of an id; it also occurs inside longer words, so use `fullmatch` or `is_entry_id`."""


def headings_in(context: str | None) -> tuple[str, ...]:
    """Return the headings in the context of an entry, such as `MEMORY.md › A › B`."""
    return tuple((context or "").split("\n", 1)[0].split(PATH_SEPARATOR)[1:])


def with_heading(content: str, context: str | None) -> str:
    """Return a text after its nearest heading, as it is embedded for semantic search."""
    headings = headings_in(context)
    return f"{headings[-1]}: {content}" if headings else content


def needs_heading(content: str) -> bool:
    """Return whether a text such as `port 3000` is too short to be understood without headings."""
    return len(words(content)) < _MIN_WORDS_ALONE


def topic_heading(context: str | None) -> str:
    """Return the nearest heading in a context, folded; empty if there is none or it has a year."""
    headings = headings_in(context)
    return "" if not headings or _YEAR.search(headings[-1]) else fold(headings[-1])


def are_under_different_headings(content: str, one: str | None, other: str | None) -> bool:
    """Return whether the headings in two contexts make the same short text mean two things."""
    if not one or not other or not needs_heading(content):
        return False
    first, second = (
        {heading for line in text.split("\n") if (heading := topic_heading(line))}
        for text in (one, other)
    )
    return bool(first and second) and not first & second


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a memory comes from: a file or conversation, the position in it, and the speaker."""

    source: str
    position: int | None = None
    speaker: str | None = None
    role: str | None = None


def conversation_source(name: str) -> str:
    """Return the source of a conversation that is not in any file, from its name in the host."""
    return f"{CONVERSATION}{name.removeprefix(CONVERSATION)}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One structured memory in its current version.

    `context` is the path of headings where it was found, or other words around it. `source` says
    in which way it was stored, such as `session` or `import`; `origins` say where it comes from.
    `strength` counts how often it was stated or reinforced, `uses` how often it was used.
    `archive_reason` is only set if the entry may come back by itself; the change that is recorded
    with a version describes all other cases.
    """

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
    archive_reason: ArchiveReason | None = None

    @property
    def live(self) -> bool:
        """Whether ordinary recall, the index and the domain files may show it."""
        return not self.archived and self.superseded_by is None and self.trust != "untrusted"

    @property
    def faded(self) -> bool:
        """Whether decay archived it, so that using it brings it back."""
        by_decay = self.archived and self.archive_reason == "faded"
        return by_decay and self.superseded_by is None and self.trust != "untrusted"


def former_archive_reason(change: str, expires_at: str | None) -> ArchiveReason | None:
    """Return the reason for which an entry was archived, by the change that was recorded.

    Earlier versions of remem recorded the reason only there.
    """
    if change.startswith("faded: "):
        return "faded"
    return "expired" if expires_at and change == f"expired on {expires_at}" else None


@dataclass(frozen=True, slots=True)
class Version:
    """One version of an entry, earlier or current, and a description of the change that made it."""

    version: int
    at: str
    change: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory to be stored: validated and redacted, but not yet an entry.

    `redacted` are the kinds of the secrets that were masked in it.
    """

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


def lower_trust(maximum: Trust, requested: Trust | None) -> Trust:
    """Return the requested trust, but never more than the maximum, which is also the default."""
    if requested is None or _TRUST_ORDER[requested] > _TRUST_ORDER[maximum]:
        return maximum
    return requested


def granted_trust(maximum: Trust, requested: Any) -> Trust:
    """Return the requested trust, or the maximum by default; raise NotAllowed for more."""
    if requested is None:
        return maximum
    trust = one_of(requested, TRUSTS, "trust")
    if lower_trust(maximum, trust) != trust:
        raise NotAllowed(
            f"trust {quoted(trust)} is higher than this session may grant, which is {maximum}",
            hint="omit trust; only the owner can store or confirm with higher trust",
        )
    return trust


def is_lower_trust(trust: Trust, other: Trust) -> bool:
    """Return whether the first trust is lower than the second."""
    return _TRUST_ORDER[trust] < _TRUST_ORDER[other]


def at_least(priority: Priority, minimum: Priority) -> bool:
    """Return whether a priority is as high as another one, or higher."""
    return PRIORITIES.index(priority) <= PRIORITIES.index(minimum)


def new_id(random_bytes: Callable[[int], bytes]) -> str:
    """Return a new id from forty random bits; the store refuses an id that is already used."""
    return ID_PREFIX + to_base32(int.from_bytes(random_bytes(5), "big"), 8)


def is_entry_id(text: str) -> bool:
    """Return whether a text is the id of an entry, whether or not the entry exists."""
    return ENTRY_ID.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that an entry must all meet; an empty filter admits every live entry.

    `project` is the tag of a project: entries that belong only to other projects are left out.
    """

    categories: tuple[Category, ...] = ()
    priority_min: Priority | None = None
    tags: tuple[str, ...] = ()
    include_archived: bool = False
    include_untrusted: bool = False
    project: str | None = None

    @property
    def only_live(self) -> bool:
        """Whether it admits only live entries."""
        return not (self.include_archived or self.include_untrusted)

    @property
    def is_selective(self) -> bool:
        """Whether it asks for certain categories, priorities or tags."""
        return bool(self.categories or self.priorities or self.tags)

    @property
    def priorities(self) -> tuple[Priority, ...]:
        """The admitted priorities; empty if all are admitted."""
        if self.priority_min is None or self.priority_min == PRIORITIES[-1]:
            return ()
        return tuple(priority for priority in PRIORITIES if at_least(priority, self.priority_min))

    @property
    def folded_tags(self) -> tuple[str, ...]:
        """The tags, all of which an entry must have, folded."""
        return tuple(fold(tag) for tag in self.tags)

    def admits(self, entry: Entry) -> bool:
        """Return whether an entry passes the filter; every store must follow this rule."""
        if (entry.archived or entry.superseded_by) and not self.include_archived:
            return False
        if entry.trust == "untrusted" and not self.include_untrusted:
            return False
        if self.categories and entry.category not in self.categories:
            return False
        if self.priorities and entry.priority not in self.priorities:
            return False
        if self.project is not None and is_of_other_project(entry.tags, self.project):
            return False
        return not self.tags or set(self.folded_tags) <= {fold(tag) for tag in entry.tags}
