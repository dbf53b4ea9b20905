from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.model.entry import Filter
from remem.store.sqlite.entries import SqliteStore
from remem.text.words import search_terms
from tests.store.sqlite.sample import entry, put
from tests.tiers import examples

ANYTHING = Filter(include_archived=True, include_untrusted=True)
quick = settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "entries.db")
    yield opened
    opened.close()


@quick
@given(text=st.text(min_size=1, max_size=40))
def test_stored_texts_are_found_by_their_own_words(store: SqliteStore, text: str) -> None:
    kept = put(store, entry(text))
    terms = search_terms(text)

    with store.read() as snapshot:
        hits = snapshot.keyword(terms, Filter(), 10_000)

    assert not terms or kept.id in dict(hits.hits)


@quick
@given(terms=st.lists(st.text(max_size=12), max_size=5))
def test_any_search_terms_are_valid(store: SqliteStore, terms: list[str]) -> None:
    with store.read() as snapshot:
        snapshot.keyword(terms, ANYTHING, 5)
        for term in terms:
            snapshot.stored_spelling(term)


def test_equal_scores_come_in_the_order_they_were_stored(store: SqliteStore) -> None:
    entries = [entry("tea") for _ in range(20)]
    put(store, *entries)

    with store.read() as snapshot:
        hits = snapshot.keyword(["tea"], Filter(), 10)

    assert [id_ for id_, _ in hits.hits] == [stored.id for stored in entries[:10]]
    assert hits.total == 20


def test_better_matches_have_higher_scores(store: SqliteStore) -> None:
    best = put(store, entry("tea tea tea"))
    put(store, entry("tea and many other words that dilute it"), entry("x"))

    with store.read() as snapshot:
        (one, two) = snapshot.keyword(["tea"], Filter(), 10).hits

    assert one[0] == best.id
    assert one[1] > two[1] > 0
