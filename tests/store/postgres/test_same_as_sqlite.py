"""The PostgreSQL store finds, counts and ranks as the SQLite store does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from remem.model.entry import Filter, Origin
from remem.ports.entries import Snapshot, Store
from remem.ports.records import Where
from remem.text.similarity import fingerprint_of
from remem.text.words import search_terms
from tests.contracts.kinds import FILTERS, mixed
from tests.contracts.stores import ADAPTERS
from tests.store.sqlite.sample import MODEL, NOW, embed, entry, put, unit

TEXTS = (
    "The build server runs e-mail and release 2.10.3 since 2026-11-18.",
    "Zoë trinkt grünen Tee in Zürich; the kettle is red.",
    "我们决定把数据库迁移到新的服务器。",
    "決定はまだです。サーバーは緑です。",
    "Сервер стоит в подвале, а чайник красный.",
    "Release notes: the kettle, the kettle, and the server.",
    "C++ and C# builds run on node.js 18 at 10:30, see docs/guides/team.md.",
    "Robert'); DROP TABLE entries;-- %s %(scope)s {} \0 \x01 \\ $1",
    "🫖 tea emoji, ﬁ ligature, İstanbul, STRASSE and straße",
    "a",
    "",
)
QUESTIONS = (
    "e-mail release",
    "2.10.3",
    "grüner Tee Zürich",
    "数据库",
    "服务器迁移",
    "サーバー",
    "сервер чайник",
    "kettle server",
    "c++ node.js docs/guides/team.md",
    "Robert'); DROP TABLE",
    "%(scope)s {}",
    "🫖",
    "strasse",
    "number tea",
    "kettel",
)


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """The same entries in both stores: texts of several languages, and entries of all kinds."""
    stores = ADAPTERS["sqlite"](tmp_path), ADAPTERS["postgres"](tmp_path)
    random = Random(7)
    entries = [
        entry(text, context="said in the kitchen" if number % 2 else None, tags=("Tea",))
        for number, text in enumerate(TEXTS)
    ]
    entries += [mixed(random, number) for number in range(60)]
    entries += [
        entry(f"turn {turn}", origins=(Origin("chat:1", turn, "Zoë", "assistant"),))
        for turn in range(6)
    ]
    for store in stores:
        put(store, *entries)
        embed(store, {item.id: unit(number) for number, item in enumerate(entries)})
        store.write(lambda tx: tx.record_use([entries[0].id], NOW, was_used=True))
    yield stores
    for store in stores:
        store.close()


@pytest.fixture
def read(both: tuple[Store, Store]) -> Iterator[tuple[Snapshot, Snapshot]]:
    with both[0].read() as one, both[1].read() as other:
        yield one, other


@pytest.mark.parametrize("question", QUESTIONS)
def test_words_find_the_same_entries_with_the_same_scores(
    read: tuple[Snapshot, Snapshot], question: str
) -> None:
    terms = search_terms(question)
    for where in FILTERS[::5]:
        one, other = (snapshot.keyword(terms, where, 40) for snapshot in read)
        assert one.total == other.total
        assert dict(one.hits) == pytest.approx(dict(other.hits), rel=1e-9)
        assert [id_ for id_, _ in one.hits] == [id_ for id_, _ in other.hits]
    ids = read[0].ids()
    for live in (True, False):
        one, other = (snapshot.term_statistics(terms, ids, live=live) for snapshot in read)
        assert one == other
    for term in terms:
        assert read[0].stored_spelling(term) == read[1].stored_spelling(term)


def test_vectors_find_the_same_entries_in_the_same_order(
    read: tuple[Snapshot, Snapshot],
) -> None:
    for where in FILTERS[::3]:
        one, other = (snapshot.nearest(MODEL, unit(3), where, 20) for snapshot in read)
        assert one == other


def test_selections_and_neighbours_are_the_same(read: tuple[Snapshot, Snapshot]) -> None:
    for where in (
        *(Where(filter=filter_) for filter_ in FILTERS[::7]),
        Where(state="archived"),
        Where(tag="often"),
        Where(without_tag="Tea"),
        Where(from_source="chat:1"),
        Where(state="any", from_lines=(("chat:1", 3), ("chat:2", 1))),
        Where(idle_since="2027-01-01T00:00:00Z"),
    ):
        for order in ("stored", "latest", "important"):
            one, other = (snapshot.select(where, order) for snapshot in read)
            assert one == other
        for by in ("category", "home", "tag", "all"):
            one, other = (list(snapshot.tally(by, where).items()) for snapshot in read)
            assert one == other
    places = [("chat:1", turn) for turn in range(-1, 8)]
    one, other = (snapshot.neighbours(places) for snapshot in read)
    assert one == other
    for text in TEXTS:
        for how in ("same", "part", "similar"):
            one, other = (
                snapshot.duplicates(how, "fact", "agent", fingerprint_of(text)) for snapshot in read
            )
            assert one == other


def test_texts_come_back_as_they_were(read: tuple[Snapshot, Snapshot]) -> None:
    one, other = (snapshot.select(Where(state="any")) for snapshot in read)
    assert one == other
    assert [item.content for item in other[: len(TEXTS)]] == list(TEXTS)
    assert read[1].keyword(search_terms("kettle"), Filter(), 9).total == 2
