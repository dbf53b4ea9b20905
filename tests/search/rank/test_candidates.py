"""Candidates come with their neighbours, for words in corrected spelling."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from remem.app.workspace import Workspace
from remem.model.entry import Origin
from remem.ports.models import QueryEmbedding
from remem.search.query.question import parse_question
from remem.search.rank.candidates import correct_spelling, weighted_terms
from tests.conftest import NOW, Opener
from tests.deterministic import Deterministic

TODAY = date(2026, 11, 15)


class Listening(Deterministic):
    """Remembers the questions that it was asked to encode."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def embed_query(self, text: str) -> QueryEmbedding:
        self.heard.append(text)
        return super().embed_query(text)


def talk(memory: Workspace, *said: tuple[str, str]) -> Sequence[str]:
    receipts = memory.store_many(
        {
            "category": "fact",
            "content": f"{speaker}: {text}",
            "origin": Origin("chat", i, speaker, "user"),
            "created_at": NOW,
        }
        for i, (speaker, text) in enumerate(said)
    )
    memory.maintenance.embed_pending()
    return [receipt.id for receipt in receipts]


def test_a_misspelt_word_is_searched_for_and_embedded_in_the_corrected_spelling(
    opened: Opener,
) -> None:
    model = Listening()
    memory = opened(embedder=model)
    talk(memory, ("Mara", "The goldfish is ill again."), ("Tom", "Take my pump."))

    answer = memory.recall("What about the goldfihs?")

    assert "goldfish" in answer.entries[0].content
    assert model.heard[-1] == "What about the goldfish?"


def test_a_known_word_is_not_corrected(opened: Opener) -> None:
    memory = opened()
    talk(memory, ("Mara", "The allotment flooded again."))

    with memory.services.store.read() as snapshot:
        question = correct_spelling(
            parse_question("allotment, or apartment?", TODAY),
            lambda _: False,
            snapshot.stored_spelling,
        )

    assert question.corrections == {}
    assert question.corrected_text == "allotment, or apartment?"


def test_a_word_that_only_the_model_knows_is_not_corrected(opened: Opener) -> None:
    memory = opened()
    talk(memory, ("Mara", "We gather at the month's end."))

    with memory.services.store.read() as snapshot:
        asked = parse_question("gathre mother", TODAY)
        question = correct_spelling(asked, lambda word: word == "mother", snapshot.stored_spelling)

    assert question.corrections == {"gathre": "gather"}


def test_a_corrected_word_weighs_less() -> None:
    question = parse_question("the allotmemt flooded", TODAY)
    plain = weighted_terms(question)

    assert plain.terms == ("allotmemt", "flooded")
    assert set(plain.weights) == {1.0}


def test_an_answer_is_found_by_the_words_of_the_question_before_it(opened: Opener) -> None:
    memory = opened(keywords_only=True)
    ids = talk(
        memory,
        ("Tom", "Which kiln did you buy?"),
        ("Mara", "A small green Rohde."),
        *(("Tom", f"Nothing to do with it, number {i}.") for i in range(5)),
    )

    found = [entry.id for entry in memory.recall("kiln bought").entries]

    assert ids[1] in found[:2]


def test_neighbours_in_another_conversation_do_not_count(opened: Opener) -> None:
    memory = opened(keywords_only=True)
    memory.store(category="fact", content="Which kiln did you buy?")
    memory.store(category="fact", content="A small green Rohde.")

    assert [entry.content for entry in memory.recall("kiln bought").entries] == [
        "Which kiln did you buy?"
    ]


def test_a_larger_budget_reads_more_hits(opened: Opener) -> None:
    memory = opened()
    memory.store_many(
        {"category": "fact", "content": f"Walnut number {i} fell."} for i in range(150)
    )

    plenty = memory.recall("walnut", token_budget=100_000)
    usual = memory.recall("walnut")

    assert len(plenty.entries) == 150
    assert len(usual.entries) + usual.left_out == usual.total_entries_matched == 150
    assert len(usual.entries) < 60, "the default budget ends before what is looked at does"
    assert len(memory.recall("walnut", token_budget=100_000, limit=130).entries) == 130
