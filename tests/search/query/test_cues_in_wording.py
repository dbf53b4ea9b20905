"""Cues in the wording of questions and memories."""

from __future__ import annotations

from remem.search.query.terms import (
    asks_when,
    is_question,
    mentions_time,
    person_asked_about,
)
from remem.text.words import words
from tests.tables import each_row


@each_row("text", ["When was that?", "What day is it", "何时出发", "Wann kommt er?"])
def test_questions_for_a_time_are_recognised(text: str) -> None:
    assert asks_when(text)


@each_row("text", ["Who came?", "What is a whenever-clause", "Where?"])
def test_other_questions_do_not_ask_for_a_time(text: str) -> None:
    assert not asks_when(text)


@each_row("text", ["I went yesterday.", "Two weeks ago", "in March", "see you Friday"])
def test_texts_that_mention_a_time_are_recognised(text: str) -> None:
    assert mentions_time(text)
    assert not mentions_time("I like it very much.")


@each_row("text", ["Really?", "真的吗？", "حقا؟"])
def test_questions_are_recognised(text: str) -> None:
    assert is_question(text)
    assert not is_question("Really.")


@each_row(
    ("text", "meant"),
    [
        ("Where does Mara sail?", "mara"),
        ("What did Tom tell Mara about the boat?", "tom"),
        ("What does Mara think of Tom's boat?", "mara"),
        ("Which boat did Eva Lund lend to Tom?", "eva lund"),
        ("Which boat do Mara and Tom have?", None),
        ("Is it Mara's or Tom's boat?", None),
        ("Do Eva Lund and Tom sail?", None),
        ("Which boat is for sale?", None),
    ],
)
def test_of_several_people_the_first_one_is_meant(text: str, meant: str | None) -> None:
    assert person_asked_about(words(text), {"mara", "tom", "eva lund"}) == meant


def test_a_name_that_two_people_share_means_nobody() -> None:
    assert person_asked_about(words("Where does Lund sail?"), ["eva lund", "nils lund"]) is None
