"""Named signals decide the order; any of them can be left out, and `why` shows their shares."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from remem.errors import InvalidInput
from remem.model.entry import Origin
from remem.model.passage import Passage
from remem.search.query.question import parse_question
from remem.search.rank.ranking import Candidate, RankedCandidate, rank, standard_scores
from remem.search.rank.weights import SIGNALS, require_signals, weights_for
from tests.store.sqlite.sample import NOW, entry
from tests.tables import each_row

TODAY = date(2026, 11, 15)


def said(row: int, text: str, speaker: str = "Mara", **fields: Any) -> Candidate:
    role = fields.pop("role", "user")
    created = fields.pop("created_at", NOW)
    found = entry(text, origins=(Origin("chat", row, speaker, role),), created_at=created)
    return Candidate(found, **{"kind": "talk", "keyword": 1.0, **fields})


def order(
    question: str, *candidates: Candidate, excluded_signals: tuple[str, ...] = ()
) -> list[str]:
    return [
        result.entry.content
        for result in ranked(question, *candidates, excluded_signals=excluded_signals)
    ]


def ranked(
    question: str, *candidates: Candidate, excluded_signals: tuple[str, ...] = ()
) -> list[RankedCandidate]:
    return rank(candidates, parse_question(question, TODAY), NOW, frozenset(excluded_signals))


def test_the_words_of_the_person_asked_about_come_first() -> None:
    both = said(1, "I sail.", "Tom"), said(2, "I swim.", "Mara")

    assert order("What sport does Mara do?", *both) == ["I swim.", "I sail."]
    assert order("What sport does Mara do?", *both, excluded_signals=("person",))[0] == "I sail."
    assert order("What sport do Mara and Tom do?", *both)[0] == "I sail."
    assert order("What sport did Mara teach Tom?", *both)[0] == "I swim."


def test_an_answer_inherits_the_score_of_the_question_before_it() -> None:
    asked = said(1, "Which boat did you buy?", keyword=3.0)
    other, answer = (
        said(2, "Lovely weather."),
        said(3, "A small dinghy.", previous_id=asked.entry.id),
    )

    found = order("boat bought", other, asked, answer)
    assert found.index("A small dinghy.") < found.index("Lovely weather.")
    assert (
        order("boat bought", other, asked, answer, excluded_signals=("answer",))[-1]
        == "A small dinghy."
    )


def test_entries_of_the_named_days_come_first() -> None:
    then = said(1, "I fell off.", created_at="2026-03-04T10:00:00Z")
    later = said(2, "I got on.", created_at="2026-09-01T10:00:00Z")

    assert order("What happened on 4 March 2026?", later, then)[0] == "I fell off."


def note(row: int, text: str, **legs: Any) -> Candidate:
    return Candidate(entry(text), kind="note", **legs)


def test_among_pages_and_lines_an_equally_similar_line_comes_first() -> None:
    page, line = "The printer, and much more. " * 60, "The printer needs toner."
    some = [note(1, page, keyword=2.0), note(2, line, keyword=2.0), note(3, "Tea.", keyword=0.1)]

    assert order("printer", *some)[0] == line
    assert order("printer", *some, excluded_signals=("brevity",))[0] == page


def test_length_is_ignored_among_notes_of_similar_length() -> None:
    some = [note(1, "The printer in the hall needs toner."), note(2, "The printer needs toner.")]

    assert all(result.why["brevity"] == 0 for result in ranked("printer", *some))


def test_entries_with_a_time_come_first_if_the_question_asks_when() -> None:
    plain, timed = said(1, "The fair was nice."), said(2, "The fair was last Friday.")

    assert order("When was the fair?", plain, timed)[0] == "The fair was last Friday."
    assert "when" not in ranked("Where was the fair?", plain, timed)[0].why


def test_words_of_people_come_before_those_of_an_assistant_unless_asked_for() -> None:
    model = said(1, "A hybrid bike is good.", role="assistant", kind="agent")
    person = said(2, "My bike is a Koga.", kind="agent")

    assert order("What bike do I have?", model, person)[0] == "My bike is a Koga."
    asked = "Which bike did you recommend?"
    assert order(asked, model, person)[0] == "A hybrid bike is good."
    assert order(asked, person, model, excluded_signals=("role",))[0] == "My bike is a Koga."
    assert "role" not in ranked("Remind me of the bike.", model, person)[0].why


def test_without_a_model_a_long_answer_of_an_assistant_does_not_bury_a_line_of_a_person() -> None:
    both = (
        said(1, "A bike is a fine thing. " * 20, role="assistant", kind="agent", keyword=3.0),
        said(2, "My bike is a Koga.", kind="agent", keyword=1.5),
    )

    assert order("Which bike do I have?", *both)[0] == "My bike is a Koga."
    assert (
        order("Which bike do I have?", *both, excluded_signals=("role",))[0] != "My bike is a Koga."
    )


def test_conversation_signals_do_not_affect_notes() -> None:
    notes = weights_for(model=True)["note"]

    assert not notes.keys() & {"source", "answer", "asks", "length", "when", "role"}


@each_row("name", SIGNALS)
def test_every_signal_can_be_left_out(name: str) -> None:
    one, two = (
        said(1, "I sail.", meaning=0.5, late_interaction=0.2),
        said(2, "I swim?", meaning=0.1),
    )

    for result in ranked("When did Mara sail?", one, two, excluded_signals=(name,)):
        assert name not in result.why


def test_an_unknown_signal_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match=r"unknown signal 'magic'.*keyword"):
        require_signals(["keyword", "magic"])


def test_the_score_follows_from_the_sum_of_why() -> None:
    best, other = ranked(
        "Where does Mara sail?", said(1, "I sail at sea.", keyword=2.0), said(2, "No.")
    )

    assert sum(best.why.values()) > sum(other.why.values())
    assert 1 > best.score > other.score > 0


def test_nearly_equal_values_stay_close_together() -> None:
    assert max(standard_scores([0.500, 0.501], 0.05)) < 0.1
    assert standard_scores([3.0], 0.1) == [1.0]


def test_a_text_that_names_a_day_of_the_question_comes_before_others() -> None:
    def line(row: int, text: str, day: str | None) -> Candidate:
        return Candidate(
            Passage("memory/notes.md", row, row, text, day=day),
            keyword=0.5,
            kind="passage",
            number=row,
        )

    planned = line(1, "Open house on 18 March for the neighbours.", "2026-02-01")
    told = line(2, "Yesterday the pump was replaced.", "2026-03-19")
    other = line(3, "The roof was painted.", "2026-02-01")

    found = rank((other, told, planned), parse_question("What is on March 18?", TODAY), NOW)

    dates = {result.passage.start: result.why["date"] for result in found}
    assert dates[1] == dates[2] > dates[3] == 0


def test_a_text_in_another_language_is_not_behind_for_lack_of_common_words() -> None:
    def line(row: int, meaning: float, **fields: Any) -> Candidate:
        return Candidate(
            Passage("memory/notes.md", row, row, f"line {row}"),
            kind="passage",
            meaning=meaning,
            number=row,
            **fields,
        )

    def first(*, other_language: bool) -> int:
        answer = line(1, 0.7, late_interaction=0.0, coverage=0.0, other_language=other_language)
        rivals = [
            line(row, 0.4, keyword=0.4, late_interaction=0.3, coverage=0.5) for row in range(2, 8)
        ]
        return rank([answer, *rivals], parse_question("pergunta", TODAY), NOW)[0].passage.start

    assert first(other_language=True) == 1
    assert first(other_language=False) != 1


@each_row(
    "path",
    [
        "memory/dreaming/rem/2026-03-01.md",
        "DREAMS.md",
        "memory/logs/2026-03-01.md",
        "memory/ops-log/2026-03-01.md",
        "memory/scraper-log.md",
    ],
)
def test_logs_and_dreams_come_after_notes_unless_they_are_asked_for(path: str) -> None:
    def line(row: int, file: str) -> Candidate:
        passage = Passage(file, 1, 1, "The pump was replaced.")
        return Candidate(passage, keyword=0.5, kind="passage", number=row)

    def first(question: str) -> str:
        both = line(1, path), line(2, "memory/2026-03-01-dialogue.md")
        return rank(both, parse_question(question, TODAY), NOW)[0].passage.path

    assert first("what about the pump?") != path
    assert first("what does the log or the dream say of the pump?") == path


def test_texts_of_a_file_that_is_named_are_ordered_by_how_well_they_answer() -> None:
    """Their scores are so close to 1 that they cannot tell them apart."""

    def line(row: int, keyword: float) -> Candidate:
        passage = Passage("memory/2026-03-04.md", row, row, f"Line {row}.")
        return Candidate(passage, keyword=keyword, kind="passage", number=row)

    asked = parse_question("who called, in memory/2026-03-04.md?", TODAY)
    named = replace(asked, named_files={"memory/2026-03-04.md": "path"})

    found = rank([line(1, 0.7), line(2, 0.9), line(3, 0.1), line(4, 0.0)], named, NOW)

    assert [result.passage.start for result in found] == [2, 1, 3, 4]
