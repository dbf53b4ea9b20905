"""A line that repeats an erased text is distinguished from others."""

from __future__ import annotations

from remem.model.erased_text import ErasedText, erased_text_of
from remem.text.marked_line import add_mark
from tests.tables import each_row

SAID = "Mara keeps a hive of bees\nbehind the shed."
TOLD = erased_text_of([SAID, "Tea."], "mara-002")


@each_row(
    "line",
    [
        "- Mara keeps a hive of bees behind the shed.",
        "* [x] mara KEEPS a hive of bees behind the shed. (status, 2026-11-02)",
        "2. Mara keeps a hive of bees behind the shed. <!-- {} -->",
        "They say: Mara keeps a hive of bees behind the shed. Do they?",
        "- Tea.",
        add_mark("- She has bees.", ("mara-001", "mara-002")),
    ],
)
def test_a_line_that_repeats_the_text_matches(line: str) -> None:
    assert TOLD.matches_line(line)


@each_row(
    "line",
    ["", "- Mara keeps a dog.", "- Tea. And cake.", add_mark("- She has bees.", ("mara-0021",))],
)
def test_another_line_does_not_match(line: str) -> None:
    assert not TOLD.matches_line(line)


def test_a_generated_line_that_a_person_changed_does_not_match() -> None:
    line = add_mark("- She has bees.", ("mara-002",)).replace("bees", "wasps")

    assert not TOLD.matches_line(line)


def test_hashes_alone_recognise_a_line() -> None:
    later = ErasedText(TOLD.hashes)

    assert later.matches_line("- Mara keeps a hive of bees behind the shed. (2026-11-02)")
    assert not later.occurs_in(SAID)


def test_only_matching_lines_are_removed() -> None:
    data = b"# T\r\n\r\n- Tea.\r\n- \xff kept\r\n- Mara keeps a hive of bees behind the shed.\n"

    assert TOLD.remove_lines_from(data) == b"# T\r\n\r\n- \xff kept\r\n"
    assert TOLD.remove_lines_from(b"\xff\n") == b"\xff\n"
