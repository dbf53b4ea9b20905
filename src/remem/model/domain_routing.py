"""The one domain file that an entry belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from remem.model.entry import Category, Entry
from remem.text.words import fold

PART_SIZE: Final = 200
"""Entries in one part of a domain file: small enough to be rewritten at every change."""

LONG_ENTRY: Final = 5_000
"""A long entry counts as several: one more for this number of characters."""

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


INDEX_FILE_KEY: Final = "INDEX"


def domain_file_key(stem: str, part: int) -> str:
    """The name of a domain file in the outbox; `files/` knows its path."""
    return f"{stem}:{part}"


def parse_domain_file_key(file_key: str) -> tuple[str, int] | None:
    """The inverse of `domain_file_key`; None for the index."""
    stem, colon, part = file_key.rpartition(":")
    return (stem, int(part)) if colon else None


def domain_stem(entry: Entry, topics: Sequence[str]) -> str:
    """The stem of an entry's file: untrusted, else its first tag that is a topic, else its
    category."""
    if entry.trust == "untrusted":
        return UNTRUSTED
    if entry.tags and topics:
        known = {fold(topic): topic for topic in topics}
        for tag in entry.tags:
            if fold(tag) in known:
                return known[fold(tag)]
    return STEMS[entry.category]
