"""What does the database say? Every question that is asked of entries by their own words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import apsw

from remem.core.entry import Category, Entry, Priority, Trust, Version
from remem.core.likeness import Fingerprint
from remem.ports import Counts, Dirty, Located, Projected
from remem.stores.sqlite.rows import SELECT, compact, entry_from, entry_of

_LIKE_CANDIDATES: Final = 64
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
        earlier = self._connection.execute(
            "SELECT version, change, record FROM memory_versions WHERE row = ? ORDER BY version",
            [row],
        )
        entries = [(text, entry_of(record)) for _, text, record in earlier]
        entries.append((change, entry_from(values)))
        return [Version(e.version, e.updated_at, text, e) for text, e in entries]

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
        return [row for (row,) in self._connection.execute("SELECT row FROM memory_entries")]

    def same_as(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]:
        return self._candidates("e.same = ?", [print_.same], kind, trust)

    def extended_by(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]:
        """Entries that open with a sentence of the new text."""
        return self._candidates(
            "e.opening IN (SELECT value FROM json_each(?))",
            [compact(print_.sentences)],
            kind,
            trust,
        )

    def similar_to(self, kind: Category, trust: Trust, print_: Fingerprint) -> list[Located]:
        """Entries that could share four fifths of their words with the new text."""
        return self._candidates(
            "e.row IN (SELECT row FROM memory_likeness "
            "WHERE word IN (SELECT value FROM json_each(?)) ORDER BY row DESC LIMIT ?) "
            "AND e.size BETWEEN ? AND ?",
            [compact(print_.rare), _LIKE_CANDIDATES, 0.8 * print_.size, print_.size / 0.8],
            kind,
            trust,
        )

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
            values.append(tag)
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
        return [
            each.entry
            for each in self._select(
                "e.trust = 'untrusted' AND e.archived = 0 AND e.superseded_by IS NULL", []
            )
        ]

    def standing_in(self, home: str, part: int) -> list[Entry]:
        """The entries whose bullets stand in one file, in their order."""
        where = "e.home = ? AND e.part = ? AND e.archived = 0 AND e.superseded_by IS NULL"
        return [each.entry for each in self._select(where, [home, part])]

    def place_of(self, id_: str) -> tuple[str, int] | None:
        found = self._one("SELECT home, part FROM memory_entries WHERE id = ?", id_)
        return (found[0], found[1]) if found else None

    def places(self) -> list[tuple[str, int, int, int]]:
        """Each file's stem and part with its number of entries and their tokens."""
        return list(
            self._connection.execute(
                "SELECT home, part, count(*), sum(token_estimate) FROM memory_entries "
                "WHERE archived = 0 AND superseded_by IS NULL GROUP BY home, part"
            )
        )

    def common_tags(self, home: str, limit: int) -> list[str]:
        rows = self._connection.execute(
            "SELECT t.tag FROM memory_tags t JOIN memory_entries e ON e.row = t.row "
            "WHERE e.home = ? AND e.live = 1 GROUP BY t.tag ORDER BY count(*) DESC, t.tag LIMIT ?",
            [home, limit],
        )
        return [tag for (tag,) in rows]

    def due(self, now: str, limit: int) -> list[Located]:
        """Entries whose expiry has passed and that still stand."""
        where = "e.expires_at <= ? AND e.expires_at IS NOT NULL AND e.archived = 0"
        return self._select(where, [now], limit)

    def by_ids(self, ids: Sequence[str]) -> dict[str, Located]:
        return {each.entry.id: each for each in self._located("e.id", ids)}

    def counts(self) -> Counts:
        live = {
            column: dict(
                self._connection.execute(
                    f"SELECT {column}, count(*) FROM memory_entries WHERE live = 1 "
                    f"GROUP BY {column} ORDER BY count(*) DESC, {column}"
                )
            )
            for column in ("category", "priority")
        }
        tokens, archived, untrusted = self._one(
            "SELECT coalesce(sum(token_estimate) FILTER (WHERE live = 1), 0), "
            "count(*) FILTER (WHERE archived = 1 OR superseded_by IS NOT NULL), "
            "count(*) FILTER (WHERE trust = 'untrusted' AND archived = 0) FROM memory_entries"
        )
        return Counts(
            live=sum(live["category"].values()),
            archived=archived,
            untrusted=untrusted,
            tokens=tokens,
            by_category=live["category"],
            by_priority=live["priority"],
        )

    def outbox(self) -> list[Dirty]:
        rows = self._connection.execute("SELECT file, max(seq) FROM outbox GROUP BY file")
        return [Dirty(file, seq) for file, seq in rows]

    def projected(self, file: str) -> Projected | None:
        found = self._one("SELECT digest, items FROM projected WHERE file = ?", file)
        return Projected(found[0], json.loads(found[1])) if found else None

    def projected_files(self) -> list[str]:
        return [file for (file,) in self._connection.execute("SELECT file FROM projected")]

    def notices(self, limit: int) -> list[str]:
        rows = self._connection.execute(
            "SELECT at || ' ' || text FROM notices ORDER BY seq DESC LIMIT ?", [limit]
        )
        return [text for (text,) in rows]

    def note(self, key: str) -> str | None:
        """A remark the store keeps about itself, such as the time of the last store."""
        found = self._one("SELECT value FROM meta WHERE key = ?", key)
        return found[0] if found else None

    def _candidates(
        self, condition: str, values: list[Any], kind: Category, trust: Trust
    ) -> list[Located]:
        return self._select(
            f"{condition} AND e.category = ? AND e.trust = ? "
            "AND e.archived = 0 AND e.superseded_by IS NULL",
            [*values, kind, trust],
        )

    def _located(self, column: str, keys: Sequence[object]) -> list[Located]:
        return self._select(f"{column} IN (SELECT value FROM json_each(?))", [compact(keys)])

    def _select(self, where: str, values: list[Any], limit: int = -1) -> list[Located]:
        rows = self._connection.execute(
            f"SELECT e.row, {SELECT} FROM memory_entries e WHERE {where} ORDER BY e.row LIMIT ?",
            [*values, limit],
        )
        return [Located(row, entry_from(each)) for row, *each in rows]

    def _one(self, statement: str, *values: object) -> Any:
        return next(iter(self._connection.execute(statement, list(values))), None)
