"""The samples in many languages are a guard: stems and the model must earn their place in them."""

from __future__ import annotations

import pytest

from bench.languages import LanguageRun, Setting, measure, samples, settings
from remem.embed.multilingual import Multilingual
from tests.deterministic import Deterministic
from tests.embed.model import multilingual, multilingual_folder

__all__ = ["multilingual", "multilingual_folder"]

STEMMED = ("de", "fr", "es", "ru")


def share(run: LanguageRun, way: str, *, first: bool = False) -> float:
    """The mean over the languages that are asked that way."""
    rates = [rate[way] for rate in run.rates.values() if way in rate]
    return sum(rate.first if first else rate.among_three for rate in rates) / len(rates)


@pytest.fixture(scope="module")
def plain() -> LanguageRun:
    return measure(Setting("plain", stems=False), languages=STEMMED)


def test_stems_find_other_forms_of_a_word(plain: LanguageRun) -> None:
    stems = measure(Setting("stems"), languages=STEMMED)

    assert share(stems, "forms", first=True) >= share(plain, "forms", first=True) + 15
    assert share(stems, "forms") >= 95


def test_scripts_without_spaces_and_mixed_lines_are_found_by_their_characters() -> None:
    run = measure(Setting("stems"), languages=("zh", "ja", "ko", "mixed"))

    assert share(run, "forms", first=True) == 100


@pytest.mark.model
def test_the_model_of_many_languages_finds_other_words_in_and_across_them(
    multilingual: Multilingual,
) -> None:
    setting = Setting("model", embedders=(multilingual,))
    run = measure(setting, languages=("de", "zh", "ja", "across"))

    assert share(run, "words") >= 90
    assert share(run, "words", first=True) >= 75


def test_every_question_names_a_memory_that_is_there() -> None:
    for sample in samples().values():
        asked = [right for way in ("forms", "words") for _, right in sample[way]]
        assert all(0 <= number < len(sample["memories"]) for number in asked)
        assert len({*sample["memories"], *sample.get("others", ())}) == len(
            [*sample["memories"], *sample.get("others", ())]
        )


def test_each_model_is_measured_alone_and_with_the_others() -> None:
    one, other = Deterministic(), Deterministic()

    assert [(setting.stems, setting.embedders) for setting in settings({"a": one, "b": other})] == [
        (False, ()),
        (True, ()),
        (True, (one,)),
        (True, (other,)),
        (True, (one, other)),
    ]
