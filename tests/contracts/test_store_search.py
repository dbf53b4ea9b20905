"""What every store must find: by words, and by meaning; the filter always comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from remem.core.entry import CATEGORIES, PRIORITIES, Entry
from remem.core.filter import Filter
from remem.core.words import search_terms
from remem.errors import EmbedderMismatch
from remem.ports import Embedding, Floats, ModelIdentity, Store, Transaction
from tests.contracts.stores import ADAPTERS
from tests.stores.sample import MODEL, embed, entry, put, revise, row_of, touch, unit

Opener = Callable[[], Store]
WIDE = Filter(include_archived=True, include_untrusted=True)
FILTERS = [
    Filter(categories, least, tags, archived, untrusted)
    for categories, least, tags, archived, untrusted in product(
        [(), ("fact",), ("person", "insight")],
        [None, "critical", "medium", "low"],
        [(), ("RARE",), ("rare", "often")],
        [False, True],
        [False, True],
    )
]


@pytest.fixture(params=ADAPTERS)
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    opened: list[Store] = []

    def open_it() -> Store:
        opened.append(ADAPTERS[request.param](tmp_path))
        return opened[-1]

    yield open_it
    for each in opened:
        each.close()


@pytest.fixture
def store(open_store: Opener) -> Store:
    return open_store()


def ids(store: Store, question: str, where: Filter = Filter()) -> list[str]:  # noqa: B008 - frozen
    with store.read() as snapshot:
        matches = snapshot.keyword(search_terms(question), where, 1_000)
        entries = snapshot.locate(row for row, _ in matches.rows)
        assert matches.total == len(matches.rows)
        return [entries[row].id for row, _ in matches.rows]


def mixed(random: Random, number: int) -> Entry:
    """An entry of any kind."""
    return entry(
        f"number {number} tea",
        category=random.choice(CATEGORIES),
        priority=random.choice(PRIORITIES),
        tags=tuple(tag for tag in ("often", "Rare") if random.random() < len(tag) / 10),
        archived=random.random() < 0.2,
        superseded_by="mem-00000000" if random.random() < 0.1 else None,
        trust="untrusted" if random.random() < 0.2 else "agent",
    )


def test_any_of_the_words_is_enough_and_more_of_them_are_better(store: Store) -> None:
    both = put(store, entry("green tea in the morning"))
    one = put(store, entry("tea and a long talk about everything and nothing at all"))
    put(store, entry("coffee"))

    assert ids(store, "green tea") == [both.id, one.id]
    assert ids(store, "nobody knows") == []
    assert ids(store, "?!") == []


def test_words_are_found_in_context_and_tags_and_in_other_forms(store: Store) -> None:
    kept = put(store, entry("Ada runs", context="said while cycling", tags=("Zürich",)))

    for question in ("running", "cycle", "ZURICH", "zürich"):
        assert ids(store, question) == [kept.id]


def test_keyword_hits_are_those_the_filter_admits(store: Store) -> None:
    random = Random(5)
    entries = [mixed(random, number) for number in range(150)]
    put(store, *entries)

    for where in FILTERS:
        admitted = {each.id for each in entries if where.admits(each)}
        assert set(ids(store, "tea", where)) == admitted, where
        with store.read() as snapshot:
            first = snapshot.keyword(["tea"], where, 3)
        assert (first.total, len(first.rows)) == (len(admitted), min(3, len(admitted))), where


def test_text_that_is_put_aside_does_not_change_the_order(store: Store) -> None:
    """BM25 counts documents: what a stranger wrote must not count."""
    put(store, entry("alpha beta beta"), entry("alpha alpha beta"), entry("gamma"))
    before = ids(store, "alpha beta")
    put(store, *(entry(f"alpha {i}", trust="untrusted") for i in range(50)))
    put(store, *(entry(f"beta {i}", archived=True) for i in range(50)))

    assert ids(store, "alpha beta") == before


@pytest.mark.parametrize(
    "change",
    [
        {"content": "coffee"},
        {"archived": True},
        {"superseded_by": "mem-00000000"},
        {"trust": "untrusted"},
    ],
)
def test_full_text_follows_the_entry(store: Store, change: dict[str, object]) -> None:
    kept = put(store, entry("tea"))
    revise(store, kept.id, **change)

    assert ids(store, "tea") == []
    assert ids(store, "tea", WIDE) == ([] if "content" in change else [kept.id])
    assert ids(store, "coffee") == ([kept.id] if "content" in change else [])


def test_full_text_follows_an_entry_back(store: Store) -> None:
    kept = put(store, entry("tea", trust="untrusted"))
    assert ids(store, "tea") == []

    revise(store, kept.id, trust="owner")

    assert ids(store, "tea") == [kept.id]


def test_full_text_follows_tags_and_context(store: Store) -> None:
    kept = put(store, entry("tea", tags=("old",), context="before"))
    touch(store, kept.id, tags=("new",), context="after")

    assert ids(store, "old before", WIDE) == []
    assert ids(store, "new") == ids(store, "after") == [kept.id]
    assert ids(store, "tea", Filter(tags=("new",))) == [kept.id]
    assert ids(store, "tea", Filter(tags=("old",))) == []


RUNS = [
    "我喜欢黑咖啡不加糖每天早上八点",
    "東京で黒いコーヒーを毎朝飲みます",
    "저는매일아침블랙커피를마십니다",
    "ฉันดื่มกาแฟดำทุกเช้า",
    "أشربالقهوةالسوداءكلصباح",
    "☕🎉🍵🚀✨🔥",
    "मैंहरसुबहकालीकॉफीपीताहूँ",
]


def test_every_part_of_a_text_without_spaces_is_found(store: Store) -> None:
    """As `in` finds it: every part of one to eight characters, and nothing else."""
    stored = {put(store, entry(run)).id: run for run in RUNS}
    mixed = put(store, entry(f"Kyoto {RUNS[1]} 2026")).id
    texts = {**stored, mixed: f"Kyoto {RUNS[1]} 2026"}

    for run in RUNS:
        for length in range(1, 9):
            for start in range(len(run) - length + 1):
                part = run[start : start + length]
                expected = {id_ for id_, text in texts.items() if part in text}
                assert expected <= set(ids(store, part)), part
                if length <= 2:
                    assert set(ids(store, part)) == expected, part


@pytest.mark.parametrize(
    "text",
    ['"', '""', "a AND b", "NOT tea", "NEAR(a b)", "content:tea", "tea*", "^tea", "{a b}: c",
     "pre-edit", "what's", "20.04", "GB/s", "C++", "a OR", "(", ")", "*", "-x", "+y", "\\", "%",
     "_", "tea'; DROP TABLE memory_entries; --", "\ufeffx", "a\u200bb", "\u0000z", "x" * 5_000,
     "I\u0307stanbul", "ﬁne", "Ａ１", "café", "cafe\u0301", "naïve", "Ǆ", "ΑΣ", "ſ", "İ", "ŉ",
     "𝔘𝔫𝔦", "¹²", "½", "ª", "µ", "Ⅷ", "𞤀𞤣𞤤", "ⵣ", "ᚠᛇ", "ᏣᎳᎩ", "ሀሎ", "ၵႂၢမ်း", "Ω≈ç"],
)  # fmt: skip
def test_a_stored_text_finds_itself_and_is_never_syntax(store: Store, text: str) -> None:
    kept = put(store, entry(text))
    put(store, entry("entirely unrelated"))

    hits = ids(store, text)

    assert hits in ([kept.id], [])
    assert bool(hits) == bool(search_terms(text))


def test_a_term_that_looks_like_a_query_is_only_words(store: Store) -> None:
    put(store, entry("tea"), entry("coffee"))

    with store.read() as snapshot:
        for term in ('tea" OR "coffee', "content: tea", "co*", "NOT tea", "a\0b", '"'):
            assert len(snapshot.keyword([term], WIDE, 9).rows) <= 1


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("kubernetis", "kubernetes"),
        ("Kubernetis", "kubernetes"),
        ("agreeed", "agreed"),
        ("converssations", "conversations"),
        ("advertissing", "advertising"),
        ("zurrich", "Zürich"),
    ],
)
def test_spelling_finds_the_near_word(store: Store, wrong: str, right: str) -> None:
    put(store, entry("They agreed on advertising for kubernetes conversations in Zürich."))

    with store.read() as snapshot:
        mended = snapshot.spelling(wrong)
        assert mended is not None
        assert snapshot.keyword([mended], WIDE, 9) == snapshot.keyword([right], WIDE, 9)
        assert snapshot.keyword([mended], WIDE, 9).total == 1


@pytest.mark.parametrize(
    "term", ["kubernetes", "DEPLOYMENTS", "waiting", "elephant", "kub", "in", "20.04", "咖啡", ""]
)
def test_spelling_leaves_known_words_and_strange_ones_alone(store: Store, term: str) -> None:
    put(store, entry("The kubernetes cluster waits for a deployment."))

    with store.read() as snapshot:
        assert snapshot.spelling(term) is None


def test_a_word_that_only_strangers_use_is_no_spelling(store: Store) -> None:
    put(store, entry("kubernetes", trust="untrusted"))

    with store.read() as snapshot:
        assert snapshot.spelling("kubernetis") is None


def nearest(
    store: Store, query: Floats, where: Filter, limit: int, model: ModelIdentity = MODEL
) -> list[tuple[str, float]]:
    with store.read() as snapshot:
        hits = snapshot.nearest(model, query, where, limit)
        entries = snapshot.locate(row for row, _ in hits)
        return [(entries[row].id, cosine) for row, cosine in hits]


def test_the_nearest_are_those_of_a_full_comparison(store: Store) -> None:
    random = Random(6)
    entries = [mixed(random, number) for number in range(250)]
    put(store, *entries)
    vectors = {each.id: unit(number) for number, each in enumerate(entries)}
    embed(store, vectors)
    query = unit(10_000)

    for where in FILTERS:
        oracle = sorted(
            ((float(vectors[e.id] @ query), e.id) for e in entries if where.admits(e)), reverse=True
        )
        hits = nearest(store, query, where, 10)
        assert [id_ for id_, _ in hits] == [id_ for _, id_ in oracle[:10]], where
        assert [cosine for _, cosine in hits] == pytest.approx(
            [cosine for cosine, _ in oracle[:10]], abs=2e-3
        )


def test_a_filter_that_keeps_five_of_five_thousand_finds_all_five(store: Store) -> None:
    query = unit(1)
    near = [entry(f"near {i}") for i in range(4_995)]
    far = [entry(f"far {i}", tags=("wanted",)) for i in range(5)]
    put(store, *near, *far)
    embed(store, {each.id: query for each in near})
    embed(store, {each.id: -unit(i) for i, each in enumerate(far)})

    assert {id_ for id_, _ in nearest(store, query, Filter(tags=("wanted",)), 10)} == {
        each.id for each in far
    }
    assert len(nearest(store, query, Filter(), 5_000)) == 5_000


def test_two_models_never_meet(store: Store) -> None:
    other = ModelIdentity("sample", 16, "f16")
    third = ModelIdentity("sample", 8, "int8")
    one, two = entry("one"), entry("two")
    put(store, one, two)
    embed(store, {one.id: unit(1)})
    embed(store, {two.id: unit(2, 16)}, other)

    assert [id_ for id_, _ in nearest(store, unit(1), Filter(), 9)] == [one.id]
    assert [id_ for id_, _ in nearest(store, unit(1, 16), Filter(), 9, other)] == [two.id]
    assert nearest(store, unit(1), Filter(), 9, third) == []
    with store.read() as snapshot:
        assert snapshot.covered() == {MODEL: 1, other: 1}
        assert snapshot.vectors_of(third, snapshot.rows()) == {}
        assert set(snapshot.vectors_of(other, snapshot.rows())) == {row_of(store, two.id)}


def test_a_vector_of_another_length_is_refused_and_spoils_nothing(store: Store) -> None:
    kept = put(store, entry())
    embed(store, {kept.id: unit(1)})

    with pytest.raises(EmbedderMismatch):
        embed(store, {kept.id: unit(1, 16)})
    with pytest.raises(EmbedderMismatch):
        nearest(store, unit(1, 16), Filter(), 9)
    assert len(nearest(store, unit(1), Filter(), 9)) == 1


def test_vectors_come_back_with_their_tokens(store: Store) -> None:
    one, two = entry("one"), entry("two")
    put(store, one, two)
    rows = [row_of(store, one.id), row_of(store, two.id)]
    tokens = np.arange(48, dtype=np.uint8).reshape(3, 16)

    def operation(tx: Transaction) -> None:
        tx.want_vectors(MODEL)
        tx.save_vectors(
            MODEL, [(rows[0], 1, Embedding(unit(1), tokens)), (rows[1], 1, Embedding(unit(2)))]
        )

    store.write(operation)

    with store.read() as snapshot:
        kept = snapshot.vectors_of(MODEL, rows)
    assert np.allclose(kept[rows[0]].pooled, unit(1), atol=1e-3)
    assert np.array_equal(kept[rows[0]].tokens, tokens)
    assert kept[rows[1]].tokens is None


def waiting(store: Store) -> list[str]:
    with store.read() as snapshot:
        assert snapshot.pending_count() == len(snapshot.pending(999))
        return [each.text for each in snapshot.pending(999)]


def test_new_and_changed_texts_wait_for_their_vectors(store: Store) -> None:
    one, two = entry("one"), entry("two")
    put(store, one, two)
    assert waiting(store) == ["one", "two"]
    embed(store, {one.id: unit(1), two.id: unit(2)})
    assert waiting(store) == []

    revise(store, one.id, content="other")
    touch(store, two.id, strength=5)
    revise(store, two.id, archived=True)

    assert waiting(store) == ["other"]


def test_a_text_that_changed_while_it_was_embedded_keeps_its_place(store: Store) -> None:
    kept = put(store, entry("one"))
    store.write(lambda tx: tx.want_vectors(MODEL))
    with store.read() as snapshot:
        (text,) = snapshot.pending(9)
    revise(store, kept.id, content="other")

    rows = [(text.row, text.version, Embedding(unit(1))), (999, 1, Embedding(unit(2)))]
    store.write(lambda tx: tx.save_vectors(MODEL, rows))

    assert waiting(store) == ["other"]
    assert nearest(store, unit(1), WIDE, 9) == []


def test_the_vector_of_an_old_wording_is_no_vector_of_the_new_one(store: Store) -> None:
    """Not even for a model that comes back later."""
    kept = put(store, entry("one"))
    other = ModelIdentity("other", 8, "f16")
    embed(store, {kept.id: unit(1)})
    revise(store, kept.id, content="two")
    assert nearest(store, unit(1), WIDE, 9) == []
    embed(store, {kept.id: unit(2)}, other)

    store.write(lambda tx: tx.want_vectors(MODEL))

    assert waiting(store) == ["two"]
    with store.read() as snapshot:
        assert snapshot.covered() == {MODEL: 0, other: 1}


def test_another_model_starts_a_new_round_and_the_old_vectors_stay(store: Store) -> None:
    kept = put(store, entry("one"))
    embed(store, {kept.id: unit(1)})
    other = ModelIdentity("other", 8, "f16")

    store.write(lambda tx: tx.want_vectors(other))

    assert waiting(store) == ["one"]
    assert [id_ for id_, _ in nearest(store, unit(1), Filter(), 9)] == [kept.id]
    with store.read() as snapshot:
        assert snapshot.note("model") == str(other)


@pytest.mark.parametrize("changed_by", ["this store", "another one"])
def test_what_is_cached_follows_every_write(open_store: Opener, changed_by: str) -> None:
    store = open_store()
    writer = store if changed_by == "this store" else open_store()
    one, two = entry("one"), entry("two")
    put(writer, one, two)
    embed(writer, {one.id: unit(1)})
    assert [id_ for id_, _ in nearest(store, unit(1), Filter(), 9)] == [one.id]

    embed(writer, {two.id: unit(1)})
    assert {id_ for id_, _ in nearest(store, unit(1), Filter(), 9)} == {one.id, two.id}
    revise(writer, one.id, archived=True)
    assert [id_ for id_, _ in nearest(store, unit(1), Filter(), 9)] == [two.id]
    assert len(nearest(store, unit(1), WIDE, 9)) == 2
    revise(writer, two.id, content="changed")
    assert nearest(store, unit(1), Filter(), 9) == []
    embed(writer, {two.id: -unit(1)})
    assert [round(c) for _, c in nearest(store, unit(1), Filter(), 9)] == [-1]


def test_vectors_that_were_dropped_are_gone_from_every_cache(open_store: Opener) -> None:
    store, other = open_store(), open_store()
    kept = put(store, entry("one"))
    embed(store, {kept.id: unit(1)})
    assert len(nearest(other, unit(1), Filter(), 9)) == 1

    def operation(tx: Transaction) -> None:
        tx.drop_projections()
        tx.restore(tx.rows())

    store.write(operation)
    wide = ModelIdentity("wide", 16, "f16")
    embed(store, {kept.id: unit(3, 16)}, wide)

    assert nearest(other, unit(1), Filter(), 9) == []
    assert [id_ for id_, _ in nearest(other, unit(3, 16), Filter(), 9, wide)] == [kept.id]


def test_a_vector_that_was_rolled_back_is_never_seen(store: Store) -> None:
    one, two = entry("one"), entry("two")
    put(store, one, two)
    rows = {each.id: row_of(store, each.id) for each in (one, two)}

    def operation(tx: Transaction) -> None:
        tx.want_vectors(MODEL)
        tx.save_vectors(MODEL, [(rows[one.id], 1, Embedding(unit(1)))])
        assert len(tx.nearest(MODEL, unit(1), Filter(), 9)) == 1
        raise LookupError

    with pytest.raises(LookupError):
        store.write(operation)
    embed(store, {two.id: unit(2)})

    assert [id_ for id_, _ in nearest(store, unit(1), Filter(), 9)] == [two.id]
