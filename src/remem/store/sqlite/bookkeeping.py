"""Can the remarks that the store keeps about itself and its files be relied on?

What do the files beside the database have to say, and what have they said?
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

import apsw

from remem.model.entry import Entry, is_entry_id
from remem.ports.records import Dirty, Projected, Stated
from remem.store.sqlite import neighbours
from remem.store.sqlite.reader import Reader


class Projections(Reader):
    """A reader that knows where entries stand, and which files wait to be written."""

    def standing_in(self, home: str, part: int) -> list[Entry]:
        """The entries whose bullets stand in one file, in their order."""
        where = "e.home = ? AND e.part = ? AND e.standing = 1"
        return [located.entry for located in self._select(where, [home, part])]

    def place_of(self, id_: str) -> tuple[str, int] | None:
        found = self._one("SELECT home, part FROM memory_entries WHERE id = ?", id_)
        return (found[0], found[1]) if found else None

    def places(self) -> list[tuple[str, int, int, int]]:
        """Each file's stem and part with its number of entries and their tokens."""
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

    def stated_in(self, file: str) -> list[Stated]:
        return neighbours.stated_in(self._connection, file)

    def outbox(self) -> list[Dirty]:
        rows = self._connection.execute("SELECT file, max(seq) FROM outbox GROUP BY file")
        return [Dirty(file, seq) for file, seq in rows]

    def projected(self, file: str) -> Projected | None:
        found = self._one("SELECT digest, items FROM projected WHERE file = ?", file)
        try:
            return Projected(found[0], json.loads(found[1])) if found else None
        except ValueError:  # damaged: then nothing is known of it, which loses nobody's bytes
            return None

    def projected_files(self) -> list[str]:
        return [file for (file,) in self._connection.execute("SELECT file FROM projected")]


NOTES_ON_FILES: Final = ("writing ", "look of ", "earlier ")
"""How the notes begin that tell what was written to files; each can be made anew."""

_DIGEST: Final = re.compile(r"[0-9a-f]{64}|")
_ITEM: Final = re.compile(r"[0-9a-f]{32}")
_MARK: Final = re.compile(r"INDEX|.+:[1-9][0-9]*")


def remarks_found(connection: apsw.Connection) -> Iterator[str]:
    """What is wrong with them."""
    wrong = [file for file, digest, items in _projected(connection) if not _sound(digest, items)]
    if wrong:
        yield f"what was written to {len(wrong)} files is not known any more"
    odd = [
        key
        for key, value in connection.execute("SELECT key, value FROM meta")
        if not _plausible(str(key), str(value))
    ]
    if odd:
        yield f"{len(odd)} notes of the store on itself cannot be read"
    marks = [file for (file,) in connection.execute("SELECT file FROM outbox")]
    if any(not _MARK.fullmatch(str(mark)) for mark in marks):
        yield "the list of files to be written names one that cannot be"


def forget_remarks(connection: apsw.Connection) -> None:
    """Drop what cannot be relied on; all of it is found out again from files and entries."""
    for file, digest, items in list(_projected(connection)):
        if not _sound(digest, items):
            connection.execute("DELETE FROM projected WHERE file = ?", [file])
    for key, value in list(connection.execute("SELECT key, value FROM meta")):
        if str(key).startswith(NOTES_ON_FILES) or not _plausible(str(key), str(value)):
            connection.execute("DELETE FROM meta WHERE key = ?", [key])
    for (mark,) in list(connection.execute("SELECT file FROM outbox")):
        if not _MARK.fullmatch(str(mark)):
            connection.execute("DELETE FROM outbox WHERE file = ?", [mark])


def _projected(connection: apsw.Connection) -> Iterator[tuple[str, str, str]]:
    yield from connection.execute("SELECT file, digest, items FROM projected")


def _sound(digest: str, items: str) -> bool:
    try:
        found = json.loads(items)
    except ValueError:
        return False
    return bool(_DIGEST.fullmatch(digest)) and _are_items(found)


def _are_items(found: object) -> bool:
    return isinstance(found, dict) and all(
        is_entry_id(id_) and _ITEM.fullmatch(str(each)) for id_, each in found.items()
    )


def _plausible(key: str, value: str) -> bool:
    if not key.startswith(NOTES_ON_FILES):
        return key.isprintable() and value.isprintable()
    try:
        json.loads(value)
    except ValueError:
        return False
    return True
