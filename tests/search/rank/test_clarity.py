"""The closest texts for a question about something unknown are not passed off as answers."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from remem.app.environment import choose_embedders
from remem.app.opening import open_workspace
from remem.config import Config
from remem.search.query.question import parse_question
from remem.search.query.terms import UNKNOWN_WEIGHT, Term
from remem.search.rank.clarity import NO_CLEAR_MATCH, matches_clearly
from remem.search.rank.ranking import Candidate, rank
from tests.search.quality_set import NOTE_QUESTIONS, NOTES
from tests.store.sqlite.sample import NOW, entry

LINE = "The office hours are nine to five."


def is_clear(
    question: str, meaning: float | None, interaction: float | None = None, *, foreign: bool = False
) -> bool:
    asked = parse_question(question, date(2026, 11, 15))
    found = Candidate(entry(LINE), 1.0, meaning, interaction, other_language=foreign)
    known = {"office", "hours"}
    terms = [Term(w, weight=4.0 if w in known else UNKNOWN_WEIGHT) for w in asked.terms]
    return matches_clearly(rank([found], asked, NOW), asked, terms, 1000)


def test_one_common_word_of_a_question_about_something_else_is_no_clear_match() -> None:
    assert is_clear("office hours", meaning=0.3)
    assert not is_clear("Eiffel tower opening hours", meaning=0.2)
    assert is_clear("Eiffel tower opening hours", meaning=0.2, interaction=0.3), "word by word"
    assert is_clear("When may I visit?", meaning=0.6), "by meaning alone"
    assert not is_clear("?!", meaning=0.3), "without any word"


def test_a_text_in_another_language_needs_no_word_of_the_question() -> None:
    assert not is_clear("Wann ist das Haus offen?", meaning=0.35)
    assert is_clear("Wann ist das Haus offen?", meaning=0.35, foreign=True)


def test_nothing_is_said_without_vectors_or_where_a_date_selects() -> None:
    assert is_clear("Eiffel tower opening hours", meaning=None)
    assert is_clear("what happened yesterday at the tower", meaning=0.0)


def test_a_question_for_a_category_is_judged_unless_it_asks_for_a_list() -> None:
    assert is_clear("my preferences", meaning=0.1)
    assert not is_clear("Who won the battle of Waterloo?", meaning=0.1)


@pytest.mark.model
@pytest.mark.skipif(not choose_embedders(Config())[0], reason="the local model is not here")
def test_recall_and_search_say_when_nothing_clearly_matches(tmp_path: Path) -> None:
    with open_workspace(tmp_path, background=False) as memory:
        memory.store_many([{"category": "fact", "content": text} for text in NOTES])
        memory.maintenance.embed_pending()
        questions = [question for question, _ in NOTE_QUESTIONS]

        assert not [q for q in questions if NO_CLEAR_MATCH in memory.recall(q).notes]
        assert NO_CLEAR_MATCH in memory.recall("the last opera by Verdi").notes
        found = memory.search("the last opera by Verdi")
        assert found.results
        scores = [result.score for result in found.results]
        scores += [entry.score for entry in memory.recall("the last opera by Verdi").entries]
        assert max(scores) < 0.5, "a score near 1 would look like an answer"
        assert memory.search(questions[0]).results[0].score > 0.7
        assert found.warning == f"{NO_CLEAR_MATCH.capitalize()}."
