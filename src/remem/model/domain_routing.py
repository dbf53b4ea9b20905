"""Choose the domain file that an entry belongs to, and the title of that file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from remem.model.entry import Category, Entry
from remem.text.words import fold

PART_SIZE: Final = 200
"""The number of entries in one part of a domain file, which is rewritten at every change."""

LONG_ENTRY: Final = 5_000
"""For each of this many characters, an entry counts as one more."""

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
_SEPARATORS: Final = " .-_(~"
_MIN_LENGTH: Final = 200
"""The number of characters that show the language of a file; a short text may be a quotation."""
_BY_SCRIPT: Final = ("zh", "ja", "ko", "ru")


def domain_file_key(stem: str, part: int) -> str:
    """Return the key of a domain file in the outbox; `files/` converts it to a path."""
    return f"{stem}:{part}"


def parse_domain_file_key(file_key: str) -> tuple[str, int] | None:
    """Return the inverse of `domain_file_key`; None for the index."""
    stem, colon, part = file_key.rpartition(":")
    return (stem, int(part)) if colon else None


def domain_stem(entry: Entry, topics: Sequence[str]) -> str:
    """Return the stem of the domain file of an entry.

    Untrusted entries have a file of their own. For others, it is the first tag that is a topic, or
    else the stem for the category.
    """
    if entry.trust == "untrusted":
        return UNTRUSTED
    if entry.tags and topics:
        known = {fold(topic): topic for topic in topics}
        for tag in entry.tags:
            if fold(tag) in known:
                return known[fold(tag)]
    return STEMS[entry.category]


def original_stem(stem: str, topics: Sequence[str] = ()) -> str:
    """Return the stem of the domain file of which another file, given by its stem, is a copy.

    If two machines have changed a file, sync programs keep both, and add something to the name of
    one: `facts.sync-conflict-…`, `facts (conflicted copy …)`, `facts (1)`, `facts-LAPTOP`. People
    do the same when they split a file. Any other stem is returned unchanged.
    """
    known = (*STEMS.values(), UNTRUSTED, *topics)
    if stem in known:
        return stem
    starts = (name for name in known if stem.startswith(name) and stem[len(name)] in _SEPARATORS)
    return max(starts, key=len, default=stem)


def domain_title(stem: str, contents: Iterable[str], language: str = "") -> str:
    """Return the title of a new domain file; by default in the language of its `contents`."""
    if stem not in (*STEMS.values(), UNTRUSTED):
        return stem.replace("-", " ").replace("_", " ").capitalize()
    from remem.text.labels import label  # only new files need these
    from remem.text.language import language_of

    text = "\n".join(contents)
    detected = language_of(text) if text and not language else ""
    is_known = detected in _BY_SCRIPT or len(text) >= _MIN_LENGTH
    return label(stem, language or (detected if is_known else ""))
