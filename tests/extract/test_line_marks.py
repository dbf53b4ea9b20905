"""Annotations come off a line, and reading a very long line takes time linear in its length."""

from __future__ import annotations

from time import process_time

import pytest

from remem.extract.line_marks import read_marks, without_comments
from remem.extract.noise import shape_of
from remem.extract.rules import Rules
from remem.model.statement import SourceDocument
from remem.setup.validate.equivalence import MemoryText, questions
from tests.tables import each_row

SHORT, TIMES = 20_000, 4
PIECES = [" ", "-", "Aa", "<!-- ", "habe ", " [score=", "2026-01-01 "]


def seconds(text: str, *, curated: bool) -> float:
    """The shortest of three runs, so that other programs disturb the least."""
    spent = []
    for _ in range(3):
        began = process_time()
        Rules().extract(SourceDocument("MEMORY.md", text, "2026-11-16", curated=curated))
        questions([MemoryText("MEMORY.md", text, curated=True)])
        spent.append(process_time() - began)
    return min(spent)


def line(piece: str, length: int) -> str:
    return f"- x {piece * (length // len(piece))} end"


@pytest.mark.slow
@pytest.mark.parametrize("curated", [True, False])
@pytest.mark.parametrize("piece", PIECES)
def test_a_line_four_times_as_long_takes_about_four_times_as_long(
    piece: str, curated: bool
) -> None:
    """Quadratic time would be sixteen times as long."""
    once = max(seconds(line(piece, SHORT), curated=curated), 0.02)

    assert seconds(line(piece, SHORT * TIMES), curated=curated) < 10 * once


@pytest.mark.slow
def test_blank_lines_take_linear_time() -> None:
    began = process_time()
    shape_of("memory/topic.md", "\n" * SHORT)
    once = max(process_time() - began, 0.02)

    began = process_time()
    shape_of("memory/topic.md", "\n" * SHORT * TIMES)
    assert process_time() - began < 10 * once


def test_a_long_line_is_kept_word_for_word() -> None:
    text = line("The pump is blue. ", SHORT)

    (statement,) = (
        Rules().extract(SourceDocument("MEMORY.md", text, "2026-11-16", curated=True)).statements
    )

    assert statement.content == text.removeprefix("- ")


@each_row(
    ("text", "seen"),
    [
        ("tea <!-- a --> time <!-- b", "tea time <!-- b"),
        ("<!-- a --> tea <!-- b --> <!--", "tea <!--"),
        ("a --> tea", "a --> tea"),
        ("tea <!-- two\nlines -->", "tea"),
    ],
)
def test_a_comment_that_is_never_closed_stays(text: str, seen: str) -> None:
    assert without_comments(text) == seen


def test_the_score_of_a_host_comes_off_with_the_spaces_before_it() -> None:
    marks = read_marks("Tea is at four.   [score=0.87 recalls=0 source=memory/x.md:5-5]  ")

    assert marks.text == "Tea is at four."
    assert marks.promoted == "[score=0.87 recalls=0 source=memory/x.md:5-5]"
