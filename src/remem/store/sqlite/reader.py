"""Queries on entries."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import apsw

from remem.errors import StoreDamaged
from remem.model.decay import FADED_PREFIX
from remem.model.entry import Entry, Priority, Version
from remem.ports.records import Counts, EntryRow, Tombstone, UnseenEntries
from remem.store.sqlite import erasing, full_text
from remem.store.sqlite.checksums import CHECKED_COLUMNS, damage_error, intact_entry, is_intact
from remem.store.sqlite.rows import compact, entry_of
from remem.store.sqlite.shared_tables import SharedReader
from remem.store.sqlite.vector_bits import BitCache
from remem.text.words import fold

_BATCH: Final = 500
_SELECT_BY_ID: Final = (
    f"SELECT {CHECKED_COLUMNS} FROM memory_entries e WHERE e.id IN (SELECT value FROM json_each(?))"
)
# instr() first, so that only the few entries of the file are parsed.
_FROM_LINES: Final = """instr(e.origins, ?) AND EXISTS (
    SELECT 1 FROM json_each(e.origins) o
    WHERE o.value ->> 0 = ? AND o.value ->> 1 IN (SELECT value FROM json_each(?)))"""

_LAST_USED: Final = """SELECT row, last_used FROM memory_entries
    WHERE last_used IS NOT NULL AND row IN (SELECT value FROM json_each(?))"""
FADED_ROWS: Final = (
    "e.archived = 1 AND e.superseded_by IS NULL AND e.trust <> 'untrusted' "
    f"AND substr(e.change, 1, {len(FADED_PREFIX)}) = '{FADED_PREFIX}'"
)


class Reader(SharedReader):
    """Reads over one connection; a transaction is a reader that can also write."""

    def __init__(
        self,
        connection: apsw.Connection,
        bits: BitCache,
        on_damage: Callable[[StoreDamaged], None] | None = None,
    ) -> None:
        """A damaged record raises an error; with `on_damage` it is reported and skipped."""
        super().__init__(connection, bits)
        self._on_damage = on_damage

    def find(self, ids: Iterable[str]) -> list[Entry]:
        """The entries with these ids, in order; unknown ids are omitted, damaged entries raise an
        error."""
        wanted = list(dict.fromkeys(ids))
        rows = self._connection.execute(_SELECT_BY_ID, [json.dumps(wanted)])
        by_id = {entry.id: entry for entry in map(intact_entry, rows)}
        return [by_id[id_] for id_ in wanted if id_ in by_id]

    def entries_by_row(self, rows: Iterable[int]) -> dict[int, Entry]:
        return {
            entry_row.row: entry_row.entry for entry_row in self._with_keys("e.row", list(rows))
        }

    def history(self, id_: str) -> list[Version]:
        """All versions of an entry, oldest first."""
        current = self._one(
            f"SELECT e.row, e.change, {CHECKED_COLUMNS} FROM memory_entries e WHERE e.id = ?", id_
        )
        if current is None:
            return []
        row, change, *values = current
        last = intact_entry(values)
        earlier = list(
            self._connection.execute(
                "SELECT row, version, change, record, same, seal FROM memory_versions "
                "WHERE row = ? AND version < ? ORDER BY version",
                [row, last.version],
            )
        )
        if not all(map(is_intact, earlier)):
            raise damage_error(id_)
        entries = [(text, entry_of(record)) for _, _, text, record, _, _ in earlier]
        return [
            Version(entry.version, entry.updated_at, text, entry)
            for text, entry in [*entries, (change, last)]
        ]

    def revised_since(self, moment: str, limit: int) -> list[EntryRow]:
        rows = self._connection.execute(
            f"SELECT e.row, {CHECKED_COLUMNS} FROM memory_entries e WHERE e.version > 1 "
            "AND e.updated_at > ? ORDER BY e.updated_at DESC LIMIT ?",
            [moment, limit],
        )
        return self._intact(rows)

    def all_entries(self) -> Iterator[Entry]:
        """All entries, including archived ones, in the order of insertion."""
        last = 0
        while True:
            rows = list(
                self._connection.execute(
                    f"SELECT e.row, {CHECKED_COLUMNS} FROM memory_entries e "
                    "WHERE e.row > ? ORDER BY e.row LIMIT ?",
                    [last, _BATCH],
                )
            )
            if not rows:
                return
            yield from (intact_entry(values) for _, *values in rows)
            last = rows[-1][0]

    def rows(self) -> list[int]:
        return [
            row
            for (row,) in self._connection.execute("SELECT row FROM memory_entries ORDER BY row")
        ]

    def latest(self, *, limit: int, **which: str | None) -> list[Entry]:
        """Live entries, latest change first."""
        condition, values = _live(**which)
        rows = self._connection.execute(
            f"SELECT e.row, {CHECKED_COLUMNS} FROM memory_entries e WHERE {condition} "
            "ORDER BY e.updated_at DESC, e.row DESC LIMIT ?",
            [*values, limit],
        )
        return [entry_row.entry for entry_row in self._intact(rows)]

    def count_of(self, **which: str | None) -> int:
        """Number of live entries that match."""
        condition, values = _live(**which)
        total = self._one(f"SELECT count(*) FROM memory_entries e WHERE {condition}", *values)
        return int(total[0]) if total else 0

    def untrusted(self) -> list[Entry]:
        """Entries that wait for the owner's confirmation, oldest first."""
        waiting = self._select("e.trust = 'untrusted' AND e.standing = 1", [])
        return [entry_row.entry for entry_row in waiting]

    def with_origin_lines(self, places: Sequence[tuple[str, int]]) -> list[Entry]:
        """Entries, including archived ones, whose origin is one of these lines."""
        lines: dict[str, list[int]] = {}
        for source, line in places:
            lines.setdefault(source, []).append(line)
        entries: list[EntryRow] = []
        for source, numbers in lines.items():
            values = [compact(source), source, compact(numbers)]
            entries += self._select(_FROM_LINES, values)
        return [entry_row.entry for entry_row in entries]

    def past_expiry(self, now: str, limit: int) -> list[EntryRow]:
        """Current entries whose expiry has passed."""
        where = "e.expires_at <= ? AND e.expires_at IS NOT NULL AND e.standing = 1"
        return self._select(where, [now], limit)

    def expired_early(self, now: str) -> list[EntryRow]:
        """Entries archived as expired although their expiry is still in the future."""
        where = "e.archived = 1 AND e.expires_at > ? AND e.change = 'expired on ' || e.expires_at"
        return self._select(where, [now])

    def counts(self) -> Counts:
        by_category = self._tally("category")
        live = sum(by_category.values())
        (total,) = self._one("SELECT count(*) FROM memory_entries")
        standing, tokens = self._one(
            "SELECT count(*), coalesce(sum(token_estimate) FILTER (WHERE live = 1), 0) "
            "FROM memory_entries WHERE standing = 1"
        )
        return Counts(
            live=live,
            archived=total - standing,
            untrusted=standing - live,
            tokens=tokens,
            by_category=by_category,
            by_priority=self._tally("priority"),
        )

    def not_seen_since(self, moment: str) -> list[UnseenEntries]:
        """Live entries by domain file that have not been seen, used or changed since `moment`.

        An imported entry may be dated long before its import. It counts only if an entry that
        was inserted later was already seen before `moment`.
        """
        seen = "max(coalesce(last_used, ''), coalesce(last_shown, ''))"
        rows = self._connection.execute(
            f"SELECT home, count(*), sum(token_estimate), max(max(updated_at, {seen})) "
            f"FROM memory_entries WHERE live = 1 AND max(updated_at, {seen}) < ?1 "
            f"AND ({seen} > '' OR source = 'session' OR row <= (SELECT max(row) "
            f"FROM memory_entries WHERE {seen} > '' AND {seen} < ?1)) GROUP BY home",
            [moment],
        )
        return [UnseenEntries(*row) for row in rows]

    def last_used(self, rows: Iterable[int]) -> dict[int, str]:
        """When entries were last read by id or cited."""
        return dict(self._connection.execute(_LAST_USED, [json.dumps(list(rows))]))

    def idle(self, priority: Priority, moment: str) -> list[EntryRow]:
        """Live entries of a priority that have been neither used nor changed since `moment`."""
        last_active = "max(e.updated_at, coalesce(e.last_used, ''))"
        return self._select(
            f"e.live = 1 AND e.priority = ? AND {last_active} < ?", [priority, moment]
        )

    def faded(self, rows: Sequence[int] | None = None) -> list[EntryRow]:
        """Entries archived by decay, according to their last change."""
        if rows is None:
            return self._select(FADED_ROWS, [])
        in_rows = "e.row IN (SELECT value FROM json_each(?))"
        return self._select(f"{in_rows} AND {FADED_ROWS}", [json.dumps(list(rows))])

    def search_faded(self, terms: Sequence[str], limit: int) -> list[EntryRow]:
        if not terms:
            return []
        rows = full_text.search_aside(self._connection, terms, FADED_ROWS, limit)
        by_row = {entry_row.row: entry_row for entry_row in self._with_keys("e.row", rows)}
        return [by_row[row] for row in rows if row in by_row]

    def notices(self, limit: int) -> list[str]:
        rows = self._connection.execute(
            "SELECT at || ' ' || text FROM notices ORDER BY seq DESC LIMIT ?", [limit]
        )
        return [text for (text,) in rows]

    def tombstones(self) -> list[Tombstone]:
        return erasing.tombstones(self._connection)

    def erased_id(self, id_: str | None, wording_hash: int | None) -> str | None:
        """The id of an erased entry, found by its id or the hash of its text."""
        row = self._one(
            "SELECT id FROM erased WHERE id = ? "
            "UNION ALL SELECT id FROM erased WHERE same = ? LIMIT 1",
            id_,
            wording_hash,
        )
        return str(row[0]) if row else None

    def linking_to(self, id_: str) -> list[int]:
        """The rows of entries that link to an entry."""
        rows = self._connection.execute(
            "SELECT row FROM memory_entries WHERE instr(related_to, ?)", [compact(id_)]
        )
        return [row for (row,) in rows]

    def with_wording(self, wording_hash: int) -> list[int]:
        """Rows of all entries, including archived ones, whose text has or had this hash."""
        rows = self._connection.execute(
            "SELECT row FROM memory_entries WHERE same = ?1 "
            "UNION SELECT row FROM memory_versions WHERE same = ?1",
            [wording_hash],
        )
        return [row for (row,) in rows]

    def get_states(self, prefix: str) -> dict[str, str]:
        """State values by key, without the prefix."""
        rows = self._connection.execute(
            "SELECT substr(key, ?2), value FROM meta WHERE key >= ?1 AND key < ?1 || char(1114111)",
            [prefix, len(prefix) + 1],
        )
        return dict(rows)

    def _tally(self, column: str) -> dict[str, int]:
        """Live entries per value of a column, most frequent first."""
        return dict(
            self._connection.execute(
                f"SELECT {column}, count(*) FROM memory_entries WHERE live = 1 "
                f"GROUP BY {column} ORDER BY count(*) DESC, {column}"
            )
        )

    def _with_keys(self, column: str, keys: Sequence[object]) -> list[EntryRow]:
        if not keys:
            return []
        return self._select(f"{column} IN (SELECT value FROM json_each(?))", [json.dumps(keys)])

    def _select(self, where: str, values: list[Any], limit: int = -1) -> list[EntryRow]:
        rows = self._connection.execute(
            f"SELECT e.row, {CHECKED_COLUMNS} FROM memory_entries e "
            f"WHERE {where} ORDER BY e.row LIMIT ?",
            [*values, limit],
        )
        return self._intact(rows)

    def _intact(self, rows: Iterable[Sequence[Any]]) -> list[EntryRow]:
        """The entries whose checksum is right; damaged ones are reported or raise an error."""
        intact: list[EntryRow] = []
        for values in rows:
            try:
                intact.append(EntryRow(values[0], intact_entry(values[1:])))
            except StoreDamaged as error:
                if self._on_damage is None:
                    raise
                self._on_damage(error)
        return intact


def _live(
    *,
    category: str | None = None,
    priority: str | None = None,
    tag: str | None = None,
    without_tag: str | None = None,
    without_source: str | None = None,
) -> tuple[str, list[Any]]:
    """The SQL condition for live entries that match, and its values."""
    parts, values = ["e.live = 1"], list[Any]()
    for column, operator, value in (
        ("category", "=", category),
        ("priority", "=", priority),
        ("source", "<>", without_source),
    ):
        if value is not None:
            parts.append(f"e.{column} {operator} ?")
            values.append(value)
    for wanted, word in (("IN", tag), ("NOT IN", without_tag)):
        if word is not None:
            parts.append(f"e.row {wanted} (SELECT row FROM memory_tags WHERE tag = ?)")
            values.append(fold(word))
    return " AND ".join(parts), values
