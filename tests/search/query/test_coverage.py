"""Coverage: the share of a question's words that a passage contains, weighted by rarity."""

from __future__ import annotations

import pytest

from remem.model.passage import Passage
from remem.search.query.terms import Term, TermCoverage, all_spellings, coverage_among, rarity
from remem.text.words import search_terms
from tests.tables import each_row


def share(query: str, text: str, **holders: int) -> float:
    """How much the text says of a question whose words so many of 100 passages hold."""
    terms = [Term(word, weight=rarity(holders.get(word, 10), 100)) for word in search_terms(query)]
    return TermCoverage(terms).share(Passage("memory/x.md", 1, 1, text))


@each_row(
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
def test_a_passage_with_all_words_covers_the_question(query: str, text: str) -> None:
    assert share(query, text) == pytest.approx(1.0)


def test_headings_and_the_path_count_as_text() -> None:
    passage = Passage("memory/projects/atlas.md", 4, 4, "- port 8080", ("Gateway",), ("Ports",))

    assert TermCoverage([Term("atlas"), Term("gateway"), Term("ports")]).share(passage) == 1.0


def test_words_of_two_statements_do_not_add_up() -> None:
    together = "- tea\n- the gateway port\n- rice"
    apart = "- the gateway\n- a port\n- tea"

    assert share("gateway port", together) == pytest.approx(1.0)
    assert share("gateway port", apart) == pytest.approx(0.5)


@each_row("joint", ["\n", "\n   "])
def test_a_continued_line_is_the_same_statement(joint: str) -> None:
    assert share("gateway port", f"- the gateway{joint}has a port") == pytest.approx(1.0)


def test_a_statement_includes_the_heading_above_it() -> None:
    text = "## Gateway\n- a port\n## Kitchen\n- a stove"

    assert share("gateway port", text) == pytest.approx(1.0)
    assert share("gateway stove", text) == pytest.approx(0.5)


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    rare, common = (
        share("gateway olsen", text, olsen=1, gateway=60) for text in ("olsen", "gateway")
    )

    assert rare > 3 * common


def test_a_word_that_no_passage_contains_weighs_little() -> None:
    assert share("gateway port zebra", "the gateway port", zebra=0) > 0.9
    assert share("gateway port", "x y") == 0


def test_a_corrected_spelling_weighs_less() -> None:
    passage = Passage("memory/x.md", 1, 1, "the gateway")

    assert TermCoverage([Term("gatewya", "gateway")]).share(passage) == 0.8
    assert all_spellings([Term("gatewya", "gateway"), Term("x")]) == ["gatewya", "x", "gateway"]


def test_without_words_or_text_the_coverage_is_zero() -> None:
    assert share("", "x") == 0
    assert share("zebra", "") == 0
    assert share("zebra", "\n\n - \n") == 0
    assert coverage_among(["zebra"], []) == []
    assert coverage_among([], [Passage("a.md", 1, 1, "zebra")]) == [0]


def test_rarity_is_computed_from_the_texts_at_hand() -> None:
    texts = ["olsen", *["gateway"] * 9]
    said = coverage_among(["gateway", "olsen"], [Passage("a.md", 1, 1, text) for text in texts])

    assert said[0] > 2 * said[1]
