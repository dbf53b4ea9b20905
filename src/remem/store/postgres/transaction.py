"""Changes to the entries of one scope.

Each method keeps entries, history and derived tables consistent; the store commits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from remem.model.entry import Entry, Version
from remem.ports.records import Home, Tombstone
from remem.ports.state import Namespace, R
from remem.store.postgres import full_text
from remem.store.postgres.snapshot import PostgresSnapshot
from remem.store.postgres.vector_changes import ENQUEUE, PostgresVectorWriter
from remem.store.rows import (
    COLUMNS,
    column_values,
    compact,
    duplicate_id_error,
    facets_of,
    json_of,
    lookup_hashes,
    places_of,
    state_flags,
    without_id,
)
from remem.text.similarity import Fingerprint, fingerprint_of, folded_hash
from remem.text.words import fold

_ENTRY_COLUMNS: Final = (*COLUMNS, "change", "home", "part", "archive_reason")
_LOOKUP_COLUMNS: Final = ("same", "longest", "standing", "live")
_ALL_COLUMNS: Final = (*_ENTRY_COLUMNS, *_LOOKUP_COLUMNS)
_INSERT: Final = (
    f"INSERT INTO remem.entries (scope_id, number, {', '.join(_ALL_COLUMNS)}) "
    f"VALUES (%(scope)s, %(number)s, {', '.join(f'%({name})s' for name in _ALL_COLUMNS)})"
)
_UPDATE: Final = (
    f"UPDATE remem.entries SET {', '.join(f'{name} = %({name})s' for name in _ALL_COLUMNS)} "
    "WHERE scope_id = %(scope)s AND number = %(number)s"
)
_ADD_VERSION: Final = (
    "INSERT INTO remem.versions (scope_id, number, version, change, record, same) "
    "VALUES (%(scope)s, %(number)s, %(version)s, %(change)s, %(record)s, %(same)s)"
)
_ADD_SIMILARITY: Final = (
    "INSERT INTO remem.similarity (scope_id, part, number, size, sketch) "
    "SELECT %(scope)s, p.part, %(number)s, %(size)s, %(sketch)s "
    "FROM unnest(%(parts)s::bigint[]) AS p(part) ON CONFLICT DO NOTHING"
)
_REMOVE_SIMILARITY: Final = (
    "DELETE FROM remem.similarity WHERE scope_id = %(scope)s "
    "AND part = ANY(%(parts)s::bigint[]) AND number = %(number)s"
)
_ADD_TAGS: Final = (
    "INSERT INTO remem.tags (scope_id, tag, number) "
    "SELECT %(scope)s, t.tag, %(number)s FROM unnest(%(tags)s::text[]) AS t(tag) "
    "ON CONFLICT DO NOTHING"
)
_ADD_PLACES: Final = (
    "INSERT INTO remem.places (scope_id, source, position, number, assistant, live) "
    "SELECT %(scope)s, p.source, p.position, %(number)s, p.assistant, %(live)s FROM unnest("
    "%(sources)s::bigint[], %(positions)s::bigint[], %(assistants)s::boolean[]) "
    "AS p(source, position, assistant) ON CONFLICT DO NOTHING"
)
_TABLES_BY_NUMBER: Final = "versions tags places vector_bits vectors vector_queue entries".split()
"""The tables in which the rows of an entry are found by its number. The others, `similarity` and
`postings`, need the parts of its fingerprint and its stems as well."""
_DERIVED_TABLES: Final = (
    "postings similarity tags places vector_bits vectors vector_queue models".split()
)
_BATCH_SIZE: Final = 500
_COUNT_USE: Final = (
    "UPDATE remem.entries SET uses = uses + 1, last_used = %(now)s "
    "WHERE scope_id = %(scope)s AND id = ANY(%(ids)s::text[])"
)
_COUNT_LISTING: Final = (
    "UPDATE remem.entries SET shown = shown + 1, last_shown = %(now)s "
    "WHERE scope_id = %(scope)s AND id = ANY(%(ids)s::text[]) "
    "AND (last_shown IS NULL OR left(last_shown, 10) <> left(%(now)s, 10))"
)


class PostgresTransaction(PostgresSnapshot, PostgresVectorWriter):
    """A transaction on one scope."""

    _may_cache = False

    def insert(
        self,
        entry: Entry,
        change: str,
        home: Home,
        *,
        fingerprint: Fingerprint | None = None,
        history: Sequence[Version] = (),
    ) -> None:
        fingerprint = fingerprint or fingerprint_of(entry.content)
        number = self._session.next_number()
        existing = self._session.one(
            "SELECT 1 FROM remem.entries WHERE scope_id = %(scope)s AND id = %(id)s", id=entry.id
        )
        if existing is not None:
            raise duplicate_id_error(entry.id)
        with self._session.batch():
            self._session.change(
                _INSERT, number=number, **_values(entry, change, home, fingerprint)
            )
            for version in history:
                self._add_version(number, version.change, version.entry)
            self._add_derived(number, entry, fingerprint)

    def update(self, entry: Entry, home: Home, change: str | None = None) -> None:
        number, old = self._numbered_entries([entry.id])[entry.id]
        [[old_change]] = self._session.rows(
            "SELECT change FROM remem.entries WHERE scope_id = %(scope)s AND number = %(number)s",
            number=number,
        )
        fingerprint = fingerprint_of(entry.content)
        with self._session.batch():
            if change is not None:
                self._add_version(number, old_change, old)
            self._session.change(
                _UPDATE,
                number=number,
                **_values(entry, old_change if change is None else change, home, fingerprint),
            )
            self._update_derived(number, old, entry, fingerprint)

    def record_use(self, ids: Sequence[str], now: str, *, was_used: bool) -> None:
        self._session.change(_COUNT_USE if was_used else _COUNT_LISTING, ids=list(ids), now=now)

    def erase(self, id_: str, at: str) -> None:
        for number, entry in self._numbered_entries([id_]).values():
            earlier = self._session.rows(
                "SELECT same FROM remem.versions WHERE scope_id = %(scope)s "
                "AND number = %(number)s",
                number=number,
            )
            hashes = {text_hash for (text_hash,) in earlier} | {folded_hash(entry.content)}
            self.add_tombstones(Tombstone(id_, text_hash, at) for text_hash in sorted(hashes))
            full_text.remove(self._session, number, entry)
            self._remove_similarity(number, entry)
            for table in _TABLES_BY_NUMBER:
                self._delete_by_number(table, number)
            self._remove_from_records(id_)

    def add_tombstones(self, tombstones: Iterable[Tombstone]) -> None:
        self._session.change_many(
            "INSERT INTO remem.erased (scope_id, id, same, at) "
            "VALUES (%(scope)s, %(id)s, %(same)s, %(at)s) ON CONFLICT DO NOTHING",
            [
                {"id": tombstone.id, "same": tombstone.wording_hash, "at": tombstone.at}
                for tombstone in tombstones
            ],
        )

    def rebuild_search(self) -> None:
        for table in _DERIVED_TABLES:
            self._session.change(f"DELETE FROM remem.{table} WHERE scope_id = %(scope)s")
        self._session.change(
            "UPDATE remem.scopes SET models = NULL, live_entries = 0, live_words = 0, "
            "other_entries = 0, other_words = 0 WHERE scope_id = %(scope)s"
        )
        ids = self.ids()
        for start in range(0, len(ids), _BATCH_SIZE):
            located = self._numbered_entries(ids[start : start + _BATCH_SIZE])
            with self._session.batch():
                for number, entry in located.values():
                    self._add_derived(number, entry, fingerprint_of(entry.content))

    def add_to_outbox(self, file: str) -> None:
        """Add a file to the outbox of every checkout.

        Adding it again gives it a higher number, so that the end of an earlier write does not
        remove it.
        """
        self._session.change(
            "INSERT INTO remem.outbox (scope_id, checkout, file, seq) "
            "SELECT %(scope)s, c.checkout, %(file)s, %(seq)s FROM remem.checkouts c "
            "WHERE c.scope_id = %(scope)s "
            "ON CONFLICT (scope_id, checkout, file) DO UPDATE SET seq = excluded.seq",
            file=file,
            seq=self._session.next_number(),
        )

    def remove_from_outbox(self, file: str, last_seq: int) -> None:
        self._session.change(
            "DELETE FROM remem.outbox WHERE scope_id = %(scope)s AND checkout = %(checkout)s "
            "AND file = %(file)s AND seq <= %(last_seq)s",
            file=file,
            last_seq=last_seq,
        )

    def put_record(self, namespace: Namespace[R], key: str, record: R | None) -> None:
        values = {
            "record_checkout": self._checkout_of(namespace),
            "namespace": namespace.name,
            "key": key,
        }
        if record is None:
            self._session.change(
                "DELETE FROM remem.records WHERE scope_id = %(scope)s "
                "AND checkout = %(record_checkout)s "
                "AND namespace = %(namespace)s AND key = %(key)s",
                **values,
            )
        else:
            self._session.change(
                "INSERT INTO remem.records (scope_id, checkout, namespace, key, value) "
                "VALUES (%(scope)s, %(record_checkout)s, %(namespace)s, %(key)s, %(value)s) "
                "ON CONFLICT (scope_id, checkout, namespace, key) "
                "DO UPDATE SET value = excluded.value",
                value=namespace.dump(record),
                **values,
            )

    def _add_version(self, number: int, change: str, entry: Entry) -> None:
        self._session.change(
            _ADD_VERSION,
            number=number,
            version=entry.version,
            change=change,
            record=json_of(entry),
            same=folded_hash(entry.content),
        )

    def _add_derived(self, number: int, entry: Entry, fingerprint: Fingerprint) -> None:
        """Insert everything that is derived from an entry."""
        full_text.add(self._session, number, entry)
        self._add_similarity(number, fingerprint)
        self._add_tags(number, entry)
        self._add_places(number, entry)
        self._session.change(ENQUEUE, number=number)

    def _update_derived(
        self, number: int, old: Entry, new: Entry, fingerprint: Fingerprint
    ) -> None:
        """Update what is derived from an entry, where the entry has changed."""
        if _indexed_values(old) != _indexed_values(new):
            full_text.remove(self._session, number, old)
            full_text.add(self._session, number, new)
        if old.tags != new.tags:
            self._delete_by_number("tags", number)
            self._add_tags(number, new)
        if (old.live, old.origins) != (new.live, new.origins):
            self._delete_by_number("places", number)
            self._add_places(number, new)
        if old.content != new.content:
            self._remove_similarity(number, old)
            self._add_similarity(number, fingerprint)
            self._session.change(ENQUEUE, number=number)
            self._forget_vectors(number)
        elif facets_of(old) != facets_of(new):
            self._reclassify(number, facets_of(new))

    def _delete_by_number(self, table: str, number: int) -> None:
        """Delete the rows of an entry in one of `_TABLES_BY_NUMBER`."""
        self._session.change(
            f"DELETE FROM remem.{table} WHERE scope_id = %(scope)s "
            f"{_MODEL_CONDITIONS.get(table, '')}AND number = %(number)s",
            number=number,
        )

    def _add_similarity(self, number: int, fingerprint: Fingerprint) -> None:
        self._session.change(
            _ADD_SIMILARITY,
            number=number,
            parts=list(fingerprint.parts),
            size=fingerprint.size,
            sketch=fingerprint.sketch,
        )

    def _remove_similarity(self, number: int, entry: Entry) -> None:
        parts = list(fingerprint_of(entry.content).parts)
        self._session.change(_REMOVE_SIMILARITY, number=number, parts=parts)

    def _add_tags(self, number: int, entry: Entry) -> None:
        if entry.tags:
            tags = list(dict.fromkeys(map(fold, entry.tags)))
            self._session.change(_ADD_TAGS, number=number, tags=tags)

    def _add_places(self, number: int, entry: Entry) -> None:
        if places := list(places_of(entry.origins)):
            self._session.change(
                _ADD_PLACES,
                number=number,
                live=entry.live,
                sources=[source for source, _, _ in places],
                positions=[position for _, position, _ in places],
                assistants=[bool(assistant) for _, _, assistant in places],
            )

    def _remove_from_records(self, id_: str) -> None:
        """Remove the notices that name an entry, and the values under its id in other records."""
        self._session.change(
            "DELETE FROM remem.records WHERE scope_id = %(scope)s "
            "AND namespace IN ('notice', 'decay notice') AND strpos(value, %(id)s) > 0",
            id=id_,
        )
        rows = self._session.rows(
            "SELECT checkout, namespace, key, value FROM remem.records "
            "WHERE scope_id = %(scope)s AND strpos(value, %(id)s) > 0",
            id=id_,
        )
        for checkout, namespace, key, value in rows:
            self._session.change(
                "UPDATE remem.records SET value = %(value)s "
                "WHERE scope_id = %(scope)s AND checkout = %(record_checkout)s "
                "AND namespace = %(namespace)s AND key = %(key)s",
                value=compact(without_id(json.loads(value), id_)),
                record_checkout=checkout,
                namespace=namespace,
                key=key,
            )


_MODEL_CONDITIONS: Final = dict.fromkeys(
    ("vector_bits", "vectors"),
    "AND model IN (SELECT m.model FROM remem.models m WHERE m.scope_id = %(scope)s) ",
)
"""Conditions for the tables whose primary key begins with the model."""


def _values(entry: Entry, change: str, home: Home, fingerprint: Fingerprint) -> dict[str, object]:
    """Return the values of an entry by column."""
    stored = (*column_values(entry), change, *home, entry.archive_reason)
    lookup = (*lookup_hashes(fingerprint), *state_flags(entry))
    return {
        **dict(zip(_ENTRY_COLUMNS, stored, strict=True)),
        **dict(zip(_LOOKUP_COLUMNS, lookup, strict=True)),
    }


def _indexed_values(entry: Entry) -> tuple[object, ...]:
    """Return everything about an entry that its postings depend on."""
    return entry.live, entry.content, entry.context, entry.tags
