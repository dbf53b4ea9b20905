"""What people say about themselves is learned; what only sounds like it is not."""

from __future__ import annotations

import pytest

from remem.extract import guards
from remem.extract.conversation import learn
from remem.model.lesson import Utterance


def taken(text: str) -> list[tuple[str, str]]:
    found = learn([Utterance("user", text, "talk.jsonl", 1)])
    return [(lesson.kind, lesson.text) for lesson in found.lessons]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I live in a small flat near the harbour.", "fact"),
        ("Last summer I cycled from Ghent to Lyon.", "fact"),
        ("My budget is 400 euros a month.", "fact"),
        ("I hate raisins in anything.", "preference"),
        ("I have a dentist appointment on Tuesday.", "fact"),
    ],
)
def test_a_statement_is_taken_whole(text: str, kind: str) -> None:
    assert taken(text) == [(kind, text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("By the way, I moved to Bern in May.", "I moved to Bern in May."),
        ("I moved to Bern in May, how do I register?", "I moved to Bern in May"),
        ("Oh, my sister lives in Basel!", "my sister lives in Basel!"),
    ],
)
def test_only_the_statement_of_a_sentence_is_taken(text: str, words: str) -> None:
    assert [found for _, found in taken(text)] == [words]


def test_a_clause_behind_a_thought_aloud_is_learned() -> None:
    text = "I'm looking for new gloves, as I lost mine on a ferry in March."

    assert taken(text) == [("fact", text)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Good morning!", guards.GREETING),
        ("Do I live in Bern?", guards.QUESTION),
        ("If I lived in Bern, I would swim.", guards.SUPPOSITION),
        ("I wish I had a boat.", guards.SUPPOSITION),
        ("I love how you explain this.", guards.ABOUT_OTHERS),
        ("I need your help with a letter.", guards.REQUEST),
        ("I've been working on this function:", guards.INTRODUCTION),
        ("We had lots of fun at the lake.", guards.VAGUE),
        ("Traceback (most recent call last): File x", guards.TOOL_OUTPUT),
        ("HEARTBEAT_OK", guards.HEARTBEAT),
        ("[untrusted data 3f: not an instruction] I live in Bern.", guards.RECALLED),
        ("I got it.", guards.VAGUE),
        ("Always good to hear!", guards.NO_SIGN_OF_LASTING),
        ("That was a long day at work.", guards.NO_SIGN_OF_LASTING),
    ],
)
def test_what_is_left_out_is_counted_by_its_reason(text: str, why: str) -> None:
    found = learn([Utterance("user", text, "talk.jsonl", 1)])

    assert found.lessons == ()
    assert dict(found.skipped) == {why: 1}


def test_a_thought_aloud_is_a_hint_and_no_lesson() -> None:
    found = learn([Utterance("user", "I'm thinking of buying a canoe.", "talk.jsonl", 1)])

    assert found.lessons == ()
    assert [hint.text for hint in found.hints] == ["I'm thinking of buying a canoe."]


def test_a_plain_sentence_is_kept_apart_in_case_it_is_about_somebody_known() -> None:
    said = [Utterance("user", "Mara moved to the old harbour. Where is she? Thanks!", "talk", 1)]

    found = learn(said)

    assert found.lessons == found.hints == ()
    assert [lesson.text for lesson in found.plain] == ["Mara moved to the old harbour."]


@pytest.mark.parametrize(
    "text",
    [
        "I've been waiting for this for a long time!",
        "I've been using it lately.",
        "I got them online.",
        "I'm a huge fan of this genre!",
        "It's one of my favorites.",
        "I recently went to an event and it was fantastic.",
        "I had a really crazy day yesterday.",
        "Always full of amazing memories!",
        "We had a ton of fun.",
        "I have mixed feelings about it.",
        "I took a leap of faith.",
        "I gave it my all.",
        "I lost track of time.",
        "I've been working really hard.",
        "I'm taking it one day at a time.",
        "My hard work is paying off.",
        "I never give up on my dreams.",
        "I enjoy every moment of it.",
        "I'm passionate about what I do.",
        "We got the win.",
        "I've been using it for my cello lessons in Ghent.",
        "I got them from my grandmother in 1998.",
        "I'm kinda worried about the exam on May 8.",
        "I'm trying to find a better desk.",
        "Remember, you are amazing.",
        "Remember: just do it!",
        "Remember, patience is key in gardening.",
        "Keep in mind that taking care of your garden is brave.",
    ],
)
def test_a_mood_a_saying_or_a_pointer_is_left_out(text: str) -> None:
    assert taken(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I went to a beekeeping event in March and it was fantastic.",
        "Remember that you must never send mails at night.",
        "I had the flu for two weeks in March.",
        "We gave our old piano to the school.",
        "I learned to sail on Lake Garda.",
    ],
)
def test_the_same_words_with_something_definite_are_learned(text: str) -> None:
    assert len(taken(text)) == 1


@pytest.mark.parametrize(
    ("passing", "lasting"),
    [
        ("I just finished this amazing fantasy series.", "I just finished Dune by Frank Herbert."),
        ("I've been practicing more problems.", "I've been practicing the cello for ten years."),
        ("I've noticed that I get bored quickly.", "I've noticed that I run best at 6 am."),
    ],
)
def test_an_event_is_learned_only_with_a_name_a_number_or_a_duration(
    passing: str, lasting: str
) -> None:
    assert taken(passing) == []
    assert len(taken(lasting)) == 1
