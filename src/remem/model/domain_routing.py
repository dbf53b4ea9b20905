"""Choose the domain file that an entry belongs to, and the heading of that file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    """Return the key of a domain file in the outbox; `files/` converts it to a path."""
    return f"{stem}:{part}"


def parse_domain_file_key(file_key: str) -> tuple[str, int] | None:
    """Return the inverse of `domain_file_key`; None for the index."""
    stem, colon, part = file_key.rpartition(":")
    return (stem, int(part)) if colon else None


def domain_stem(entry: Entry, topics: Sequence[str]) -> str:
    """Return the stem of an entry's file.

    It is the stem of the untrusted file, or else the first tag that is a topic, or else the
    category.
    """
    if entry.trust == "untrusted":
        return UNTRUSTED
    if entry.tags and topics:
        known = {fold(topic): topic for topic in topics}
        for tag in entry.tags:
            if fold(tag) in known:
                return known[fold(tag)]
    return STEMS[entry.category]


_SEPARATORS: Final = " .-_(~"


def original_stem(stem: str, topics: Sequence[str] = ()) -> str:
    """Return the stem of the file that a file is a copy or a part of, by its name.

    Sync programs put a copy next to a file that two machines have changed, and add something to its
    name: `facts.sync-conflict-…`, `facts (conflicted copy …)`, `facts (1)`, `facts-LAPTOP`. People
    do the same when they split a file.
    """
    known = (*STEMS.values(), UNTRUSTED, *topics)
    if stem in known:
        return stem
    starts = (name for name in known if stem.startswith(name) and stem[len(name)] in _SEPARATORS)
    return max(starts, key=len, default=stem)


_MIN_LENGTH: Final = 200
"""Characters that show the language of a file; a single short entry may be a quotation."""
_BY_SCRIPT: Final = ("zh", "ja", "ko", "ru")


def domain_title(stem: str, contents: Iterable[str], language: str = "") -> str:
    """Return the heading of a new domain file in a language; by default, in the language of its
    text."""
    if stem not in (*STEMS.values(), UNTRUSTED):
        return stem.replace("-", " ").replace("_", " ").capitalize()
    from remem.text.labels import label  # only new files need these
    from remem.text.language import language_of

    text = "\n".join(contents)
    detected = language_of(text) if text and not language else ""
    is_known = detected in _BY_SCRIPT or len(text) >= _MIN_LENGTH
    return label(stem, language or (detected if is_known else ""))
