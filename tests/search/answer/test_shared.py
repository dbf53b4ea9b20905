"""Answers of several spaces become one answer."""

from __future__ import annotations

from remem.embed.counters import EstimatedCounter
from remem.search.answer.answer import Answer, Recalled
from remem.search.answer.shared import AnswerOfSpace, merge_answers
from remem.search.rank.clarity import NO_CLEAR_MATCH
from tests.store.sqlite.sample import NOW


def answer_of(space: str, content: str = "", *, clear: bool = True) -> AnswerOfSpace:
    entries = (Recalled(f"mem-{space}", "fact", content, "medium", 0.5, NOW),) if content else ()
    notes = () if clear else (NO_CLEAR_MATCH,)
    return AnswerOfSpace(space, Answer(entries, 0, 0, len(entries), notes=notes), {})


def notes(*answers: AnswerOfSpace) -> tuple[str, ...]:
    return merge_answers(answers, "office hours", 1000, EstimatedCounter()).notes


def test_one_space_that_clearly_answers_is_enough() -> None:
    clear, unclear = answer_of("ops", "Nine to five."), answer_of("home", "The van.", clear=False)

    assert notes(clear, unclear) == ()
    assert notes(unclear, answer_of("empty")) == (NO_CLEAR_MATCH,)
