"""Cues in the wording of questions and memories."""

from __future__ import annotations

import pytest

from remem.search.query.terms import (
    asks_about_assistant,
    asks_when,
    is_question,
    mentions_time,
    person_asked_about,
)
from remem.text.words import words


@pytest.mark.parametrize("text", ["When was that?", "What day is it", "何时出发", "Wann kommt er?"])
def test_questions_for_a_time_are_recognised(text: str) -> None:
    assert asks_when(text)


@pytest.mark.parametrize("text", ["Who came?", "What is a whenever-clause", "Where?"])
def test_other_questions_do_not_ask_for_a_time(text: str) -> None:
    assert not asks_when(text)


@pytest.mark.parametrize(
    "text", ["I went yesterday.", "Two weeks ago", "in March", "see you Friday"]
)
def test_texts_that_mention_a_time_are_recognised(text: str) -> None:
    assert mentions_time(text)
    assert not mentions_time("I like it very much.")


@pytest.mark.parametrize("text", ["Really?", "真的吗？", "حقا؟"])
def test_questions_are_recognised(text: str) -> None:
    assert is_question(text)
    assert not is_question("Really.")


@pytest.mark.parametrize(
    "text",
    [
        "Which restaurant did you recommend?",
        "Remind me what you said about tyres.",
        "In our previous conversation there was a list of books.",
        "Our conversation about tyres ended with a table.",
        "Which books came up in our last chats?",
        "Which of the tyres you've mentioned last longest?",
        "Can you remind me how long the bread should rise?",
    ],
)
def test_questions_about_the_assistants_words_are_recognised(text: str) -> None:
    assert asks_about_assistant(text)
    assert not asks_about_assistant("Which restaurant did I like?")


@pytest.mark.parametrize(
    "text",
    [
        "Which tyres would you suggest for the winter?",
        "Can you recommend a book I might like?",
        "Could you explain step by step how bread rises?",
        "How many AI tools have I mentioned?",
        "In which order did I bring up the repairs throughout our conversations?",
        "Sum up how my garden has changed over our chats.",
    ],
)
def test_a_request_for_new_advice_is_not_about_the_assistants_words(text: str) -> None:
    assert not asks_about_assistant(text)


@pytest.mark.parametrize(
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
