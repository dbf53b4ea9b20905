"""Explicit statements about oneself are learned; what may be of the moment is only offered."""

from __future__ import annotations

from remem.extract import guards
from remem.extract.conversation import learn
from remem.model.lesson import Utterance
from tests.tables import each_row


def taken(text: str) -> list[tuple[str, str]]:
    found = learn([Utterance("user", text, "talk.jsonl", 1)])
    return [(lesson.kind, lesson.text) for lesson in found.lessons]


def offered(text: str) -> list[str]:
    found = learn([Utterance("user", text, "talk.jsonl", 1)])
    assert not found.lessons
    return [lesson.text for lesson in found.likely]


@each_row(
    ("text", "kind"),
    [
        ("I live in a small flat near the harbour.", "fact"),
        ("I hate raisins in anything.", "preference"),
        ("I have a tortoise named Igor.", "fact"),
        ("Ines is now responsible for the crane inspections.", "person"),
        ("We agreed that Tomas does the accounts.", "decision"),
        ("We agreed to move the rehearsal to Monday evenings.", "decision"),
    ],
)
def test_a_statement_is_taken_whole(text: str, kind: str) -> None:
    assert taken(text) == [(kind, text)]


def test_a_decision_about_a_single_day_is_not_taken() -> None:
    assert taken("We agreed to move the rehearsal to Monday evening.") == []


@each_row(
    ("text", "words"),
    [
        ("By the way, I moved to Bern in May.", "I moved to Bern in May."),
        ("I moved to Bern in May, how do I register?", "I moved to Bern in May"),
        ("Oh, my sister lives in Basel!", "my sister lives in Basel!"),
    ],
)
def test_only_the_statement_of_a_sentence_is_taken(text: str, words: str) -> None:
    assert [found for _, found in taken(text)] == [words]


@each_row(
    ("text", "words"),
    [
        ("I'm vegan, and I'm looking for a cheap blender.", "I'm vegan"),
        ("I live in Ghent but I was in Lyon last week.", "I live in Ghent"),
        ("I like plums, pears and quinces.", "I like plums, pears and quinces."),
    ],
)
def test_an_explicit_statement_ends_where_another_one_begins(text: str, words: str) -> None:
    assert [found for _, found in taken(text)] == [words]


@each_row(
    "text",
    [
        "Last summer I cycled from Ghent to Lyon.",
        "My budget is 400 euros a month.",
        "I have a dentist appointment on Tuesday.",
        "I'm looking for new gloves, as I lost mine on a ferry in March.",
        "I had the flu for two weeks in March.",
        "I just finished Dune by Frank Herbert.",
        "I'm planning a trip to the Azores.",
        "I've been playing the cello for ten years.",
    ],
)
def test_events_plans_and_circumstances_are_only_offered(text: str) -> None:
    assert offered(text) == [text]


@each_row(
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


@each_row(
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


def test_words_that_sound_like_a_saying_are_kept_if_they_instruct() -> None:
    assert len(taken("Remember that you must never send mails at night.")) == 1
