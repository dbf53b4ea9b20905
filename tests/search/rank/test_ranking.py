"""Named signals decide the order, each can be left out, and `why` shows what each gave."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from remem.errors import InvalidInput
from remem.model.entry import Origin
from remem.search.query.question import parse_question
from remem.search.rank.context import SIGNALS, require_signals, weights_for
from remem.search.rank.ranking import Candidate, Ranked, rank, standard_scores
from tests.store.sqlite.sample import NOW, entry

TODAY = date(2026, 11, 15)


def said(row: int, text: str, speaker: str = "Mara", **fields: Any) -> Candidate:
    role = fields.pop("role", "user")
    created = fields.pop("created_at", NOW)
    found = entry(text, origins=(Origin("chat", row, speaker, role),), created_at=created)
    return Candidate(row, found, **{"kind": "talk", "keyword": 1.0, **fields})


def order(question: str, *candidates: Candidate, without: tuple[str, ...] = ()) -> list[str]:
    return [each.entry.content for each in ranked(question, *candidates, without=without)]


def ranked(question: str, *candidates: Candidate, without: tuple[str, ...] = ()) -> list[Ranked]:
    return rank(candidates, parse_question(question, TODAY), NOW, frozenset(without))


def test_the_person_that_is_meant_is_heard_first() -> None:
    both = said(1, "I sail.", "Tom"), said(2, "I swim.", "Mara")

    assert order("What sport does Mara do?", *both) == ["I swim.", "I sail."]
    assert order("What sport does Mara do?", *both, without=("person",))[0] == "I sail."
    assert order("What sport do Mara and Tom do?", *both)[0] == "I sail."
    assert order("What sport did Mara teach Tom?", *both)[0] == "I swim."


def test_an_answer_inherits_what_was_asked_right_before_it() -> None:
    asked = said(1, "Which boat did you buy?", keyword=3.0)
    other, answer = said(2, "Lovely weather."), said(3, "A small dinghy.", before=1)

    found = order("boat bought", other, asked, answer)
    assert found.index("A small dinghy.") < found.index("Lovely weather.")
    assert order("boat bought", other, asked, answer, without=("answer",))[-1] == "A small dinghy."


def test_days_that_are_named_draw_what_was_said_then() -> None:
    then = said(1, "I fell off.", created_at="2026-03-04T10:00:00Z")
    later = said(2, "I got on.", created_at="2026-09-01T10:00:00Z")

    assert order("What happened on 4 March 2026?", later, then)[0] == "I fell off."


def note(row: int, text: str, **legs: Any) -> Candidate:
    return Candidate(row, entry(text), kind="note", **legs)


def test_where_pages_stand_beside_lines_a_line_that_is_as_like_comes_first() -> None:
    page, line = "The printer, and much more. " * 60, "The printer needs toner."
    some = [note(1, page, keyword=2.0), note(2, line, keyword=2.0), note(3, "Tea.", keyword=0.1)]

    assert order("printer", *some)[0] == line
    assert order("printer", *some, without=("brevity",))[0] == page


def test_among_notes_of_one_size_length_says_nothing() -> None:
    some = [note(1, "The printer in the hall needs toner."), note(2, "The printer needs toner.")]

    assert all(each.why["brevity"] == 0 for each in ranked("printer", *some))


def test_when_is_answered_by_what_tells_a_time() -> None:
    plain, timed = said(1, "The fair was nice."), said(2, "The fair was last Friday.")

    assert order("When was the fair?", plain, timed)[0] == "The fair was last Friday."
    assert "when" not in ranked("Where was the fair?", plain, timed)[0].why


def test_with_an_assistant_the_persons_own_words_come_first_unless_its_own_are_asked_for() -> None:
    model = said(1, "A hybrid bike is good.", role="assistant", kind="agent")
    person = said(2, "My bike is a Koga.", kind="agent")

    assert order("What bike do I have?", model, person)[0] == "My bike is a Koga."
    assert "role" not in ranked("Which bike did you recommend?", model, person)[0].why


def test_by_words_alone_an_assistants_page_does_not_bury_a_persons_line() -> None:
    both = (
        said(1, "A bike is a fine thing. " * 20, role="assistant", kind="agent", keyword=3.0),
        said(2, "My bike is a Koga.", kind="agent", keyword=1.5),
    )

    assert order("Which bike do I have?", *both)[0] == "My bike is a Koga."
    assert order("Which bike do I have?", *both, without=("role",))[0] != "My bike is a Koga."


def test_a_note_is_moved_by_nothing_that_belongs_to_conversations() -> None:
    notes = weights_for(model=True)["note"]

    assert not notes.keys() & {"source", "answer", "asks", "length", "when", "role"}


@pytest.mark.parametrize("name", SIGNALS)
def test_every_signal_can_be_left_out(name: str) -> None:
    one, two = said(1, "I sail.", meaning=0.5, tokens=0.2), said(2, "I swim?", meaning=0.1)

    for each in ranked("When did Mara sail?", one, two, without=(name,)):
        assert name not in each.why


def test_an_unknown_signal_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match=r"unknown signal 'magic'.*keyword"):
        require_signals(["keyword", "magic"])


def test_the_score_is_what_why_adds_up_to() -> None:
    best, other = ranked(
        "Where does Mara sail?", said(1, "I sail at sea.", keyword=2.0), said(2, "No.")
    )

    assert sum(best.why.values()) > sum(other.why.values())
    assert 1 > best.score > other.score > 0


def test_what_hardly_differs_is_not_pulled_apart() -> None:
    assert max(standard_scores([0.500, 0.501], 0.05)) < 0.1
    assert standard_scores([3.0], 0.1) == [1.0]
