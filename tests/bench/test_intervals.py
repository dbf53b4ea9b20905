"""An interval is repeatable, and tells a gain from noise."""

from __future__ import annotations

from random import Random

from bench.intervals import interval, macro_interval, paired, verdict


def test_an_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    values = [Random(i).random() for i in range(200)]
    low, high = interval(values)

    assert low < sum(values) / 200 < high
    assert interval(values) == (low, high)


def test_more_questions_make_it_narrower() -> None:
    values = [float(i % 2) for i in range(1_000)]
    few, many = interval(values[:50]), interval(values)

    assert many[1] - many[0] < few[1] - few[0]


def test_the_macro_interval_resamples_within_each_category() -> None:
    low, high = macro_interval({"sure": [1.0] * 50, "open": [0.0, 1.0] * 25})

    assert 0.5 < low < 0.75 < high < 1


def test_a_small_gain_on_every_question_is_a_gain() -> None:
    before = {str(i): Random(i).random() for i in range(100)}
    after = {key: value + 0.01 for key, value in before.items()}

    mean, bounds = paired(after, before)
    assert round(mean, 4) == 0.01
    assert verdict(bounds) == "gain"
    assert verdict(paired(before, after)[1]) == "loss"


def test_noise_is_no_gain() -> None:
    before = {str(i): Random(i).random() for i in range(100)}
    after = {str(i): Random(i + 1_000).random() for i in range(100)}

    assert verdict(paired(after, before)[1]) == "no difference shown"
