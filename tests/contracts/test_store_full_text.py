"""What every store must find by its words; the filter always comes first."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from remem.model.entry import PRIORITIES, Filter
from remem.ports.entries import Store
from remem.ports.records import Where
from remem.text.words import search_terms
from tests.contracts.kinds import FILTERS, WIDE, mixed
from tests.store.sqlite.sample import entry, put, revise, touch
from tests.tables import each_row


def ids(store: Store, question: str, where: Filter = Filter()) -> list[str]:  # noqa: B008 - frozen
    with store.read() as snapshot:
        matches = snapshot.keyword(search_terms(question), where, 1_000)
        assert matches.total == len(matches.hits)
        return [id_ for id_, _ in matches.hits]


def test_one_matching_word_is_enough_and_more_score_higher(store: Store) -> None:
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
        admitted = {entry.id for entry in entries if where.admits(entry)}
        assert set(ids(store, "tea", where)) == admitted, where
        with store.read() as snapshot:
            first = snapshot.keyword(["tea"], where, 3)
        assert (first.total, len(first.hits)) == (len(admitted), min(3, len(admitted))), where


def test_archived_text_does_not_change_the_order(store: Store) -> None:
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


def test_full_text_follows_a_restored_entry(store: Store) -> None:
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
    """As `in` finds it: parts of one to eight characters, and nothing else if it is short."""
    stored = {put(store, entry(run)).id: run for run in RUNS}
    kyoto = put(store, entry(f"Kyoto {RUNS[1]} 2026")).id
    texts = {**stored, kyoto: f"Kyoto {RUNS[1]} 2026"}

    for run in RUNS:
        for length in (1, 2, 3, 5, 8):
            for start in range(len(run) - length + 1):
                part = run[start : start + length]
                expected = {id_ for id_, text in texts.items() if part in text}
                found = set(ids(store, part))
                assert expected <= found, part
                if length <= 2:
                    assert found == expected, part


@each_row(
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
    revise(store, kept.id, archived=True)  # the next text is alone again


def test_query_syntax_in_a_term_is_plain_text(store: Store) -> None:
    put(store, entry("tea"), entry("coffee"))

    with store.read() as snapshot:
        for term in ('tea" OR "coffee', "content: tea", "co*", "NOT tea", "a\0b", '"'):
            assert len(snapshot.keyword([term], WIDE, 9).hits) <= 1


@each_row(
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
def test_spelling_finds_a_word_one_typo_away(store: Store, wrong: str, right: str) -> None:
    put(store, entry("They agreed on advertising for kubernetes conversations in Zürich."))

    with store.read() as snapshot:
        mended = snapshot.stored_spelling(wrong)
        assert mended is not None
        assert snapshot.keyword([mended], WIDE, 9) == snapshot.keyword([right], WIDE, 9)
        assert snapshot.keyword([mended], WIDE, 9).total


@each_row("term", ["kubernetes", "DEPLOYMENTS", "waiting"])
def test_a_stored_word_is_its_own_spelling(store: Store, term: str) -> None:
    put(store, entry("The kubernetes cluster waits for a deployment."))

    with store.read() as snapshot:
        assert snapshot.stored_spelling(term) == term


@each_row("term", ["elephant", "kub", "in", "20.04", "咖啡", ""])
def test_spelling_does_not_change_unusual_words(store: Store, term: str) -> None:
    put(store, entry("The kubernetes cluster waits for a deployment."))

    with store.read() as snapshot:
        assert snapshot.stored_spelling(term) is None


@each_row("term", ["mother", "speech", "father", "football", "holiday"])
def test_spelling_does_not_correct_more_than_one_typo(store: Store, term: str) -> None:
    put(store, entry("See, hold on to your faith on foot for a month."))

    with store.read() as snapshot:
        assert snapshot.stored_spelling(term) is None


def test_untrusted_words_are_not_suggested_as_spellings(store: Store) -> None:
    put(store, entry("kubernetes", trust="untrusted"))

    with store.read() as snapshot:
        assert snapshot.stored_spelling("kubernetis") is None


def test_without_terms_important_and_new_entries_come_first(store: Store) -> None:
    random = Random(8)
    entries = [
        replace(mixed(random, number), created_at=f"2026-01-{random.randint(10, 20)}T00:00:00Z")
        for number in range(80)
    ]
    put(store, *entries)
    order = sorted(entries, key=lambda entry: (entry.created_at, entry.id), reverse=True)
    order.sort(key=lambda entry: PRIORITIES.index(entry.priority))
    spans = (None, ("2026-01-12T00:00:00Z", "2026-01-15T00:00:00Z"))

    with store.read() as snapshot:
        for where, span in product(FILTERS, spans):
            found = snapshot.select(Where(filter=where, created=span), "important", 20)
            assert (
                found
                == [
                    entry
                    for entry in order
                    if where.admits(entry) and (not span or span[0] <= entry.created_at <= span[1])
                ][:20]
            ), where


def test_statistics_with_archived_entries_cover_all_entries(store: Store) -> None:
    live = entry("tea"), entry("a long talk about coffee and more")
    put(store, *live, entry("tea of a past year", archived=True))

    with store.read() as snapshot:
        alone = snapshot.term_statistics(["tea"], [live[0].id])
        all_ = snapshot.term_statistics(["tea"], [live[0].id], live=False)

    assert (alone.entries_with_term, alone.total_entries, alone.mean_length) == ((1,), 2, 4.0)
    assert (all_.entries_with_term, all_.total_entries, all_.mean_length) == ((2,), 3, 13 / 3)
