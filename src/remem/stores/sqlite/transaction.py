"""How does the database change? Each method leaves entry, history, full text, queue and
outbox in step; the writer decides when it all becomes durable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from remem.core.entry import Entry, Version
from remem.core.homes import INDEX_MARK, PART_SIZE, domain_mark
from remem.core.likeness import Fingerprint, fingerprint
from remem.core.words import fold, search_text
from remem.ports import Embedding, Located, ModelIdentity
from remem.stores.sqlite import vectors
from remem.stores.sqlite.rows import (
    COLUMNS,
    compact,
    facets,
    lookup_values,
    record_of,
    values_of,
)
from remem.stores.sqlite.snapshot import Snapshot

_LOOKUPS = ("same", "opening", "size")
_INSERT = (
    f"INSERT INTO memory_entries({', '.join(COLUMNS)}, {', '.join(_LOOKUPS)}, "
    f"change, live, home, part) VALUES ({', '.join('?' * (len(COLUMNS) + 7))})"
)
_UPDATE = (
    f"UPDATE memory_entries SET {', '.join(f'{each} = ?' for each in COLUMNS)}, "
    "change = ?, live = ?, home = ?, part = ? WHERE row = ?"
)


class Transaction(Snapshot):
    """What an operation may do to the database of its scope."""

    def insert(self, entry: Entry, print_: Fingerprint, home: str, change: str) -> None:
        part = self._open_part(home)
        self._connection.execute(
            _INSERT,
            [*values_of(entry), *lookup_values(print_), change, int(entry.live), home, part],
        )
        row = self._connection.last_insert_rowid()
        self._add_words(row, entry, print_)
        self._connection.execute("INSERT INTO vector_queue(row) VALUES (?)", [row])
        self._mark(home, part, entry)

    def revise(self, old: Located, new: Entry, home: str, change: str) -> None:
        """A new version: the old wording goes into the history, everything follows."""
        self._connection.execute(
            "INSERT INTO memory_versions SELECT row, version, change, ? "
            "FROM memory_entries WHERE row = ?",
            [record_of(old.entry), old.row],
        )
        self._store(old, new, home, change)

    def keep_history(self, id_: str, versions: Sequence[Version]) -> None:
        """The earlier versions of an entry that came from elsewhere."""
        row = self._one("SELECT row FROM memory_entries WHERE id = ?", id_)[0]
        self._connection.executemany(
            "INSERT INTO memory_versions VALUES (?, ?, ?, ?)",
            [(row, each.version, each.change, record_of(each.entry)) for each in versions],
        )

    def touch(self, old: Located, new: Entry) -> None:
        """A change that is no new wording: strength, use, links, origins."""
        place = self.place_of(old.entry.id)
        assert place is not None
        change = self._one("SELECT change FROM memory_entries WHERE row = ?", old.row)[0]
        self._store(old, new, place[0], change)

    def shown(self, ids: Sequence[str], now: str, *, used: bool) -> None:
        """Being listed is only counted; being read by id is use."""
        column = "uses = uses + 1, last_used = ?1" if used else "shown = shown + 1, last_shown = ?1"
        self._connection.execute(
            f"UPDATE memory_entries SET {column} WHERE id IN (SELECT value FROM json_each(?2))",
            [now, compact(ids)],
        )

    def save_vectors(
        self, identity: ModelIdentity, embedded: Sequence[tuple[int, int, Embedding]]
    ) -> None:
        model = vectors.model_number(self._connection, identity)
        assert model is not None, "the queue is filled for a model before it is worked off"
        entries = self.locate(row for row, _, _ in embedded)
        known = [
            (row, version, facets(entries[row]), embedding)
            for row, version, embedding in embedded
            if row in entries
        ]
        vectors.save(self._connection, model, known)

    def want_vectors(self, identity: ModelIdentity) -> None:
        """Name the model that vectors are wanted of; another one starts a new round."""
        if self.note("model") == str(identity):
            return
        self._connection.execute(
            "INSERT OR IGNORE INTO models(name, dimension, quantisation) VALUES (?, ?, ?)",
            [identity.name, identity.dimension, identity.quantisation],
        )
        model = vectors.model_number(self._connection, identity)
        self._connection.execute(
            "INSERT OR IGNORE INTO vector_queue SELECT row FROM memory_entries "
            "WHERE row NOT IN (SELECT row FROM memory_vectors WHERE model = ?)",
            [model],
        )
        self.keep_note("model", str(identity))

    def mark(self, file: str) -> None:
        """Note that a file has to be written. A later note replaces an earlier one under a
        higher number, so that a write that was under way does not count for it."""
        self._connection.execute("INSERT OR REPLACE INTO outbox(file) VALUES (?)", [file])

    def written(self, file: str, upto: int, digest: str, items: Mapping[str, str]) -> None:
        self._connection.execute("DELETE FROM outbox WHERE file = ? AND seq <= ?", [file, upto])
        self._connection.execute(
            "INSERT OR REPLACE INTO projected VALUES (?, ?, ?)",
            [file, digest, compact(dict(items))],
        )

    def drop_projections(self) -> None:
        """Forget all that can be made anew from the entries; `restore` makes it."""
        for table in ("memory_fts", "memory_fts_aside", "memory_likeness", "memory_tags"):
            self._connection.execute(f"DELETE FROM {table}")
        for table in ("memory_bits", "memory_vectors", "vector_queue", "models"):
            self._connection.execute(f"DELETE FROM {table}")
        self._connection.execute("DELETE FROM meta WHERE key = 'model'")
        self._connection.execute("DELETE FROM outbox")

    def restore(self, rows: Sequence[int]) -> None:
        for row, entry in self.locate(rows).items():
            self._add_words(row, entry, fingerprint(entry.content))
            self._connection.execute("INSERT INTO vector_queue(row) VALUES (?)", [row])

    def announce(self, at: str, text: str) -> None:
        """Something the owner should hear of; status shows it."""
        self._connection.execute("INSERT INTO notices(at, text) VALUES (?, ?)", [at, text])

    def keep_note(self, key: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])

    def _store(self, old: Located, new: Entry, home: str, change: str) -> None:
        before = self.place_of(old.entry.id)
        assert before is not None
        part = before[1] if before[0] == home else self._open_part(home)
        self._connection.execute(
            _UPDATE, [*values_of(new), change, int(new.live), home, part, old.row]
        )
        self._remove_words(old)
        self._follow(old, new)
        for place in {before, (home, part)}:
            self._mark(*place, new)

    def _follow(self, old: Located, new: Entry) -> None:
        print_ = fingerprint(new.content)
        self._connection.execute(
            "UPDATE memory_entries SET same = ?, opening = ?, size = ? WHERE row = ?",
            [*lookup_values(print_), old.row],
        )
        self._add_words(old.row, new, print_)
        if new.content != old.entry.content:
            self._connection.execute("INSERT OR IGNORE INTO vector_queue VALUES (?)", [old.row])
        self._connection.execute(
            "INSERT OR REPLACE INTO memory_bits(row, model, facets, bits) "
            "SELECT row, model, ?, bits FROM memory_bits WHERE row = ?",
            [facets(new), old.row],
        )

    def _add_words(self, row: int, entry: Entry, print_: Fingerprint) -> None:
        table = "memory_fts" if entry.live else "memory_fts_aside"
        self._connection.execute(
            f"INSERT INTO {table}(rowid, content, context, tags) VALUES (?, ?, ?, ?)",
            [
                row,
                search_text(entry.content),
                search_text(entry.context or ""),
                search_text(" ".join(entry.tags)),
            ],
        )
        if print_.rare:
            self._connection.executemany(
                "INSERT OR IGNORE INTO memory_likeness VALUES (?, ?)",
                [(word, row) for word in print_.rare],
            )
        if entry.tags:
            self._connection.executemany(
                "INSERT OR IGNORE INTO memory_tags VALUES (?, ?)",
                [(fold(tag), row) for tag in entry.tags],
            )

    def _remove_words(self, old: Located) -> None:
        table = "memory_fts" if old.entry.live else "memory_fts_aside"
        self._connection.execute(f"DELETE FROM {table} WHERE rowid = ?", [old.row])
        rare = fingerprint(old.entry.content).rare
        self._connection.executemany(
            "DELETE FROM memory_likeness WHERE word = ? AND row = ?",
            [(word, old.row) for word in rare],
        )
        self._connection.executemany(
            "DELETE FROM memory_tags WHERE tag = ? AND row = ?",
            [(fold(tag), old.row) for tag in old.entry.tags],
        )

    def _open_part(self, home: str) -> int:
        """The last part of a file that still has room."""
        last, count = self._one(
            "SELECT part, count(*) FROM memory_entries WHERE home = ?1 AND part = "
            "(SELECT max(part) FROM memory_entries WHERE home = ?1)",
            home,
        )
        if last is None:
            return 1
        return int(last) if count < PART_SIZE else int(last) + 1

    def _mark(self, home: str, part: int, entry: Entry) -> None:
        self.mark(domain_mark(home, part))
        if entry.trust != "untrusted":
            self.mark(INDEX_MARK)
