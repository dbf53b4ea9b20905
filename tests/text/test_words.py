"""The words of a text, for search and comparison, in scripts with and without spaces."""

import re
import string
import unicodedata
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.text.words import (
    STOP_WORDS,
    as_written,
    fold,
    has_grams,
    is_gram,
    search_terms,
    search_text,
    words,
)
from tests.tables import each_row

TEXTS = st.text(max_size=60)
LATIN = st.text(string.ascii_letters + string.digits + " .,-_'\n\té", max_size=60)


@given(TEXTS)
def test_spelling_the_same_characters_differently_folds_alike(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert fold(unicodedata.normalize(form, text)) == fold(text)


@given(st.text(string.ascii_letters + "äöüÄÖÜéÉ \n\t", max_size=60))
def test_case_and_white_space_fold_away(text: str) -> None:
    assert fold(f"  {text.upper()}\n") == fold(text.lower())
    assert fold(text.replace(" ", " \t ")) == fold(text)


def test_folding_does_not_join_or_cut_words() -> None:
    assert fold("Straße  in\nKöln") == "strasse in köln"
    assert fold("Ｔｏｋｙｏ ①") == "tokyo 1"
    assert fold("ab") != fold("a b")


@given(LATIN)
def test_the_fast_path_for_ascii_finds_the_same_words(text: str) -> None:
    with_an_accent = words(f"{text} é")

    assert [*words(text), "é"] == with_an_accent


def test_scripts_without_spaces_are_cut_into_pairs() -> None:
    assert words("我喜欢黑咖啡") == ["我喜", "喜欢", "欢黑", "黑咖", "咖啡"]
    assert words("茶") == ["茶"]
    assert words("Tokyo東京 2026") == ["tokyo", "東京", "2026"]


def test_search_text_has_coded_grams_next_to_words() -> None:
    assert search_text("plain text") == "plain text"
    coded = search_text("黒い").split()

    assert [term for term in coded if is_gram(term)] == coded
    assert set(search_terms("黒い")) < set(coded)
    assert set(search_terms("黒")) < set(coded)


@given(st.text("茶咖啡黒いコーヒー한국어ไทยกาแฟقهوة🍵🎉", min_size=1, max_size=12), st.data())
def test_every_part_of_a_run_is_found_by_its_grams(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))]

    assert set(search_terms(part, limit=99)) <= set(search_text(text).split())


def test_stop_words_are_left_out_unless_there_is_nothing_else() -> None:
    assert search_terms("How does the coffee taste?") == ["coffee", "taste"]
    assert search_terms("who are you") == ["who", "are", "you"]
    assert search_terms("?!") == []


def test_a_compound_is_a_term_in_addition_to_its_parts() -> None:
    assert search_terms("Ubuntu 20.04 pre-edit") == ["Ubuntu", "20.04", "20", "04", *PRE_EDIT]
    assert search_terms("what's O'Brien at 10 GB/s") == [
        "what's", "O'Brien", "Brien", "10", "GB/s", "GB",
    ]  # fmt: skip


PRE_EDIT = ["pre-edit", "pre", "edit"]


def test_terms_come_once_and_in_order_up_to_the_limit() -> None:
    many = " ".join(f"word{i} word{i}" for i in range(60))

    assert search_terms(many) == [f"word{i}" for i in range(48)]
    assert search_terms(many, limit=2) == ["word0", "word1"]


@given(TEXTS)
def test_any_text_gives_terms_without_white_space(text: str) -> None:
    assert not any(character.isspace() for term in search_terms(text) for character in term)


@each_row(("text", "grams"), [("咖啡", True), ("plain", False), ("é", False)])
def test_scripts_that_are_searched_by_pairs_are_known(text: str, grams: bool) -> None:
    assert has_grams(text) is grams


def test_stop_words_are_written_as_they_are_compared() -> None:
    assert all(word == word.casefold() for word in STOP_WORDS)


def test_a_chinese_question_has_significant_characters_in_addition_to_pairs() -> None:
    assert search_terms("猫的名字") == [
        "q29483x30340",
        "q30340x21517",
        "q21517x23383",
        "q29483",
        "q21517",
        "q23383",
    ]
    assert search_terms("什么") == ["q20160x20040"]


def test_a_mixed_line_is_found_by_both_of_its_parts() -> None:
    line = search_text("部署用 ｋｕｂｅｃｔｌ apply，端口 5433").split()

    for question in ("kubectl 怎么用", "部署", "端口5433"):
        assert set(search_terms(question)) & set(line), question
    assert {"kubectl", "apply", "5433"} <= set(line)


def test_the_end_of_a_long_chinese_story_is_what_is_asked() -> None:
    story = "".join(chr(0x4E00 + i) for i in range(400)) + "猫叫小白"

    assert {"q29483x21483", "q29483"} <= set(search_terms(story))


def test_the_words_of_plain_text_are_its_runs_of_letters_and_digits() -> None:
    drawn = Random(3)
    for _ in range(2_000):
        text = "".join(chr(drawn.randrange(128)) for _ in range(drawn.randrange(40)))
        assert words(text) == re.findall(r"[a-z0-9]+", text.casefold()), text


@pytest.mark.parametrize("word", ["端口", "口", "ポート", "q4", "q3x7", "tea", "q"])
def test_a_search_term_can_be_read_as_it_was_written(word: str) -> None:
    assert as_written(search_terms(word)[0]) in word
    assert as_written(word) == word
