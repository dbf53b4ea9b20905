"""The comparison with peers counts what it says: on remem itself, and on answers made by hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from scripts.peers.corpus import errands
from scripts.peers.measure import measured, ranking
from scripts.peers.memories import Remem
from scripts.peers.report import plot, tables
from scripts.peers.speaking import NoAnswer, Spoken, strings

FACTS = ("Anna sees the dentist on Monday.", "Bruno parks in bay 7.", "Chiara is allergic to kiwi.")


def test_the_facts_of_an_answer_are_ranked_by_their_place_in_it() -> None:
    answer = {"content": [{"text": json.dumps([{"text": FACTS[2]}, {"text": FACTS[0]}])}]}
    assert ranking(answer, FACTS) == [2, 0]


def test_a_question_that_is_repeated_in_the_answer_is_no_fact() -> None:
    backwards = " ".join(reversed(FACTS[0].split()))
    assert ranking({"text": f"nothing found for '{backwards}'"}, FACTS) == []


def test_a_text_that_is_json_is_opened_and_another_is_not() -> None:
    assert list(strings(['{"a": "b"}', "{not json", ["c"]])) == ["b", "{not json", "c"]


def test_every_errand_is_asked_for_in_two_ways() -> None:
    corpus = errands(facts=50, questions=10)
    assert len(set(corpus.facts)) == 50
    own, other = corpus.questions.values()
    assert [question.answers for question in own] == [question.answers for question in other]
    assert len(own) == 10


@pytest.mark.slow
def test_remem_is_measured_and_loses_nothing_when_it_is_killed(tmp_path: Path) -> None:
    corpus = errands(facts=10, questions=3)
    peer = Remem(Path(sys.executable).parent, "no model")

    row = measured(peer, [corpus], tmp_path, lambda text: None)

    assert not row.trouble
    assert row.found["errands: in its own words"].recall5 == 1
    assert (row.acknowledged, row.survived, row.refused) == (10, 10, {"errands": 0})
    assert "| remem | no model | errands: in its own words | 100.0% |" in tables([row], {}, {})
    assert "remem, no model" in plot([row], "errands: in its own words")


def test_a_program_that_ends_is_one_that_gives_no_answer(tmp_path: Path) -> None:
    with Spoken([sys.executable, "-c", ""], {}, tmp_path) as line, pytest.raises(NoAnswer):
        line.greet()
