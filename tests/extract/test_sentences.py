"""Only the words of a sentence that state something are learned, word for word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.extract.conversation import learn
from remem.extract.sentences import reason_in, statement_in
from remem.model.lesson import Utterance
from tests.tables import each_row


def taken(text: str) -> list[tuple[str, str]]:
    found = learn([Utterance("user", text, "talk.jsonl", 1)])
    return [(lesson.kind, lesson.text) for lesson in found.lessons]


@each_row(
    ("sentence", "stated"),
    [
        ("By the way, I moved to Bern.", "I moved to Bern."),
        ("Mara, I moved to Bern.", "I moved to Bern."),
        ("Eigentlich wohne ich in Ulm.", "wohne ich in Ulm."),
        ("I moved to Bern in May, how do I register?", "I moved to Bern in May"),
        ("I joined a choir, and I wanted to ask if you sing", "I joined a choir"),
        ("I sold the boat and was wondering if that was wise", "I sold the boat"),
        ("I've adopted APA, but I'm not sure if I use it well", "I've adopted APA"),
        ("Can you recommend a podcast?", "Can you recommend a podcast?"),
        ("No como carne.", "No como carne."),
    ],
)
def test_the_lead_in_and_the_request_behind_are_left_out(sentence: str, stated: str) -> None:
    assert statement_in(sentence) == stated


@each_row(
    ("question", "kind", "reason"),
    [
        ("What should I cook, considering I'm allergic to nuts?", "preference", None),
        ("Can you suggest a gift, given that my father loves stamps?", "person", None),
        ("What fits, now that I own a tandem, do you think?", "fact", "I own a tandem"),
    ],
)
def test_the_reason_for_a_question_is_learned(question: str, kind: str, reason: str | None) -> None:
    ((found, words),) = taken(question)

    assert found == kind
    assert words in question
    assert reason is None or words == reason


@each_row(
    "question",
    [
        "How do I know if I'm allergic to nuts?",
        "What if I'm using the wrong version?",
        "Could you check, because I'm not sure?",
        "Can you fix it, since I'm getting errors?",
    ],
)
def test_a_question_without_such_a_reason_teaches_nothing(question: str) -> None:
    assert taken(question) == []


def test_an_indefinite_clause_next_to_praise_is_not_learned() -> None:
    assert taken("I love how you write, and I've been working on mine.") == []


@given(st.text(alphabet=st.sampled_from("Iam,;? -.andmysince你，"), max_size=80))
def test_every_piece_is_part_of_the_sentence(sentence: str) -> None:
    stated = statement_in(sentence)
    assert stated in sentence
    reason = reason_in(sentence)
    assert reason is None or reason in sentence
