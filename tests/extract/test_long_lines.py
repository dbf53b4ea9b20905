"""Lines and lists of any length and depth are read, in time linear in their length."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import pytest

from remem.extract.headings import bare_title
from remem.extract.noise import is_link
from remem.extract.rules import Rules
from remem.model.statement import SourceDocument
from remem.search.query.intent import tense_of
from remem.text.line_status import annotations_of, is_placeholder
from remem.text.marked_line import read_mark
from remem.text.note_dates import mentions
from remem.text.words import fold
from tests.tables import each_row

TODAY = "2026-11-18"
SHORT, TIMES = 20_000, 4


@each_row(
    ("read", "piece"),
    [
        (bare_title, "–"),
        (bare_title, "(;;"),
        (is_link, "["),
        (is_placeholder, "_"),
        (mentions, "2026-01-01 "),
        (mentions, "on 1/2, "),
        (annotations_of, " "),
        (annotations_of, "<!--trigger:"),
        (read_mark, "\t"),
        (read_mark, "<!-- a "),
        (tense_of, "what did "),
        (fold, "\u0300\u0316"),
    ],
)
def test_a_line_four_times_as_long_takes_about_four_times_as_long(
    read: Callable[[str], object], piece: str
) -> None:
    """Quadratic time would be sixteen times as long."""
    spent = []
    for length in (SHORT, SHORT * TIMES):
        began = process_time()
        flood = piece * (length // len(piece))
        read(flood if piece == "[" else f"Rule: x ({flood} end <!-- x -->".rstrip())
        spent.append(process_time() - began)

    assert spent[1] < 10 * max(spent[0], 0.02)


def test_a_year_is_taken_from_the_nearest_full_date_the_one_above_first() -> None:
    text = "- 2024-03-01: a\n\n- May 3, the pump is blue\n\n- 2026-03-01: b\n- June 3, it is red\n"

    statements = Rules().extract(SourceDocument("MEMORY.md", text, TODAY, curated=True)).statements

    assert [item.day for item in statements] == [
        "2024-03-01",
        "2024-05-03",
        "2026-03-01",
        "2026-06-03",
    ]


def test_only_thousands_of_accents_are_shortened_for_comparison() -> None:
    filler = "pump " * 300

    assert fold(f"{filler}e\u0301{'🌱' * 50}") == f"{filler}é{'🌱' * 50}"
    assert len(fold(filler + "e" + "\u0316" * 5_000)) < len(filler) + 40


@pytest.mark.slow
def test_a_list_of_any_depth_is_read_completely() -> None:
    depth = 700
    text = "".join(f"{' ' * level}- Always use pump {level}.\n" for level in range(depth))

    extraction = Rules().extract(SourceDocument("MEMORY.md", text, TODAY, curated=True))

    read = {line for statement in extraction.statements for line in statement.lines}
    assert read | set(extraction.skipped) == set(range(1, depth + 1))
