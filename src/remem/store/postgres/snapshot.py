"""A consistent view of one scope: the reader, with searches and lookups of duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from remem.model.entry import Category, Entry, Filter, Trust
from remem.ports.entries import Duplicate
from remem.ports.records import Matches, Neighbours, SourcePosition, TermStatistics
from remem.store.postgres import full_text
from remem.store.postgres.session import StatementValues
from remem.store.postgres.vectors import PostgresVectorReader
from remem.store.rows import MAX_GAP, MAX_SENTENCES, source_number
from remem.store.selection import FADED
from remem.text.similarity import Fingerprint

_IS_KNOWN: Final = """SELECT EXISTS (
        SELECT 1 FROM remem.entries WHERE scope_id = %(scope)s AND id = %(id)s)
    OR EXISTS (SELECT 1 FROM remem.entries WHERE scope_id = %(scope)s AND same = %(same)s)
    OR EXISTS (SELECT 1 FROM remem.versions WHERE scope_id = %(scope)s AND same = %(same)s)
    OR EXISTS (SELECT 1 FROM remem.erased WHERE scope_id = %(scope)s AND id = %(id)s)
    OR EXISTS (SELECT 1 FROM remem.erased WHERE scope_id = %(scope)s AND same = %(same)s)
    OR EXISTS (SELECT 1 FROM remem.entries
        WHERE scope_id = %(scope)s AND longest = ANY(%(sentences)s::bigint[]))"""
_DUPLICATES: Final[dict[Duplicate, str]] = {
    "same": "e.same = %(same)s AND e.standing",
    "faded": f"e.same = %(same)s AND {FADED}",
    "former": (
        "e.number IN (SELECT v.number FROM remem.versions v "
        "WHERE v.scope_id = %(scope)s AND v.same = %(same)s) AND e.standing"
    ),
    "part": "e.longest = ANY(%(sentences)s::bigint[]) AND e.standing",
    "similar": "e.number = ANY(%(numbers)s::bigint[]) AND e.standing",
}
_SIMILAR: Final = """SELECT s.number, s.size, s.sketch FROM unnest(%(parts)s::bigint[]) AS p(part)
    CROSS JOIN LATERAL (SELECT number, size, sketch FROM remem.similarity
        WHERE scope_id = %(scope)s AND part = p.part ORDER BY number DESC LIMIT 200) s"""
_NEIGHBOURS: Final = """SELECT w.place, b.before, a.after
    FROM unnest(%(sources)s::bigint[], %(positions)s::bigint[])
        WITH ORDINALITY AS w(source, position, place)
    CROSS JOIN LATERAL (SELECT array(
        SELECT e.id FROM remem.places p JOIN remem.entries e
            ON e.scope_id = %(scope)s AND e.number = p.number
        WHERE p.scope_id = %(scope)s AND p.live AND p.source = w.source
            AND p.position < w.position AND p.position >= w.position - %(gap)s
        ORDER BY p.position DESC, p.number DESC LIMIT 2) AS before) b
    CROSS JOIN LATERAL (SELECT array(
        SELECT e.id FROM remem.places p JOIN remem.entries e
            ON e.scope_id = %(scope)s AND e.number = p.number
        WHERE p.scope_id = %(scope)s AND p.live AND p.source = w.source
            AND p.position > w.position AND p.position <= w.position + %(gap)s
        ORDER BY p.position, p.number LIMIT 1) AS after) a"""


class PostgresSnapshot(PostgresVectorReader):
    """A reader that can also search."""

    def keyword(self, terms: Sequence[str], where: Filter, limit: int) -> Matches[str]:
        hits, total = full_text.matches(self._session, terms, where, limit)
        return Matches(self._with_ids(hits), total)

    def search_faded(self, terms: Sequence[str], limit: int) -> list[Entry]:
        hits, _ = full_text.scored(
            self._session, terms, [FADED], StatementValues(), limit, live=False
        )
        ids = [id_ for id_, _ in self._with_ids(hits)]
        entries = self.find(ids)
        return [entries[id_] for id_ in ids]

    def term_statistics(
        self, terms: Sequence[str], ids: Sequence[str], *, live: bool = True
    ) -> TermStatistics:
        numbers = {number: id_ for id_, number in self._numbers_of(ids).items()}
        return full_text.count_terms(self._session, terms, numbers, live=live)

    def stored_spelling(self, term: str) -> str | None:
        return full_text.stored_spelling(self._session, term)

    def neighbours(self, places: Iterable[SourcePosition]) -> dict[SourcePosition, Neighbours]:
        distinct = list(dict.fromkeys(places))
        if not distinct:
            return {}
        rows = self._session.rows(
            _NEIGHBOURS,
            sources=[source_number(source) for source, _ in distinct],
            positions=[position for _, position in distinct],
            gap=MAX_GAP,
        )
        return {
            distinct[number - 1]: Neighbours(tuple(before), tuple(after))
            for number, before, after in rows
        }

    def sources_with_assistant(self, sources: Sequence[str]) -> frozenset[str]:
        numbers = {source_number(source): source for source in sources}
        rows = self._session.rows(
            "SELECT DISTINCT source FROM remem.places WHERE scope_id = %(scope)s AND live "
            "AND assistant AND source = ANY(%(sources)s::bigint[])",
            sources=list(numbers),
        )
        return frozenset(numbers[number] for (number,) in rows)

    def is_new_text(self, id_: str, fingerprint: Fingerprint) -> bool:
        sentences = fingerprint.sentences
        if len(sentences) > MAX_SENTENCES:
            return False
        [[known]] = self._session.rows(
            _IS_KNOWN, id=id_, same=fingerprint.same, sentences=list(sentences)
        )
        return not known

    def duplicates(
        self, kind: Duplicate, category: Category, trust: Trust, fingerprint: Fingerprint
    ) -> list[Entry]:
        numbers = self._similar_numbers(fingerprint) if kind == "similar" else []
        if kind == "similar" and not numbers:
            return []
        return self._entries_where(
            f"{_DUPLICATES[kind]} AND e.category = %(category)s AND e.trust = %(trust)s",
            same=fingerprint.same,
            sentences=list(fingerprint.sentences),
            numbers=numbers,
            category=category,
            trust=trust,
        )

    def _similar_numbers(self, fingerprint: Fingerprint) -> list[int]:
        """Return the entries that may share 80 % of their words with a text.

        If very many entries share a part, only the newest are considered.
        """
        rows = self._session.rows(_SIMILAR, parts=list(fingerprint.lookup_parts))
        return sorted(
            {number for number, size, sketch in rows if fingerprint.may_be_similar(size, sketch)}
        )
