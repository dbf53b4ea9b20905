"""The state of the Markdown projections, and checks of the store's key-value state."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

import apsw

from remem.model.entry import Entry, is_entry_id
from remem.ports.records import OutboxItem, StatedEntry, WrittenFile
from remem.store.sqlite import neighbours
from remem.store.sqlite.reader import Reader


class ProjectionReader(Reader):
    """A reader that knows which file each entry is in, and which files have to be written."""

    def entries_in_file(self, home: str, part: int) -> list[Entry]:
        """The entries of one domain file, in order."""
        where = "e.home = ? AND e.part = ? AND e.standing = 1"
        return [located.entry for located in self._select(where, [home, part])]

    def place_of(self, id_: str) -> tuple[str, int] | None:
        row = self._one("SELECT home, part FROM memory_entries WHERE id = ?", id_)
        return (row[0], row[1]) if row else None

    def places(self) -> list[tuple[str, int, int, int]]:
        """Each file's stem and part with its number of entries and of tokens."""
        return list(
            self._connection.execute(
                "SELECT home, part, count(*), sum(token_estimate) FROM memory_entries "
                "WHERE standing = 1 GROUP BY home, part"
            )
        )

    def common_tags(self, home: str, limit: int) -> list[str]:
        rows = self._connection.execute(
            "SELECT tag FROM memory_tags WHERE live_home = ? "
            "GROUP BY tag ORDER BY count(*) DESC, tag LIMIT ?",
            [home, limit],
        )
        return [tag for (tag,) in rows]

    def stated_in(self, file: str) -> list[StatedEntry]:
        return neighbours.stated_in(self._connection, file)

    def outbox(self) -> list[OutboxItem]:
        rows = self._connection.execute("SELECT file, max(seq) FROM outbox GROUP BY file")
        return [OutboxItem(file, seq) for file, seq in rows]

    def projected(self, file: str) -> WrittenFile | None:
        row = self._one("SELECT digest, items FROM projected WHERE file = ?", file)
        try:
            return WrittenFile(row[0], json.loads(row[1])) if row else None
        except ValueError:  # damaged: treated as unknown, which is safe
            return None

    def projected_files(self) -> list[str]:
        return [file for (file,) in self._connection.execute("SELECT file FROM projected")]


FILE_STATE_KEYS: Final = ("writing ", "look of ", "earlier ")
"""Prefixes of the state about written files, all of which can be rebuilt."""

_DIGEST: Final = re.compile(r"[0-9a-f]{64}|")
_ITEM: Final = re.compile(r"[0-9a-f]{32}")
_MARK: Final = re.compile(r"INDEX|.+:[1-9][0-9]*")


def bookkeeping_problems(connection: apsw.Connection) -> Iterator[str]:
    """Problems of the state."""
    wrong = [file for file, digest, items in _projected(connection) if not _is_valid(digest, items)]
    if wrong:
        yield f"the state of {len(wrong)} written files is unreadable"
    unreadable = [
        key
        for key, value in connection.execute("SELECT key, value FROM meta")
        if not _is_plausible(str(key), str(value))
    ]
    if unreadable:
        yield f"{len(unreadable)} values of the store's state are unreadable"
    marks = [file for (file,) in connection.execute("SELECT file FROM outbox")]
    if any(not _MARK.fullmatch(str(mark)) for mark in marks):
        yield "the outbox contains an invalid file name"


def drop_unreadable(connection: apsw.Connection) -> None:
    """Delete unreadable state; all of it is determined again from files and entries."""
    for file, digest, items in list(_projected(connection)):
        if not _is_valid(digest, items):
            connection.execute("DELETE FROM projected WHERE file = ?", [file])
    for key, value in list(connection.execute("SELECT key, value FROM meta")):
        if str(key).startswith(FILE_STATE_KEYS) or not _is_plausible(str(key), str(value)):
            connection.execute("DELETE FROM meta WHERE key = ?", [key])
    for (mark,) in list(connection.execute("SELECT file FROM outbox")):
        if not _MARK.fullmatch(str(mark)):
            connection.execute("DELETE FROM outbox WHERE file = ?", [mark])


def _projected(connection: apsw.Connection) -> Iterator[tuple[str, str, str]]:
    yield from connection.execute("SELECT file, digest, items FROM projected")


def _is_valid(digest: str, items: str) -> bool:
    try:
        parsed = json.loads(items)
    except ValueError:
        return False
    return bool(_DIGEST.fullmatch(digest)) and _are_items(parsed)


def _are_items(parsed: object) -> bool:
    return isinstance(parsed, dict) and all(
        is_entry_id(id_) and _ITEM.fullmatch(str(digest)) for id_, digest in parsed.items()
    )


def _is_plausible(key: str, value: str) -> bool:
    if not key.startswith(FILE_STATE_KEYS):
        return key.isprintable() and value.isprintable()
    try:
        json.loads(value)
    except ValueError:
        return False
    return True
