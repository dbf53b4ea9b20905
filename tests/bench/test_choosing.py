"""Weights are found under which evidence is likeliest, and what says nothing gets none."""

from __future__ import annotations

import numpy as np
import pytest

from bench.choosing import Choice, Numbers, likeliest

TRUE = np.array([1.0, -0.5, 2.0, 0.0])


def picked(factors: Numbers, questions: int = 400, seed: int = 3) -> list[Choice]:
    """Questions that pick one of twelve candidates as these factors have it."""
    random = np.random.default_rng(seed)
    choices = []
    for _ in range(questions):
        given = random.normal(size=(12, len(factors)))
        sums = given @ factors
        shares = np.exp(sums) / np.exp(sums).sum()
        choices.append(Choice(given, np.arange(12) == random.choice(12, p=shares)))
    return choices


def test_the_factors_behind_the_choices_are_found() -> None:
    assert likeliest(picked(TRUE)) == pytest.approx(TRUE, abs=0.25)


def test_a_signal_against_the_evidence_gets_a_factor_below_nothing() -> None:
    turned = [Choice(-choice.given, choice.evidence) for choice in picked(TRUE)]

    assert likeliest(turned) == pytest.approx(-TRUE, abs=0.25)


def test_no_other_factors_near_them_are_likelier() -> None:
    choices = picked(TRUE, 100)
    found = likeliest(choices, regularisation=0.0)

    def surprise(factors: Numbers) -> float:
        return sum(
            float(np.log(np.exp(choice.given @ factors).sum()) - (choice.given @ factors)[i])
            for choice in choices
            for i in np.flatnonzero(choice.evidence)
        )

    for i in range(len(found)):
        for by in (-0.05, 0.05):
            beside = found.copy()
            beside[i] += by
            assert surprise(beside) > surprise(found)


def test_few_questions_do_not_make_a_weight_endless() -> None:
    sure = Choice(np.array([[1.0], [0.0]]), np.array([True, False]))

    assert 1 < likeliest([sure])[0] < 20


def test_questions_whose_evidence_was_not_found_change_nothing() -> None:
    choices = picked(TRUE, 50)
    lost = Choice(choices[0].given, np.zeros(12, bool))

    assert likeliest([*choices, lost]) == pytest.approx(likeliest(choices))
    assert not likeliest([lost]).any()
    assert likeliest([]).size == 0
