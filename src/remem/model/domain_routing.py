"""In which domain file does an entry stand? In exactly one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from remem.model.entry import Category, Entry
from remem.text.words import fold

PART_SIZE: Final = 200
"""Entries in one part of a domain file: small enough to rewrite at each change."""

LONG_ENTRY: Final = 5_000
"""So many characters of one entry take the room of another."""

UNTRUSTED: Final = "untrusted"
STEMS: Final[dict[Category, str]] = {
    "preference": "preferences",
    "instruction": "instructions",
    "fact": "facts",
    "project": "projects",
    "person": "people",
    "decision": "decisions",
    "insight": "insights",
}


INDEX_MARK: Final = "INDEX"


def domain_mark(stem: str, part: int) -> str:
    """How the outbox names a file; where it lies is the business of the notes."""
    return f"{stem}:{part}"


def place_from(mark: str) -> tuple[str, int] | None:
    """The inverse of `domain_mark`; None for the index."""
    stem, colon, part = mark.rpartition(":")
    return (stem, int(part)) if colon else None


def home_of(entry: Entry, topics: Sequence[str]) -> str:
    """The stem of its file: untrusted, its first tag that is a topic, or its category."""
    if entry.trust == "untrusted":
        return UNTRUSTED
    if entry.tags and topics:
        known = {fold(topic): topic for topic in topics}
        for tag in entry.tags:
            if fold(tag) in known:
                return known[fold(tag)]
    return STEMS[entry.category]
