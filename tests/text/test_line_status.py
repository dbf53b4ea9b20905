"""What a line says about itself: annotations, whether it still holds, whether it is empty."""

from __future__ import annotations

from remem.text.line_status import (
    Annotations,
    LineStatus,
    annotations_of,
    is_placeholder,
    is_stamp,
    is_template,
    is_ticked,
    leading_brackets,
    line_status,
    without_annotations,
)
from tests.tables import each_row


def test_a_line_without_annotations_has_none() -> None:
    assert annotations_of("- plain <!-- a comment -->") == Annotations()


def test_annotations_at_the_end_of_a_line_are_read() -> None:
    line = (
        "- The venue is booked <!-- trigger: wedding, venue --> "
        "<!-- importance: 7 --> <!-- project: party; summer -->"
    )

    assert annotations_of(line) == Annotations(7, "wedding; venue", "party; summer")


def test_the_highest_importance_counts_and_phrases_are_joined() -> None:
    text = (
        "- a <!-- importance: 3 --> <!-- trigger: x -->\n- b <!-- importance: 9 --> "
        "<!-- TRIGGER: x; y -->"
    )

    assert annotations_of(text) == Annotations(9, "x; y", None)


@each_row("value", ["0", "11", "high", "", "²", "-3", "7.5"])
def test_an_importance_outside_one_to_ten_is_ignored(value: str) -> None:
    assert annotations_of(f"- a <!-- importance: {value} -->").importance is None


def test_annotations_are_removed_and_other_comments_stay() -> None:
    text = "- a <!-- importance: 3 -->\n- b <!-- keep -->\n- c <!--trigger: x-->"

    assert without_annotations(text) == "- a\n- b <!-- keep -->\n- c"


@each_row(
    ("text", "standing"),
    [
        ("[done] The ledger moved to SQLite.", "done"),
        ("**[Done]** The ledger moved to SQLite.", "done"),
        ("[x] Wrote the importer.", "done"),
        ("[ops] [完成] 迁移", "done"),
        ("~~Write the importer~~ ✅", "done"),
        ("[ ] Write the importer.", "current"),
        ("[ops] Write the importer.", "current"),
        ("Write down what is [done].", "current"),
        ("The relay (deprecated) runs on atlas.", "superseded"),
    ],
)
def test_the_marks_of_a_line_say_whether_it_still_holds(text: str, standing: LineStatus) -> None:
    assert line_status(text) == standing


def test_an_annotation_may_say_it_instead() -> None:
    assert line_status("The relay runs on atlas.", "inactive") == "superseded"


def test_a_box_is_ticked_or_not_or_not_there() -> None:
    assert [is_ticked(text) for text in ("[x] a", "[ ] a", "a [x]")] == [True, False, None]


def test_a_link_is_not_a_bracket() -> None:
    assert leading_brackets("[ops] [home](http://127.0.0.1) x") == ["ops"]


@each_row(
    "line",
    [
        "**Name:**",
        "**Pronouns:** _(optional)_",
        "Name: *(to be learned)*",
        "Birthday: unknown",
        "(add notes here)",
        "_What do they care about?_",
        "_(What do they care about? What annoys them?)_",
        "<your name>",
        "[Name] — [Role] — [How to help]",
        "TBD",
        "暂无",
        "なし",
        "нет",
        "(noch nichts)",
    ],
)
def test_a_field_without_a_value_is_a_placeholder(line: str) -> None:
    assert is_placeholder(line)


@each_row(
    "line",
    [
        "**Name:** Ines",
        "Favourite tea: none of the smoked ones",
        "Add a note here whenever the ferry is late",
        "(Ines only) the blue key opens the shed",
        "[[Ines]] — [[Harbour]]",
        "时区：里斯本",
        "Имя: Инес",
    ],
)
def test_a_statement_is_not_a_placeholder(line: str) -> None:
    assert not is_placeholder(line)


@each_row(
    "line",
    [
        "_Learn about the person you're helping. Update this as you go._",
        "The more you know, the better you can help. But remember — you're learning about a person,"
        " not building a dossier. Respect the difference.",
        "Curated long-term memory",
        "*Long-term memories, kept by the assistant*",
    ],
)
def test_prose_of_a_new_file_is_a_template(line: str) -> None:
    assert is_template(line)


@each_row(
    "line",
    [
        "Learn the names of new guests before they arrive.",
        "Curated memories of the harbour: the crane was red.",
        "The more you water it, the sooner it rots.",
    ],
)
def test_a_statement_is_not_a_template(line: str) -> None:
    assert not is_template(line)


@each_row(
    "line",
    [
        "Last updated: 2026-11-02",
        "*Last updated: 2 November 2026*",
        "_Updated 2026-11-02_",
        "Created: 2026-01-01",
        "Stand: 02.11.2026",
        "Zuletzt aktualisiert am 02.11.2026",
        "Обновлено: 02.11.2026",
        "Dernière mise à jour : 2 novembre 2026",
        "Última atualização: 02/11/2026",
        "最后更新：2026年11月2日",
        "最終更新: 2026-11-02",
    ],
)
def test_the_date_of_an_edit_is_a_stamp(line: str) -> None:
    assert is_stamp(line)


@each_row(
    "line",
    [
        "Birthday: 1990-05-03",
        "Updated invoices go to Teo",
        "Created by hand, no machine touches it",
        "Stand mixer: the red one",
        "更新した資料は金曜日に送る",
    ],
)
def test_other_dates_and_sentences_are_not_stamps(line: str) -> None:
    assert not is_stamp(line)
