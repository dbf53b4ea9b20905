"""How much of a question a passage says: its words, rare ones more."""

from __future__ import annotations

import pytest

from remem.core.passage import Passage
from remem.recall.terms import Term, coverage, terms_of, to_look_for


def share(query: str, *texts: str) -> list[float]:
    terms = terms_of(query, lambda _term: None)
    return coverage(terms, [Passage("memory/x.md", 1, 1, text) for text in texts])


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("gateway host", "The host of our gateway."),
        ("deployments", "we deployed it"),
        ("parties", "a party"),
        ("PR 42", "merged pr 42 today"),
        ("v3", "use V3."),
        ("20.04", "ubuntu 20.04 lts"),
        ("Köln", "in koln"),
        ("cafe", "im Café"),
        ("数据中心", "我们的数据中心在法兰克福"),
        ("東京タワー", "昨日、東京タワーに行った"),
        ("서울", "우리는 서울에 산다"),
        ("mem-3f8k2m1q", "see mem-3f8k2m1q"),
    ],
)
def test_a_passage_that_says_it_all_covers_it(query: str, text: str) -> None:
    assert share(query, text) == [pytest.approx(1.0)]


def test_headings_and_the_path_count_as_said() -> None:
    passage = Passage("memory/projects/atlas.md", 4, 4, "- port 8080", ("Gateway",), ("Ports",))

    assert coverage([Term("atlas"), Term("gateway"), Term("ports")], [passage]) == [1.0]


def test_a_rare_word_says_more_than_a_common_one() -> None:
    rare, common = share("gateway olsen", "olsen", *["gateway"] * 9)[:2]

    assert rare > 2 * common


def test_a_word_that_nobody_holds_lowers_nobody_by_much() -> None:
    with_it, without = share("gateway port zebra", "the gateway port"), share("gateway port", "x y")

    assert with_it[0] > 0.7
    assert without == [0.0]


def test_a_mended_spelling_counts_a_little_less() -> None:
    passage = Passage("memory/x.md", 1, 1, "the gateway")

    assert coverage([Term("gatewya", "gateway")], [passage]) == [0.8]
    assert to_look_for([Term("gatewya", "gateway"), Term("x")]) == ["gatewya", "x", "gateway"]


def test_nothing_asked_or_nothing_there_covers_nothing() -> None:
    assert share("", "x") == [0.0]
    assert share("x") == []
