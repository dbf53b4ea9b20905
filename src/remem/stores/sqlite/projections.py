"""What do the files beside the database have to say, and what have they said?"""

from __future__ import annotations

import json

from remem.core.entry import Entry
from remem.ports import Dirty, Projected, Stated
from remem.stores.sqlite import places
from remem.stores.sqlite.reader import Reader


class Projections(Reader):
    """A reader that knows where entries stand, and which files wait to be written."""

    def standing_in(self, home: str, part: int) -> list[Entry]:
        """The entries whose bullets stand in one file, in their order."""
        where = "e.home = ? AND e.part = ? AND e.standing = 1"
        return [each.entry for each in self._select(where, [home, part])]

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
        return places.stated_in(self._connection, file)

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
