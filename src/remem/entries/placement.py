"""Write entries together with their place in the domain files.

An entry is in exactly one part of one domain file. Every change to it queues that file, and the
index, for writing, in the same transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from remem.model.domain_routing import (
    INDEX_FILE_KEY,
    LONG_ENTRY,
    PART_SIZE,
    UNTRUSTED,
    domain_file_key,
    domain_stem,
)
from remem.model.entry import Entry, Version
from remem.ports.entries import Transaction
from remem.ports.records import Home, Tally, Where
from remem.ports.state import Namespace
from remem.text.similarity import Fingerprint

_OPEN_PARTS: Final[Namespace[tuple[int, int]]] = Namespace("open part", tuple[int, int])
_CHARACTERS_PER_TOKEN: Final = 4


def insert(
    tx: Transaction,
    entry: Entry,
    change: str,
    topics: Sequence[str],
    *,
    fingerprint: Fingerprint | None = None,
    history: Sequence[Version] = (),
) -> None:
    """Add an entry to the store and to its domain file."""
    home = _part_for_new_entry(tx, domain_stem(entry, topics), entry)
    tx.insert(entry, change, home, fingerprint=fingerprint, history=history)
    _queue_files(tx, home)


def save_version(tx: Transaction, entry: Entry, change: str, topics: Sequence[str]) -> None:
    """Store a new version of an entry, which may move it to another domain file."""
    old = _home_of(tx, entry.id)
    new = _home_for(tx, entry, old, topics)
    tx.update(entry, new, change)
    _queue_files(tx, old, new)


def update(tx: Transaction, entry: Entry, topics: Sequence[str] | None = None) -> None:
    """Change an entry without a new version; with `topics`, it may move to another file."""
    old = _home_of(tx, entry.id)
    new = old if topics is None else _home_for(tx, entry, old, topics)
    tx.update(entry, new)
    _queue_files(tx, old, new)


def erase(tx: Transaction, id_: str, at: str) -> None:
    """Erase an entry from the store, and queue its file."""
    home = _home_of(tx, id_)
    tx.erase(id_, at)
    _queue_files(tx, home)


def reassign_all(tx: Transaction, topics: Sequence[str]) -> None:
    """Move every entry to the file in which it belongs, and queue all files for writing."""
    homes = tx.tally("home", Where(state="current"))
    for stem in {key.rpartition(":")[0] for key in homes}:
        tx.put_record(_OPEN_PARTS, stem, None)
    for entry in tx.select(Where(state="any")):
        old = _home_of(tx, entry.id)
        if old.stem != domain_stem(entry, topics):
            update(tx, entry, topics)
    for key in (*homes, INDEX_FILE_KEY):
        tx.add_to_outbox(key)


def _home_of(tx: Transaction, id_: str) -> Home:
    return tx.usage([id_])[id_].home


def _home_for(tx: Transaction, entry: Entry, old: Home, topics: Sequence[str]) -> Home:
    stem = domain_stem(entry, topics)
    return old if old.stem == stem else _part_for_new_entry(tx, stem, entry)


def _part_for_new_entry(tx: Transaction, stem: str, entry: Entry) -> Home:
    """Return the part of a domain file that a new entry goes into.

    A long entry counts as several, so that no part grows too large to be read. The saved count does
    not go down when entries leave, so a part that seems full is counted again.
    """
    saved_count = tx.record(_OPEN_PARTS, stem)
    part, size = saved_count or _last_part(tx, stem)
    if saved_count and size >= PART_SIZE:
        tallies = tx.tally("home", Where(state="current", home=Home(stem, part)))
        size = _size_of(tallies.get(domain_file_key(stem, part)))
    if size >= PART_SIZE:
        part, size = part + 1, 0
    tx.put_record(_OPEN_PARTS, stem, (part, size + 1 + len(entry.content) // LONG_ENTRY))
    return Home(stem, part)


def _last_part(tx: Transaction, stem: str) -> tuple[int, int]:
    """Return the last part of a domain file, and how full it is."""
    parts = tx.tally("home", Where(state="current", stem=stem))
    last = max((int(key.rpartition(":")[2]) for key in parts), default=1)
    return last, _size_of(parts.get(domain_file_key(stem, last)))


def _size_of(part: Tally | None) -> int:
    """Return how full a part with this tally is; one without entries has none."""
    return part.entries + part.tokens * _CHARACTERS_PER_TOKEN // LONG_ENTRY if part else 0


def _queue_files(tx: Transaction, *homes: Home) -> None:
    for home in dict.fromkeys(homes):
        tx.add_to_outbox(domain_file_key(*home))
    if any(home.stem != UNTRUSTED for home in homes):
        tx.add_to_outbox(INDEX_FILE_KEY)
