"""BM25 counts rare words more, words of neighbours less, and length as far as lengths differ."""

from __future__ import annotations

from remem.ports.records import Neighbours, TermStatistics
from remem.search.rank.context import keyword_scores, normalisation, source_scores


def found(
    counts: dict[str, tuple[float, ...]], holders: tuple[int, ...] = (1, 5)
) -> TermStatistics:
    return TermStatistics(
        counts, dict.fromkeys(counts, 10), holders, total_entries=10, mean_length=10
    )


def test_a_rare_word_scores_more_than_a_common_one() -> None:
    rare, common = keyword_scores(found({"1": (1, 0), "2": (0, 1)}), ["1", "2"], {}, [1, 1])

    assert rare > common > 0


def test_words_of_the_neighbour_before_count_less_than_own_words() -> None:
    beside = {"2": Neighbours(before=("1",)), "3": Neighbours(before=("2", "1"))}

    own, next_one, after_that, far = keyword_scores(
        found({"1": (1, 0)}), list("1234"), beside, [1, 1]
    )

    assert own > next_one > after_that > far == 0


def test_term_weights_scale_the_score() -> None:
    (full,) = keyword_scores(found({"1": (1, 0)}), ["1"], {}, [1, 1])
    (name,) = keyword_scores(found({"1": (1, 0)}), ["1"], {}, [0.3, 1])

    assert 0 < name < full < 1, "the score is a share of the full match"


def test_length_matters_little_among_similar_lengths_and_much_among_different_ones() -> None:
    assert normalisation([100, 110, 90, 105], 101) == 0.2
    assert normalisation([20, 20, 20, 2_000], 515) == 0.9
    assert normalisation([100], 10) == normalisation([], 10) == 0.2


def test_lengths_are_compared_with_the_mean_of_all_entries() -> None:
    """The known-bad version asked how far they are from their own mean."""
    assert normalisation([500, 520, 480], mean=60) == 0.9


def test_a_source_covers_what_any_of_its_entries_covers() -> None:
    told = source_scores(
        found({"1": (1, 0), "2": (0, 1), "3": (1, 0)}), {"1": "a", "2": "a", "3": "b"}, [1, 1]
    )

    assert told["a"] > told["b"] > 0
