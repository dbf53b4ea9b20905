"""A new line of MEMORY.md goes to the lines of its kind, and every other byte stays."""

from __future__ import annotations

from remem.extract.rules import Rules
from remem.learn.graduate.placement import LineToAdd, MemoryShape
from remem.model.entry import Category
from remem.model.statement import SourceDocument
from remem.text.line_edits import apply_edit
from tests.tables import each_row

RULE = LineToAdd("Always run the backup.", "instruction", "2026-11-05")
LIKING = LineToAdd("Prefers calls in the morning.", "preference", "2026-11-05")


def written(memory: str, *lines: LineToAdd) -> str:
    data = memory.encode()
    said = (
        Rules().extract(SourceDocument("MEMORY.md", memory, "2026-11-15", curated=True)).statements
    )
    kinds: dict[int, Category] = {statement.lines[0]: statement.category for statement in said}
    return apply_edit(data, MemoryShape(data, kinds).edit(lines)).decode()


def added(memory: str, *lines: LineToAdd) -> list[str]:
    """The lines that are new; all others stand in their old order."""
    after, before = written(memory, *lines).split("\n"), memory.split("\n")
    rest = iter(before)
    expected = next(rest, None)
    new = []
    for line in after:
        if line == expected:
            expected = next(rest, None)
        else:
            new.append(line)
    assert expected is None
    return new


def test_a_line_goes_after_the_last_of_its_kind_with_the_same_sign() -> None:
    memory = (
        "# M\n\n## Rules\n\n* Never push on Fridays.\n  * not even once\n\n## Setup\n\n- Port: 80\n"
    )

    assert written(memory, RULE).split("\n")[5:8] == [
        "  * not even once",
        "* Always run the backup.",
        "",
    ]


@each_row(
    ("bullets", "expected"),
    [
        ("- Never push on Fridays.", "- Always run the backup."),
        ("+ Never push on Fridays.", "+ Always run the backup."),
        ("• Never push on Fridays.", "• Always run the backup."),
        ("  - Never push on Fridays.", "  - Always run the backup."),
        ("-   Never push on Fridays.", "-   Always run the backup."),
        ("1. Never push on Fridays.\n2. Always ask first.", "3. Always run the backup."),
        ("1) Never push on Fridays.", "2) Always run the backup."),
    ],
)
def test_sign_and_indentation_are_those_of_the_other_bullets(bullets: str, expected: str) -> None:
    assert added(f"# M\n\n## Rules\n\n{bullets}\n", RULE) == [expected]


def test_line_endings_stay_those_of_the_file() -> None:
    memory = "# M\r\n\r\n## Rules\r\n\r\n- Never push on Fridays.\r\n"

    after = written(memory, RULE, LIKING)

    assert after.count("\n") == after.count("\r\n")
    assert "- Always run the backup.\r\n" in after


def test_a_missing_line_ending_at_the_end_is_kept() -> None:
    memory = "# M\n\n## Rules\n\n- Never push on Fridays."

    assert written(memory, RULE) == f"{memory}\n- Always run the backup."


def test_logs_of_a_day_and_sections_of_a_host_are_left_alone() -> None:
    memory = (
        "# M\n\n### 2026-05-07\n\n- Never push on Fridays.\n\n## Promoted\n\n"
        "- Never lie to Benjamin. [score=0.87 recalls=0 avg=0.62 source=memory/x.md:5-5]\n"
    )

    assert written(memory, RULE) == f"{memory}\n## Rules\n\n- Always run the backup.\n"


@each_row(
    ("memory", "title"),
    [
        (
            "# Memory\n\nThe owner lives in Lisbon and works with her team on the relay.\n",
            "## Rules",
        ),
        (
            "# Gedächtnis\n\nDie Besitzerin wohnt in Köln und arbeitet nicht am Freitag.\n",
            "## Regeln",
        ),
        ("# Память\n\nВладелец живёт в Москве и работает по ночам.\n", "## Правила"),
        ("# 记忆\n\n主人住在上海，喜欢晚上工作，不喜欢开会。\n", "## 规则"),
        ("# メモ\n\n持ち主は東京に住んでいて、夜に働くのが好きです。\n", "## ルール"),
        ("# Memory\n\n### Setup\n\n- Port: 8080\n", "### Rules"),
    ],
)
def test_a_new_section_has_a_title_in_the_language_of_the_file(memory: str, title: str) -> None:
    assert written(memory, RULE) == f"{memory}\n{title}\n\n- Always run the backup.\n"


def test_several_lines_go_to_their_own_sections() -> None:
    memory = "# M\n\n## Preferences\n\n- Prefers tea.\n\n## Rules\n\n1. Never push on Fridays.\n"
    second = LineToAdd("Always ask before a merge.", "instruction", "2026-11-06")

    after = written(memory, second, RULE, LIKING).split("\n")

    assert after[4:6] == ["- Prefers tea.", "- Prefers calls in the morning."]
    assert after[9:12] == [
        "1. Never push on Fridays.",
        "2. Always run the backup.",
        "3. Always ask before a merge.",
    ]
