"""Recall must return what search finds; missing lines are caught."""

from __future__ import annotations

from collections.abc import Sequence

from remem.model.entry import Entry, Origin
from remem.search.answer.answer import Answer, Recalled
from remem.search.passages.snippet import Hit, SearchResult
from remem.setup.validate.equivalence import EquivalenceQuestion, check_recall
from remem.setup.validate.result import ValidationCheck
from tests.tables import each_row

WHEN = "2026-11-15T12:00:00Z"
ASKED = [
    EquivalenceQuestion(f"word{i} thing{i}", "MEMORY.md", i, i, f"word{i} is a thing{i}")
    for i in range(1, 21)
]


def hit(question: EquivalenceQuestion) -> Hit:
    return Hit(question.path, question.start, question.end, 0.5)


def recalled(id_: str, content: str, *, truncated: bool | None = None) -> Recalled:
    kind = "passage" if "#" in id_ else "fact"
    return Recalled(id_, kind, content, "medium", 0.5, WHEN, truncated=truncated)


def entry(id_: str, origins: Sequence[Origin] = ()) -> Entry:
    return Entry(id_, "fact", "said otherwise", WHEN, WHEN, origins=tuple(origins))


def check(
    answers: dict[str, Recalled], entries: Sequence[Entry] = (), *, lost: int = 0
) -> ValidationCheck:
    """`answers` by question; `lost` questions are not found by search either."""
    found = {question.text: hit(question) for question in ASKED[lost:]}

    def search(query: str) -> SearchResult:
        return SearchResult(results=(found[query],) if query in found else ())

    def recall(query: str) -> Answer:
        told = (answers[query],) if query in answers else ()
        return Answer(told, 0, 0, len(told))

    def find(ids: Sequence[str]) -> list[Entry]:
        return [entry for entry in entries if entry.id in ids]

    return check_recall(ASKED, search, recall, find, lambda _step: None)


PASSAGES = {question.text: recalled(f"MEMORY.md#L{question.start}", "…") for question in ASKED}


def test_a_passage_with_the_lines_counts() -> None:
    result = check(PASSAGES)

    assert result.passed
    assert result.summary == "20 of 20 lines that search finds (100%), from 20 questions"


def test_an_entry_that_comes_from_the_lines_counts() -> None:
    told = {
        question.text: recalled(f"mem-{question.start}", "said otherwise") for question in ASKED
    }
    known = [
        entry(f"mem-{question.start}", [Origin("MEMORY.md", question.start)]) for question in ASKED
    ]

    assert check(told, known).passed
    assert not check(told, [entry(stored.id) for stored in known]).passed


def test_an_entry_with_the_text_of_the_line_counts() -> None:
    told = {question.text: recalled("mem-1", f"Today: {question.line}!") for question in ASKED}

    assert check(told).passed


def test_a_truncated_entry_counts_only_with_its_remaining_words() -> None:
    told = {question.text: recalled("mem-1", "cut …", truncated=True) for question in ASKED}
    known = [entry("mem-1", [Origin("MEMORY.md", question.start) for question in ASKED])]

    assert not check(told, known).passed


def test_for_a_very_long_line_the_words_of_the_question_are_enough() -> None:
    """Or one line of 60 KB could never be activated."""
    told = {
        question.text: recalled("mem-1", f"… {question.text} …", truncated=True)
        for question in ASKED
    }
    origins = [Origin(question.path, question.start) for question in ASKED]

    assert check(told, [entry("mem-1", origins)]).passed
    assert not check(told, [entry("mem-1")]).passed


@each_row(
    ("missing", "passed", "says"),
    [(0, True, "100%"), (1, True, "(95%)"), (2, True, "goal is 95%"), (3, False, "at least 90%")],
)
def test_the_check_fails_below_ninety_percent(missing: int, passed: bool, says: str) -> None:
    result = check({question.text: PASSAGES[question.text] for question in ASKED[missing:]})

    assert result.passed == passed
    assert says in result.summary
    assert len(result.reasons) == (0 if passed else missing)


def test_only_lines_that_search_finds_count() -> None:
    result = check({question.text: PASSAGES[question.text] for question in ASKED[10:]}, lost=10)

    assert result.passed
    assert "10 of 10" in result.summary


def test_a_search_that_finds_nothing_proves_nothing() -> None:
    result = check(PASSAGES, lost=20)

    assert not result.passed
    assert "remem refresh" in result.reasons[0]


def test_a_search_that_is_unavailable_fails_with_its_reason() -> None:
    result = check_recall(
        ASKED,
        lambda _query: SearchResult(results=(), unavailable=True, error="the disk is gone"),
        lambda _query: Answer((), 0, 0, 0),
        lambda _ids: [],
        lambda _step: None,
    )

    assert (result.passed, result.reasons) == (False, ("the disk is gone",))


def test_without_files_there_is_nothing_to_ask() -> None:
    result = check_recall(
        [], lambda _: SearchResult(()), lambda _: Answer((), 0, 0, 0), list, print
    )

    assert result.passed
