"""One suite for every TokenCounter."""

import importlib
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.embed import counters
from remem.embed.counters import EstimatedCounter, ExactCounter, choose_counter
from remem.errors import ConfigError
from remem.ports.models import TokenCounter

COUNTERS: list[TokenCounter] = [EstimatedCounter(), ExactCounter()]
every_counter = pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.name)


@every_counter
def test_nothing_costs_nothing(counter: TokenCounter) -> None:
    assert counter.count("") == 0


@every_counter
@given(text=st.text(min_size=1, max_size=200))
def test_a_text_costs_at_least_one_token(counter: TokenCounter, text: str) -> None:
    assert counter.count(text) >= 1


@every_counter
def test_two_counters_of_a_kind_agree_and_have_a_name(counter: TokenCounter) -> None:
    text = "We drink tea — 我们喝茶 — at 4 o'clock."

    assert counter.count(text) == type(counter)().count(text)
    assert counter.name


@every_counter
def test_half_a_surrogate_pair_breaks_nothing(counter: TokenCounter) -> None:
    assert counter.count("tea \ud83d or \udc00 coffee") >= 4


@every_counter
def test_the_names_of_special_tokens_are_ordinary_words(counter: TokenCounter) -> None:
    assert counter.count("<|endoftext|>") > 3


@every_counter
def test_a_text_of_megabytes_is_counted(counter: TokenCounter) -> None:
    line = "It rained, and we stayed at home.\n"

    assert counter.count(line * 40_000) >= 40_000 * 9


@every_counter
@given(left=st.text(max_size=60), right=st.text(max_size=60))
def test_a_line_added_to_a_text_costs_no_more_than_the_line(
    counter: TokenCounter, left: str, right: str
) -> None:
    """What budgets lean on: count each line with the break before it, and add up."""
    line = "\n" + right

    assert counter.count(left + line) <= counter.count(left) + counter.count(line) + 1


def test_long_texts_are_counted_as_exactly_as_short_ones() -> None:
    words = " tea is ready" * 10_000

    assert ExactCounter().count(words) == 30_000
    assert ExactCounter().count(f"{words}\n{words}") == 60_001


def test_the_exact_counter_is_chosen_where_it_is_installed() -> None:
    assert choose_counter().name == "o200k"


def test_without_the_extra_the_estimate_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "splintr", None)

    assert choose_counter().name == "estimate"


def test_asking_for_the_exact_counter_without_the_extra_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "splintr", None)
    monkeypatch.delitem(sys.modules, counters.__name__)
    loaded_again = importlib.import_module(counters.__name__)

    with pytest.raises(ConfigError, match="pip install splintr-rs"):
        loaded_again.ExactCounter().count("tea")
