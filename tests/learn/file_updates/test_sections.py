"""A new line goes to the end of its section; everything a person wrote stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.learn.file_updates.tasks import TaskPage


def append_to_section(text: str, block: str, section: str, title: str) -> str:
    page = TaskPage(text)
    page.append(block, section, title)
    return page.text


def test_a_new_file_gets_a_title_and_a_section() -> None:
    text = append_to_section("", "- beans", "Decisions|决定", "Experience")

    assert text == "# Experience\n\n## Decisions\n\n- beans\n"


def test_a_line_is_added_to_the_list_of_its_section() -> None:
    old = "# X\n\n## Decisions\n\n- peas\n  and more\n\n## Later\n\ntext\n"

    assert append_to_section(old, "- beans", "Decisions", "X") == (
        "# X\n\n## Decisions\n\n- peas\n  and more\n- beans\n\n## Later\n\ntext\n"
    )


def test_a_section_is_found_by_any_of_its_names_and_levels() -> None:
    old = "# X\n### 决定 ###\n正文\n# Y\n"

    assert (
        append_to_section(old, "- 豆", "Decisions|决定", "X")
        == "# X\n### 决定 ###\n正文\n\n- 豆\n\n# Y\n"
    )


def test_a_missing_section_is_added_at_the_end() -> None:
    assert append_to_section("words", "- beans", "Facts", "X") == "words\n\n## Facts\n\n- beans\n"


def test_a_heading_in_code_is_ignored() -> None:
    old = "```\n## Facts\n```\n"

    assert append_to_section(old, "- beans", "Facts", "X") == old + "\n## Facts\n\n- beans\n"


def test_line_endings_are_those_of_the_file() -> None:
    old = "# X\r\n\r\n## Facts\r\n\r\n- peas\r\n"

    assert append_to_section(old, "- beans\n  pods", "Facts", "X") == old + "- beans\r\n  pods\r\n"


@pytest.mark.parametrize("section", ["", "Facts", "Not there"])
@given(text=st.text(alphabet="ab#-`~ |\n\r\t", max_size=60))
def test_no_line_of_a_person_is_lost_or_changed(section: str, text: str) -> None:
    new = append_to_section(text, "- beans", section, "X")

    kept = [line.strip() for line in text.split("\n") if line.strip()]
    rest = [line.strip() for line in new.split("\n")]
    for line in kept:
        assert line in rest
        rest.remove(line)
    assert "- beans" in [line.strip() for line in new.split("\n")]


@given(text=st.text(alphabet="ab#-`~ |\n", max_size=60), blocks=st.integers(1, 4))
def test_lines_are_added_in_order(text: str, blocks: int) -> None:
    for number in range(blocks):
        text = append_to_section(text, f"- block {number}", "Facts", "X")

    order = [line for line in text.split("\n") if line.startswith("- block")]
    assert order == [f"- block {number}" for number in range(blocks)]


@given(
    text=st.text(alphabet="ab#-`~ |\n", max_size=60),
    sections=st.lists(st.sampled_from(["", "Facts", "a", "Later|b"]), min_size=1, max_size=5),
)
def test_a_page_can_be_changed_again_without_parsing_it_again(
    text: str, sections: list[str]
) -> None:
    page, expected = TaskPage(text), text
    for number, section in enumerate(sections):
        page.append(f"- block {number}", section, "X")
        expected = append_to_section(expected, f"- block {number}", section, "X")

    assert page.text == expected
