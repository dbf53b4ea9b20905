"""A note continues in its own style, and its text is not changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.model.daily_note import bytes_to_append
from remem.model.lesson import lesson_id
from remem.text.markdown import outline
from remem.text.marked_line import lesson_mark
from tests.tables import each_row

DAY = "2026-11-15"


def grown(text: str, said: str = "Beans.", at: str = "14:05") -> str:
    return (text.encode() + bytes_to_append(text.encode(), said, at, DAY)).decode()


@each_row(
    ("text", "after"),
    [
        ("", "# 2026-11-15\n\n- 14:05 Beans.\n"),
        ("# 2026-11-15\n", "\n- 14:05 Beans.\n"),
        ("# Sunday, a long title", "\n\n- 14:05 Beans.\n"),
        ("- 09:14 Peas.\n", "- 14:05 Beans.\n"),
        ("- 09:14 Peas.", "\n- 14:05 Beans.\n"),
        ("# D\n\n* **9:14** Peas.\n  and leeks\n", "* **14:05** Beans.\n"),
        ("- [09:14] - Peas.\r\n", "- [14:05] - Beans.\r\n"),
        ("- 09.14 Peas.\n", "- 14.05 Beans.\n"),
        ("\n## Garden\n- Peas.\n\n", "- Beans.\n"),
        ("+ Peas.\n", "+ Beans.\n"),
        ("## 09:14 Morning\n\nPeas grew.\n", "\n## 14:05\n\nBeans.\n"),
        ("### 09.14\n- Peas.\n", "\n### 14.05\n\nBeans.\n"),
        ("Peas grew today.\n", "\nBeans.\n"),
        ("---\ntags: [a]\n---\n", "\n- 14:05 Beans.\n"),
        ("---\nwhen: 09:14\n---\n\nPeas grew.\n", "\nBeans.\n"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", "\nBeans.\n"),
        ("- 09:14 Peas.\n\n```sh\nls", "\n```\n\n- 14:05 Beans.\n"),
        ("~~~~\n```\n- 09:14 x\n", "~~~~\n\n- 14:05 Beans.\n"),
        ("\ufeff# 2026-11-15\n", "\n- 14:05 Beans.\n"),
    ],
)
def test_a_note_continues_in_its_own_style(text: str, after: str) -> None:
    assert grown(text) == text + after


def test_further_lines_are_indented_in_bullets_and_not_in_prose() -> None:
    assert grown("- 09:14 Peas.\n", "Beans.\n  And leeks.").endswith(
        "- 14:05 Beans.\n  And leeks.\n"
    )
    assert grown("Peas grew.\n", "Beans.\n  And leeks.").endswith("\nBeans.\nAnd leeks.\n")


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_the_new_text_is_readable_in_any_note(data: bytes) -> None:
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    new = (
        bytes_to_append(data, "Beans grew.", "14:05", DAY)
        .replace(b"\0" if wide else b"", b"")
        .decode()
    )

    assert "Beans grew." in new
    assert new.endswith("\n")


@given(
    st.lists(
        st.sampled_from(
            ["# D", "## 09:14 x", "- 09:14 a", "- a", "  b", "c", "```", "~~~", "", "---", "> q"]
        ),
        max_size=8,
    )
)
def test_the_new_text_is_never_inside_a_code_block(lines: list[str]) -> None:
    text = "\n".join(lines)

    blocks = outline(grown(text, "Beans grew."))

    assert any("Beans grew." in block.text and block.kind != "code" for block in blocks)


CONVERSATION = lesson_id("conversation", "a")
HEAD = f"Conversation {lesson_mark(CONVERSATION)}"


def told(text: str, *below: str, mark: str = CONVERSATION, head: str = HEAD) -> str:
    lines = [f"- {text} {lesson_mark(lesson_id(text))}" for text in below]
    return (
        text
        + bytes_to_append(text.encode(), head, "14:05", DAY, nested_lines=lines, mark=mark).decode()
    )


@each_row("text", ["", "- 09:14 Peas.\n", "## 09:14 Peas\n\nGrew.\n", "Peas.\n"])
def test_a_conversation_extends_its_block_while_it_is_the_last(text: str) -> None:
    one = told(text, "Decided: beans.")
    two = told(one, "Next: leeks.")

    assert two.startswith(one)
    assert two.count(lesson_mark(CONVERSATION)) == 1
    assert two.index("beans") < two.index("leeks")


def test_a_conversation_starts_a_new_block_after_other_text() -> None:
    one = told("", "Decided: beans.")
    between = grown(one, "A call.")

    two = told(between, "Next: leeks.")

    assert two.count(lesson_mark(CONVERSATION)) == 2
    other = lesson_id("conversation", "b")
    assert lesson_mark(other) in told(
        one, "Next: x", mark=other, head=f"Conversation {lesson_mark(other)}"
    )
