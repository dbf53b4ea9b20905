"""Made-up memories in which something changed: the current text comes first, in every language."""

from __future__ import annotations

import pytest

from bench.currency import HALVES, Outcome, cases, files_of, measure, rates
from remem.embed.multilingual import Multilingual
from tests.embed.model import multilingual, multilingual_folder

__all__ = ["multilingual", "multilingual_folder"]


@pytest.fixture(scope="module")
def by_keyword() -> list[Outcome]:
    return measure()


def test_the_halves_have_as_many_cases_of_every_language_and_shape() -> None:
    found = cases()

    assert len(found) >= 60
    for name in ("language", "shape"):
        for value in {getattr(case, name) for case in found}:
            halves = [case.half for case in found if getattr(case, name) == value]
            assert halves.count(HALVES[0]) == halves.count(HALVES[1])


def test_the_texts_of_a_case_are_in_its_memory_once() -> None:
    for case in cases():
        pages = "\n".join(files_of(case.language).values())
        assert case.current in pages
        assert pages.count(case.outdated) == 1


def test_the_current_text_is_rarely_after_the_outdated_one(by_keyword: list[Outcome]) -> None:
    wrong = rates(by_keyword, lambda case: case.half)

    assert wrong["choosing"].percent <= 10
    assert wrong["held out"].percent <= 20


def test_a_later_mention_and_a_question_about_the_past_keep_the_older_text_first(
    by_keyword: list[Outcome],
) -> None:
    wrong = rates(by_keyword, lambda case: case.shape)

    assert wrong["a later mention"].wrong <= 1
    assert wrong["asked about the past"].wrong <= 1


@pytest.mark.slow
@pytest.mark.model
def test_with_the_model_of_many_languages_it_is_as_rare(multilingual: Multilingual) -> None:
    wrong = rates(measure((multilingual,)), lambda case: case.half)

    assert wrong["choosing"].percent <= 10
    assert wrong["held out"].percent <= 20
