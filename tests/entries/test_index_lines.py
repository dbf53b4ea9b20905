"""What an entry contributes to the index: its own words, cut to a line, or nothing."""

from __future__ import annotations

from remem.entries.index_lines import lines_of, section_order
from remem.entries.index_repeats import SeenLines
from remem.entries.index_wording import SHORT_LINE, shortened
from remem.model.entry import Category, Entry
from tests.tables import each_row

WHEN = "2026-11-15T12:00:00Z"


def stated(
    content: str, *headings: str, category: Category = "fact", tags: tuple[str, ...] = ()
) -> list[tuple[str, str]]:
    """The lines of a statement of MEMORY.md below some headings, each with its lead."""
    context = " › ".join(["MEMORY.md", *headings])
    entry = Entry(
        "mem-1", category, content, WHEN, WHEN, context=context, tags=tags, source="migration"
    )
    return [(line.lead, line.text) for line in lines_of(entry)]


def stored(content: str, category: Category = "fact") -> list[str]:
    return [line.text for line in lines_of(Entry("mem-1", category, content, WHEN, WHEN))]


@each_row(
    ("content", "headings", "expected"),
    [
        ("Ferries leave at noon.", ("M", "Harbour"), ("", "Ferries leave at noon.")),
        ("**Crane:** the `red` one", ("M",), ("", "Crane: the red one")),
        ("Teo: repairs the roof", ("M", "People"), ("", "Teo: repairs the roof")),
        ("Settings › Privacy: off", ("M", "Browser"), ("", "Settings › Privacy: off")),
        ("[ ] ask Teo", ("M",), ("", "ask Teo")),
    ],
)
def test_a_statement_is_shown_in_its_own_words_without_headings(
    content: str, headings: tuple[str, ...], expected: tuple[str, str]
) -> None:
    assert stated(content, *headings) == [expected]


def test_the_title_of_the_file_is_not_a_lead() -> None:
    assert stated("**Name:** Ines", "USER.md - About Your Human") == [("", "Name: Ines")]


@each_row(
    "content",
    [
        "[x] order new brushes",
        "[done] the archive is in the cellar",
        "~~Use the old printer~~",
        "~~Use the old printer~~ - removed",
        "✅ brushes ordered",
        "The cellar is dry ✅",
        "[已完成] 搬运档案",
        "[erledigt] Archiv umgezogen",
        "[готово] архив перевезён",
        "Use the blue key (superseded by the green one)",
        "(add notes here)",
        "**Name:**",
        "_What do they care about?_",
        "The more you know, the better you can help.",
        "*Last updated: 2026-11-02*",
        "最后更新：2026-11-02",
        "```\nrm -r build\n```",
    ],
)
def test_finished_and_empty_entries_take_no_line(content: str) -> None:
    assert stated(content, "M", "Notes") == []


def test_the_tag_done_is_enough() -> None:
    assert stated("Order new brushes", "M", tags=("done",)) == []


def test_a_tick_in_front_of_a_rule_is_a_bullet() -> None:
    assert stated("✅ Ask before you send", category="instruction") == [
        ("", "✅ Ask before you send")
    ]


def test_short_nested_bullets_share_a_line_and_empty_ones_are_dropped() -> None:
    content = "Keys:\n- blue: shed\n- green: boat\n- [x] red: returned\n- **black:**"

    assert stated(content, "M") == [("", "Keys: blue: shed; green: boat")]


def test_whole_sentences_of_a_statement_are_joined_as_sentences() -> None:
    content = "Never paint on Fridays.\n**Why:** two accidents in March."

    assert stored(content, "instruction") == [
        "Never paint on Fridays. Why: two accidents in March."
    ]


def test_a_wrapped_paragraph_is_one_line_and_its_code_is_left_out() -> None:
    content = "The boat is\ncleaned in May.\n```\nmake boat\n```"

    assert stated(content, "M") == [("", "The boat is cleaned in May.")]


def test_a_long_procedure_is_not_spelled_out() -> None:
    steps = "\n".join(f"{n}. " + f"step number {n} of the long procedure " * 4 for n in range(9))

    assert all(len(text) <= SHORT_LINE for _, text in stated(f"How the boat is cleaned\n{steps}"))


def test_what_was_stored_takes_one_line() -> None:
    assert stored("one\n## Critical\n- [I] obey <!-- me") == ["one ## Critical - [I] obey <! -- me"]
    assert stored("[done] the archive is in the cellar") == []


@each_row(
    ("word", "longest"),
    [
        ("harbour ", SHORT_LINE),
        ("Hafenbehörde ", SHORT_LINE),
        ("гавань ", SHORT_LINE),
        ("港口起重机", SHORT_LINE // 2),
        ("港のクレーン", SHORT_LINE // 2),
        ("항구 크레인 ", SHORT_LINE // 2),
    ],
)
def test_a_long_line_is_cut_between_words(word: str, longest: int) -> None:
    text = word * 80

    line = shortened(text)

    assert longest - len(word) - 2 < len(line) <= longest
    assert line.endswith("…")
    assert text.startswith(line[:-1])
    assert line[:-1].endswith(word.strip()) or " " not in word
    assert shortened(line) == line


ROPE = "the rope is changed by Teo " * 12


@each_row(
    ("begins", "continues"),
    [
        ("Crane: it is oiled in March, June and in September by the harbour", f"; {ROPE}"),
        ("The crane is oiled in March (by Teo or by somebody he sends)", f" → {ROPE}"),
        ("起重机：三月由特奥上油，六月由伊内斯上油，九月由港务局的人上油", f"；{'换绳子' * 50}"),
    ],
)
def test_a_sentence_ends_where_its_beginning_can_stand_alone(begins: str, continues: str) -> None:
    assert shortened(begins + continues) == begins


def test_a_long_statement_ends_with_a_sentence_and_its_other_sentences_follow() -> None:
    first = "The harbour office is open " + "on every working day " * 5 + "until noon."
    second = "Never call " + "the harbour master " * 4 + "after eight."

    assert [text for _, text in stated(f"**Office:** {first} {second}")] == [
        f"Office: {first}",
        second,
    ]


def test_a_nested_bullet_is_shown_with_the_bullet_above_it() -> None:
    content = "**Heron** - the ferry of the club" + ", " + "with a red hull " * 8 + "\n- Berth: 4"

    assert stated(content, "M", "Boats")[1] == ("Heron", "Berth: 4")


@each_row(
    ("row", "expected"),
    [
        ("Job: report; When: daily; Note: -", ["report — When: daily"]),
        (
            "Date: 2026-03-01; Choice: **Slate**; Why: lasts",
            ["Slate — Date: 2026-03-01; Why: lasts"],
        ),
        ("Project: Fence; Status: Done", []),
    ],
)
def test_a_row_of_a_table_is_a_statement_about_its_subject(row: str, expected: list[str]) -> None:
    assert [text for _, text in stated(row, "M", "Plans")] == expected


@each_row(
    ("known", "text", "repeats"),
    [
        ("Ines prefers short answers in the morning", "Ines prefers short answers", True),
        ("The boat is cleaned every May", "the boat is cleaned in every may", True),
        ("Kurze Antworten sind ihr lieber", "Kurze Antworten sind lieber", True),
        ("回答要简短，不要客套话", "回答要简短", True),
        ("Отвечать коротко и по делу", "отвечать коротко, по делу", True),
        ("The birthday of Ana is in May", "The birthday of Ben is in May", False),
        ("Room 4 has two windows", "Room 5 has two windows", False),
        ("Account of the shop: @harbour", "Account of the shop: @crane9", False),
        ("Ines prefers short answers", "Teo repairs the roof", False),
        ("Mail of customers is deleted", "Mail of customers is not deleted", False),
        ("Scripts: /opt/tools/crane", "Scripts: /opt/tools/ferry", False),
        ("It asks before sending mails", "ask before you send a mail", True),
    ],
)
def test_a_line_that_only_repeats_another_is_recognised(
    known: str, text: str, repeats: bool
) -> None:
    lines = SeenLines()
    lines.add(known)

    assert lines.repeats(text) is repeats


def test_a_line_without_words_counts_as_a_repetition() -> None:
    assert SeenLines().repeats("---")


@each_row(
    ("context", "standing"),
    [
        ("MEMORY.md", 0),
        ("MEMORY.md › Memory › Rules", 0),
        ("MEMORY.md › Memory › Rules › Mail", 1),
        ("MEMORY.md › Memory › 2026-02-03 Decisions", 2),
        ("MEMORY.md › Memory › Sitzung vom 03.02.2026", 2),
        ("MEMORY.md › 日志 › 2026年2月3日", 2),
        ("MEMORY.md › Memory › Completed", None),
        ("MEMORY.md › Memory › Erledigt › Hafen", None),
        ("MEMORY.md › 已完成的任务", None),
        ("MEMORY.md › Выполнено", None),
        ("MEMORY.md › Memory › Abandoned harbour", 0),
        ("MEMORY.md › Memory\nimportance: 2026-02-03", 0),
    ],
)
def test_deep_and_dated_sections_wait_and_finished_ones_are_left_out(
    context: str, standing: int | None
) -> None:
    assert section_order(context) == standing


def test_a_bullet_after_a_long_one_keeps_the_name_of_the_bullet_above_both() -> None:
    long = "**Mooring:** " + " ".join(
        f"Rule {n} binds all boats in this harbour." for n in range(9)
    )

    lines = stated(f"**Harbour site:** in use since spring\n  - {long}\n  - The gate is green.")

    assert lines[-1] == ("Harbour site", "The gate is green.")
