"""What does the database say? Every question that is asked of entries by their own words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import apsw

from remem.core.entry import Category, Entry, Priority, Version
from remem.core.words import fold
from remem.ports import Counts, Located
from remem.stores.sqlite.rows import SELECT, entry_from, entry_of

_BATCH: Final = 500


class Reader:
    """Reads over one connection; a transaction is a reader that may also write."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def find(self, ids: Iterable[str]) -> list[Entry]:
        """The entries with these ids, in the order asked for; unknown ones are left out."""
        wanted = list(dict.fromkeys(ids))
        found = {each.entry.id: each.entry for each in self._located("e.id", wanted)}
        return [found[id_] for id_ in wanted if id_ in found]

    def locate(self, rows: Iterable[int]) -> dict[int, Entry]:
        return {each.row: each.entry for each in self._located("e.row", list(rows))}

    def history(self, id_: str) -> list[Version]:
        """Every wording an entry has had, the first one first."""
        current = self._one(
            f"SELECT e.row, e.change, {SELECT} FROM memory_entries e WHERE e.id = ?", id_
        )
        if current is None:
            return []
        row, change, *values = current
        last = entry_from(values)
        earlier = self._connection.execute(
            "SELECT change, record FROM memory_versions WHERE row = ? AND version < ? "
            "ORDER BY version",
            [row, last.version],
        )
        entries = [(text, entry_of(record)) for text, record in earlier]
        return [Version(e.version, e.updated_at, text, e) for text, e in [*entries, (change, last)]]

    def everything(self) -> Iterator[Entry]:
        """All entries in the order they came, archived ones too, a batch at a time."""
        last = 0
        while True:
            rows = list(
                self._connection.execute(
                    f"SELECT e.row, {SELECT} FROM memory_entries e "
                    "WHERE e.row > ? ORDER BY e.row LIMIT ?",
                    [last, _BATCH],
                )
            )
            if not rows:
                return
            yield from (entry_from(values) for _, *values in rows)
            last = rows[-1][0]

    def rows(self) -> list[int]:
        return [
            row
            for (row,) in self._connection.execute("SELECT row FROM memory_entries ORDER BY row")
        ]

    def top(
        self,
        *,
        category: Category | None = None,
        priority: Priority | None = None,
        tag: str | None = None,
        limit: int,
    ) -> tuple[list[Entry], int]:
        """Live entries, the latest changed first, and how many there are."""
        parts, values = ["e.live = 1"], list[Any]()
        for column, value in (("category", category), ("priority", priority)):
            if value is not None:
                parts.append(f"e.{column} = ?")
                values.append(value)
        if tag is not None:
            parts.append("e.row IN (SELECT row FROM memory_tags WHERE tag = ?)")
            values.append(fold(tag))
        condition = " AND ".join(parts)
        rows = self._connection.execute(
            f"SELECT {SELECT} FROM memory_entries e WHERE {condition} "
            "ORDER BY e.updated_at DESC, e.row DESC LIMIT ?",
            [*values, limit],
        )
        entries = [entry_from(each) for each in rows]
        if len(entries) < limit:
            return entries, len(entries)
        total = self._one(f"SELECT count(*) FROM memory_entries e WHERE {condition}", *values)
        return entries, int(total[0]) if total else 0

    def untrusted(self) -> list[Entry]:
        """What waits for the owner's confirmation, the oldest first."""
        waiting = self._select("e.trust = 'untrusted' AND e.standing = 1", [])
        return [each.entry for each in waiting]

    def due(self, now: str, limit: int) -> list[Located]:
        """Entries whose expiry has passed and that still stand."""
        where = "e.expires_at <= ? AND e.expires_at IS NOT NULL AND e.standing = 1"
        return self._select(where, [now], limit)

    def counts(self) -> Counts:
        by_category = self._tally("category")
        live = sum(by_category.values())
        (everything,) = self._one("SELECT count(*) FROM memory_entries")
        standing, tokens = self._one(
            "SELECT count(*), coalesce(sum(token_estimate) FILTER (WHERE live = 1), 0) "
            "FROM memory_entries WHERE standing = 1"
        )
        return Counts(
            live=live,
            archived=everything - standing,
            untrusted=standing - live,
            tokens=tokens,
            by_category=by_category,
            by_priority=self._tally("priority"),
        )

    def notices(self, limit: int) -> list[str]:
        rows = self._connection.execute(
            "SELECT at || ' ' || text FROM notices ORDER BY seq DESC LIMIT ?", [limit]
        )
        return [text for (text,) in rows]

    def note(self, key: str) -> str | None:
        """A remark the store keeps about itself, such as the time of the last store."""
        found = self._one("SELECT value FROM meta WHERE key = ?", key)
        return found[0] if found else None

    def _tally(self, column: str) -> dict[str, int]:
        """How many live entries there are of each kind, the most frequent first."""
        return dict(
            self._connection.execute(
                f"SELECT {column}, count(*) FROM memory_entries WHERE live = 1 "
                f"GROUP BY {column} ORDER BY count(*) DESC, {column}"
            )
        )

    def _located(self, column: str, keys: Sequence[object]) -> list[Located]:
        if not keys:
            return []
        return self._select(f"{column} IN (SELECT value FROM json_each(?))", [json.dumps(keys)])

    def _select(self, where: str, values: list[Any], limit: int = -1) -> list[Located]:
        rows = self._connection.execute(
            f"SELECT e.row, {SELECT} FROM memory_entries e WHERE {where} ORDER BY e.row LIMIT ?",
            [*values, limit],
        )
        return [Located(row, entry_from(each)) for row, *each in rows]

    def _one(self, statement: str, *values: object) -> Any:
        return next(iter(self._connection.execute(statement, list(values))), None)
