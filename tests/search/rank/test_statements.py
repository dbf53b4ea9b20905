"""Whether one statement replaces another is read from their lines, not from whole notes."""

from __future__ import annotations

from datetime import date
from typing import Final

from remem.model.passage import Passage
from remem.search.query.question import parse_question
from remem.search.query.terms import Term, TermCoverage
from remem.search.rank.ranking import Candidate
from remem.search.rank.statements import AnsweringStatement, drop_common_labels, replaces
from tests.tables import each_row

TODAY: Final = date(2026, 11, 15)


def statement(question: str, text: str, path: str = "memory/2026-03-04.md") -> AnsweringStatement:
    passage = Passage(path, 1, text.count("\n") + 1, text)
    coverage = TermCoverage([Term(word) for word in question.split()])
    return AnsweringStatement(Candidate(passage, kind="passage"), coverage, TODAY)


def replaced(question: str, older: str, newer: str) -> bool:
    weights = dict.fromkeys(question.split(), 1.0)
    return replaces(statement(question, newer), statement(question, older), weights)


@each_row(
    ("question", "older", "newer"),
    [
        ("oven temperature", "- Oven temperature: 180 degrees", "- Oven temperature: high"),
        ("oven temperature", "- The oven temperature is 180", "- Set oven temperature 220 today"),
        ("loading dock", "- The loading dock is at gate B", "- Loading dock moved to gate D"),
        (
            "Lager Schlüssel",
            "- Schlüssel vom Lager hat Udo",
            "- Lager: den Schlüssel hat jetzt Ida",
        ),
    ],
    ids=["label", "number", "change", "German"],
)
def test_a_statement_with_another_value_replaces_the_older_one(
    question: str, older: str, newer: str
) -> None:
    assert replaced(question, older, newer)


@each_row(
    ("question", "older", "newer"),
    [
        ("oven temperature", "- Oven temperature: 180 degrees", "- Cleaned the oven with Pia"),
        (
            "oven temperature",
            "- Oven temperature: 180 degrees",
            "- **Oven temperature:** 180 degrees",
        ),
        ("oven temperature", "- Oven temperature: 180 degrees", "- The van now has winter tyres"),
    ],
    ids=["mention", "repetition", "other subject"],
)
def test_a_mention_a_repetition_or_another_subject_replaces_nothing(
    question: str, older: str, newer: str
) -> None:
    assert not replaced(question, older, newer)


def test_the_line_about_the_question_is_compared_not_the_whole_note() -> None:
    note = "- bread and milk\n- The gate is painted now\n- oven temperature is 180\n- slept well"

    found = statement("oven temperature", note)

    assert found.text.strip() == "- oven temperature is 180"
    assert not found.changed


def test_the_day_of_a_line_is_that_of_the_heading_above_it() -> None:
    page = "## 2026-05-02\n- gate painted\n\n## 2026-01-07\n- oven temperature is 180"

    assert statement("oven temperature", page, "memory/house.md").day == date(2026, 1, 7)
    assert statement("gate painted", page, "memory/house.md").day == date(2026, 5, 2)


@each_row("line", ["- ~~oven temperature 180~~", "- (obsolete) oven temperature 180"])
def test_a_struck_or_marked_line_is_over(line: str) -> None:
    assert statement("oven temperature", line).has_ended
    assert not statement("oven temperature", line.strip("-~ ").replace("(obsolete) ", "")).has_ended


def test_a_label_that_many_lines_share_is_a_speaker_and_not_a_key() -> None:
    said = ["the oven is hot", "my oven broke", "we sold the oven", "an oven of bricks"]
    spoken = [statement("Pia oven", f"Pia: {text}") for text in said]
    keys = [statement("Pia oven", f"Oven owner: {name}") for name in ("Pia", "Udo")]

    drop_common_labels([*spoken, *keys])

    assert not any(line.label for line in spoken)
    assert all(line.label for line in keys)


def test_another_number_in_chinese_replaces_the_older_one() -> None:
    question = parse_question("网关端口", TODAY)
    weights = dict.fromkeys(question.terms, 1.0)
    coverage = TermCoverage([Term(term) for term in question.terms])

    def stated(text: str) -> AnsweringStatement:
        passage = Passage("memory/2026-03-04.md", 1, 1, text)
        return AnsweringStatement(Candidate(passage, kind="passage"), coverage, TODAY)

    older = stated("- 网关端口8080由防火墙转发")
    newer = stated("- 今天把网关端口9443告诉了同事们")

    assert replaces(newer, older, weights)
    assert not replaces(stated("- 网关端口8080已经告诉了同事们"), older, weights)
