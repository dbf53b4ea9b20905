"""Grouping looks at few texts, and still finds every group that comparing all of them would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.text.similarity import group_similar, overlap

WORD_SETS = st.lists(st.frozensets(st.sampled_from("abcdefghij")), max_size=25)


@given(word_sets=WORD_SETS, least=st.sampled_from([0.6, 0.8]))
def test_grouping_finds_what_comparing_all_would_find(
    word_sets: list[frozenset[str]], least: float
) -> None:
    expected: dict[int, list[int]] = {}
    for at, own in enumerate(word_sets):
        near = [first for first in expected if overlap(own, word_sets[first]) >= least]
        best = min(near, key=lambda first: (-overlap(own, word_sets[first]), first), default=at)
        expected.setdefault(best, []).append(at)

    assert group_similar(word_sets, least, lambda *_: True) == list(expected.values())


def test_texts_that_are_not_the_same_statement_are_kept_apart() -> None:
    assert group_similar([{"a", "b"}, {"a", "b"}], 0.6, lambda *_: False) == [[0], [1]]
