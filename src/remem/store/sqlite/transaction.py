"""How does the database change? Each method leaves entry, history, search and outbox in
step; the writer decides when it all becomes durable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import apsw

from remem.model.domain_routing import INDEX_MARK, LONG_ENTRY, PART_SIZE, domain_mark
from remem.model.entry import Entry, Version
from remem.ports.models import Embedding, ModelIdentity, named_together
from remem.ports.records import Located, Tombstone
from remem.store.sqlite import bit_segments, derived_tables, erasing, vectors
from remem.store.sqlite import vectors as sqlite_vectors
from remem.store.sqlite.batched_insert import Arriving
from remem.store.sqlite.bookkeeping import forget_remarks
from remem.store.sqlite.checksums import seal, seal_again
from remem.store.sqlite.derived_tables import Added
from remem.store.sqlite.rows import (
    COLUMNS,
    compact,
    facets,
    facets_of,
    record_of,
    state_of,
    values_of,
)
from remem.text.similarity import Fingerprint, fingerprint, folded_number

_UPDATE: Final = (
    f"UPDATE memory_entries SET {', '.join(f'{column} = ?' for column in COLUMNS)}, "
    "standing = ?, live = ?, change = ?, home = ?, part = ?, seal = ? WHERE row = ?"
)

_USED: Final = """UPDATE memory_entries SET uses = uses + 1, last_used = ?1
    WHERE id IN (SELECT value FROM json_each(?2))"""
# A recall lists dozens: if each wrote dozens of pages, whoever reads would find none of what he
# has read before in his memory.
_SHOWN: Final = """UPDATE memory_entries SET shown = shown + 1, last_shown = ?1
    WHERE id IN (SELECT value FROM json_each(?2))
    AND (last_shown IS NULL OR substr(last_shown, 1, 10) <> substr(?1, 1, 10))"""


class Transaction(Arriving):
    """What operations may do to the database of their scope; several share one, in turn."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._marked: set[str] = set()
        self._noted: dict[str, str] = {}
        self._room: dict[str, tuple[int, int]] = {}

    def insert(self, entry: Entry, print_: Fingerprint, home: str, change: str) -> None:
        part = self._open_part(home, entry)
        self._arrive(entry, print_, home, part, change)
        self._mark(home, part, entry)

    def revise(self, old: Located, new: Entry, home: str, change: str) -> None:
        """A new version: the old wording goes into the history, everything follows."""
        version, said, same = self._one(
            "SELECT version, change, same FROM memory_entries WHERE row = ?", old.row
        )
        self._keep([(old.row, version, said, record_of(old.entry), same)])
        self._store(old, new, home, change)

    def keep_history(self, id_: str, versions: Sequence[Version]) -> None:
        """The earlier versions of an entry that came from elsewhere."""
        if not versions:
            return
        row, wordings = (
            self._row_of(id_),
            [folded_number(version.entry.content) for version in versions],
        )
        self._keep(
            (row, each.version, each.change, record_of(each.entry), same)
            for each, same in zip(versions, wordings, strict=True)
        )
        if self._foresight is not None:
            self._foresight.hear(wordings)

    def touch(self, old: Located, new: Entry) -> None:
        """A change that is no new wording: strength, use, links, origins."""
        home, change = self._one("SELECT home, change FROM memory_entries WHERE row = ?", old.row)
        self._store(old, new, home, change)

    def rehome(self, old: Located, home: str) -> None:
        """Another file for an entry that is otherwise as it was."""
        place = self.place_of(old.entry.id)
        if place is not None and place[0] != home:
            change = self._one("SELECT change FROM memory_entries WHERE row = ?", old.row)[0]
            self._store(old, old.entry, home, change)

    def shown(self, ids: Sequence[str], now: str, *, used: bool) -> None:
        """Being listed is only counted, once a day; being read by id is use."""
        self._connection.execute(_USED if used else _SHOWN, [now, compact(ids)])
        if used:
            seal_again(self._connection, ids)

    def want_vectors(self, *models: ModelIdentity) -> None:
        """Name the models that vectors are wanted of; others start a new round."""
        if self.note("model") != (wanted := named_together(models)):
            vectors.want_all(self._connection, models, "memory_entries")
            self.keep_note("model", wanted)

    def save_vectors(
        self,
        identity: ModelIdentity,
        embedded: Sequence[tuple[int, int, Embedding]],
        *,
        more: bool = False,
    ) -> None:
        """A text that has changed since it was embedded keeps its place in the queue."""
        model = vectors.number_for(self._connection, identity)
        entries = self.locate(row for row, _, _ in embedded)
        for row, version, embedding in embedded:
            vectors.require_dimension(embedding.pooled, identity)
            if row in entries and entries[row].version == version:
                vectors.save(self._connection, model, row, facets(entries[row]), embedding)
                if not more:
                    self._connection.execute("DELETE FROM vector_queue WHERE row = ?", [row])
        bit_segments.pack(self._connection, model)

    def save_quick_vectors(
        self, identity: ModelIdentity, embedded: Sequence[tuple[int, int, Embedding]]
    ) -> None:
        """Only where there is no vector yet, of a text that is as it was."""
        model = vectors.number_for(self._connection, identity)
        wanted = {row: (version, embedding) for row, version, embedding in embedded}
        found = self._connection.execute(
            "SELECT row, version, category, priority, trust, archived OR superseded_by IS NOT NULL "
            "FROM memory_entries WHERE row IN (SELECT value FROM json_each(?))",
            [compact(sorted(sqlite_vectors.without_quick(self._connection, model, wanted)))],
        )
        made = [
            (row, facets_of(*said), wanted[row][1])
            for row, version, *said in found
            if wanted[row][0] == version
        ]
        sqlite_vectors.save_quick(self._connection, model, identity, made)
        bit_segments.pack(self._connection, model)

    def drop_vectors(self, identity: ModelIdentity, rows: Sequence[int]) -> None:
        vectors.drop_of(self._connection, identity, rows)

    def served(self, rows: Sequence[tuple[int, int]]) -> None:
        self._connection.executemany(
            "DELETE FROM vector_queue WHERE row = ?1 AND EXISTS "
            "(SELECT 1 FROM memory_entries e WHERE e.row = ?1 AND e.version = ?2)",
            rows,
        )

    def mark(self, file: str) -> None:
        """Note that a file has to be written. A later note replaces an earlier one under a
        higher number, so that a write that was under way does not count for it."""
        if file not in self._marked:
            self._opened.execute("INSERT OR REPLACE INTO outbox(file) VALUES (?)", [file])
            self._marked.add(file)

    def written(self, file: str, upto: int, digest: str, items: Mapping[str, str]) -> None:
        self._marked.discard(file)
        self._connection.execute("DELETE FROM outbox WHERE file = ? AND seq <= ?", [file, upto])
        self._connection.execute(
            "INSERT OR REPLACE INTO projected VALUES (?, ?, ?)",
            [file, digest, compact(dict(items))],
        )

    def drop_projections(self) -> None:
        """Forget all that can be made anew from the entries; `restore` makes it. Files that
        wait to be written go on waiting."""
        self._reworded()
        derived_tables.drop(self._connection)
        forget_remarks(self._connection)
        self._connection.execute("DELETE FROM meta WHERE key = 'model'")
        self._noted.clear()

    def restore(self, rows: Sequence[int]) -> None:
        added = []
        for row, entry in self.locate(rows).items():
            place = self._one("SELECT home, part, change FROM memory_entries WHERE row = ?", row)
            added.append(Added(row, entry, fingerprint(entry.content), *place))
        self._reworded()
        derived_tables.add(self._connection, added)

    def erase(self, old: Located, at: str) -> None:
        """Nothing of the entry stays but its tombstone; its files are due."""
        home, part = self._one("SELECT home, part FROM memory_entries WHERE row = ?", old.row)
        self._reworded()
        erasing.erase(self._connection, old, at)
        erasing.tidy_words(self._connection)
        self._noted.clear()
        self.mark(domain_mark(home, part))
        self.mark(INDEX_MARK)

    def bury(self, tombstones: Iterable[Tombstone]) -> None:
        self._reworded()
        erasing.bury(self._connection, tombstones)

    def announce(self, at: str, text: str) -> None:
        """Something the owner should hear of, once; status shows it."""
        self._connection.execute(
            "INSERT INTO notices(at, text) SELECT ?1, ?2 WHERE NOT EXISTS "
            "(SELECT 1 FROM notices WHERE text = ?2)",
            [at, text],
        )

    def keep_note(self, key: str, value: str) -> None:
        if self._noted.get(key) != value:
            self._opened.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])
            self._noted[key] = value

    def _store(self, old: Located, new: Entry, home: str, change: str) -> None:
        old_home, old_part = self._one(
            "SELECT home, part FROM memory_entries WHERE row = ?", old.row
        )
        if new.content != old.entry.content:
            self._reworded()
        part = old_part if old_home == home else self._open_part(home, new)
        values, place = values_of(new), [change, home, part]
        self._connection.execute(
            _UPDATE, [*values, *state_of(new), *place, seal([*values, *place]), old.row]
        )
        derived_tables.change(self._connection, old, old_home, new, home)
        self._mark(old_home, old_part, old.entry)
        self._mark(home, part, new)

    def _keep(self, versions: Iterable[tuple[object, ...]]) -> None:
        self._opened.executemany(
            "INSERT INTO memory_versions VALUES (?, ?, ?, ?, ?, ?)",
            [(*version, seal(version)) for version in versions],
        )

    def _open_part(self, home: str, entry: Entry) -> int:
        """The last part of a file that still has room; the entry will stand in it. A long
        one takes the room of several, so that no file grows too large to be read."""
        part, taken = self._room.get(home) or self._last_part(home)
        if taken >= PART_SIZE:
            part, taken = part + 1, 0
        self._room[home] = part, taken + 1 + len(entry.content) // LONG_ENTRY
        return part

    def _last_part(self, home: str) -> tuple[int, int]:
        part, taken = self._one(
            f"SELECT part, sum(1 + length(content) / {LONG_ENTRY}) FROM memory_entries "
            "WHERE home = ?1 AND standing = 1 AND part = "
            "(SELECT max(part) FROM memory_entries WHERE home = ?1 AND standing = 1)",
            home,
        )
        return (part, taken) if taken else (1, 0)

    def _mark(self, home: str, part: int, entry: Entry) -> None:
        self.mark(domain_mark(home, part))
        if entry.trust != "untrusted":
            self.mark(INDEX_MARK)
