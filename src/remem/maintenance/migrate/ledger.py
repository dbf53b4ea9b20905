"""Which line gave which entry? Kept beside the entries, in the transaction that stores them.

It tells an unchanged line from a changed and a new one, after any kill, and without asking
whether a person has since edited the entry.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from remem.ports import Reading, Transaction

_FILE: Final = "migrated:"
_FILES: Final = "migrated"


@dataclass(frozen=True, slots=True)
class Row:
    """A statement as it was migrated: its first line, its wording, its entry."""

    line: int
    wording: str
    id: str


def wording_of(content: str) -> str:
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def read_rows(reading: Reading, path: str) -> list[Row]:
    note = reading.note(_FILE + path)
    return [Row(*each) for each in json.loads(note)] if note else []


def write_rows(tx: Transaction, path: str, rows: Sequence[Row]) -> None:
    if rows or tx.note(_FILE + path):
        told = [[each.line, each.wording, each.id] for each in rows]
        tx.keep_note(_FILE + path, json.dumps(told, separators=(",", ":")))


def migrated_files(reading: Reading) -> list[str]:
    """Files of earlier runs, as far as those came to their end."""
    note = reading.note(_FILES)
    return list(json.loads(note)) if note else []


def keep_files(tx: Transaction, paths: Iterable[str]) -> None:
    tx.keep_note(_FILES, json.dumps(sorted(paths), ensure_ascii=False))


def forget_files(tx: Transaction, paths: Iterable[str]) -> None:
    """Files that are no longer there; what they gave stays."""
    for path in paths:
        write_rows(tx, path, [])
