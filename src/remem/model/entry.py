"""Entries, drafts and versions, their ids, and the filter that comes before any ranking.

Ids are random, not sequential: a sequence would reveal to one scope how many entries another has.
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
from remem.model.project import is_of_another
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
"""The role of an origin in which a model spoke."""
CONVERSATION: Final = "conversation:"

# A caller can lower trust, never raise it.
_TRUST_ORDER: Final[dict[Trust, int]] = {"owner": 3, "system": 2, "agent": 1, "untrusted": 0}


IMPORTED: Final = "import"
"""The source of an entry from a file that this workspace did not write."""
PATH_SEPARATOR: Final = " › "
"""The separator between the headings of a path."""


def headings_in(context: str | None) -> tuple[str, ...]:
    """Return the headings in the context of an entry, such as `MEMORY.md › A › B`."""
    return tuple((context or "").split("\n", 1)[0].split(PATH_SEPARATOR)[1:])


_YEAR: Final = re.compile(r"20\d\d")
_MIN_WORDS_ALONE: Final = 6
"""A text with at least this many words can be understood without its headings."""


def with_heading(content: str, context: str | None) -> str:
    """Return a text with the nearest heading above it, for searching by meaning."""
    headings = headings_in(context)
    return f"{headings[-1]}: {content}" if headings else content


def needs_heading(content: str) -> bool:
    """Return whether a text is so short that its headings say what it is about: `port 3000`."""
    return len(words(content)) < _MIN_WORDS_ALONE


def topic_heading(context: str | None) -> str:
    """Return the nearest heading above a statement, folded; empty if it names a day."""
    headings = headings_in(context)
    return "" if not headings or _YEAR.search(headings[-1]) else fold(headings[-1])


def are_under_different_headings(content: str, one: str | None, other: str | None) -> bool:
    """Return whether the same short text is about different things in two contexts."""
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
    archive_reason: ArchiveReason | None = None
    """Why it was archived, if it may come back automatically; `Version.change` describes other
    cases."""

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
    """Return the reason that earlier versions of remem recorded only in the text of the change."""
    if change.startswith("faded: "):
        return "faded"
    return "expired" if expires_at and change == f"expired on {expires_at}" else None


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier or the current version of an entry, and the change that led to it."""

    version: int
    at: str
    change: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory to be stored: validated and redacted, not yet an entry."""

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
    """Return the requested trust, or the allowed trust if that is lower or nothing was
    requested."""
    if requested is None or _TRUST_ORDER[requested] > _TRUST_ORDER[maximum]:
        return maximum
    return requested


def granted_trust(maximum: Trust, requested: Any) -> Trust:
    """Return the trust that a caller asks for; asking for more than is allowed is an error."""
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
    return _TRUST_ORDER[trust] < _TRUST_ORDER[other]


def at_least(priority: Priority, minimum: Priority) -> bool:
    return PRIORITIES.index(priority) <= PRIORITIES.index(minimum)


ENTRY_ID: Final = re.compile(r"mem-[0-9a-hjkmnp-tv-z]{8}")
"""Use `fullmatch`, or `is_entry_id`; `ENTRY_ID.pattern` fits into larger patterns."""

ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"

_SHIFTS: Final = range(35, -1, -5)


def new_id(random_bytes: Callable[[int], bytes]) -> str:
    """Return a new id from forty random bits; the store refuses one that is taken."""
    bits = int.from_bytes(random_bytes(5), "big")
    return "mem-" + "".join([ALPHABET[bits >> shift & 31] for shift in _SHIFTS])


def is_entry_id(text: str) -> bool:
    return ENTRY_ID.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions, all of which an entry must meet; an empty filter admits every live entry."""

    categories: tuple[Category, ...] = ()
    priority_min: Priority | None = None
    tags: tuple[str, ...] = ()
    include_archived: bool = False
    include_untrusted: bool = False
    project: str | None = None
    """The tag of a project: entries that belong to other projects only are left out."""

    @property
    def only_live(self) -> bool:
        return not (self.include_archived or self.include_untrusted)

    @property
    def narrow(self) -> bool:
        """Whether it excludes some live entries."""
        return bool(self.categories or self.priorities or self.tags)

    @property
    def priorities(self) -> tuple[Priority, ...]:
        """The admitted priorities; empty if all are admitted."""
        if self.priority_min is None or self.priority_min == PRIORITIES[-1]:
            return ()
        return tuple(priority for priority in PRIORITIES if at_least(priority, self.priority_min))

    @property
    def folded_tags(self) -> tuple[str, ...]:
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
        if self.project is not None and is_of_another(entry.tags, self.project):
            return False
        return not self.tags or set(self.folded_tags) <= {fold(tag) for tag in entry.tags}
