"""A Markdown text is split into blocks; every line belongs to exactly one."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from remem.text.markdown import Block, blocks_of, lines_of, outline
from tests.tables import each_row

PIECES = st.sampled_from(
    [
        "# A",
        "## B ##",
        "- x",
        "  - y",
        "\t- z",
        "1. n",
        "text",
        "",
        "```",
        "~~~~",
        "| a | b |",
        "<!-- c",
        "-->",
        "---",
        "  under",
        "#no",
        "\r",
        "####### seven",
        "* ",
        "•\tdot",
    ]
)


def kinds(text: str) -> list[str]:
    return [block.kind for block in outline(text)]


def find(text: str, said: str) -> Block:
    return next(block for block in outline(text) if block.text == said)


def test_a_block_knows_the_headings_above_it() -> None:
    text = "# Top\n## Rules\n- never\n### Old\n- before\n## Setup\n- host"

    assert find(text, "never").headings == ("Top", "Rules")
    assert find(text, "before").headings == ("Top", "Rules", "Old")
    assert find(text, "host").headings == ("Top", "Setup")


def test_a_nested_bullet_knows_its_parent_and_depth() -> None:
    blocks = outline("- a\n  - b\n    - c\n\t- d\n- e")

    assert [(block.text, block.level, block.parent) for block in blocks] == [
        ("a", 0, None),
        ("b", 1, 0),
        ("c", 2, 1),
        ("d", 2, 1),
        ("e", 0, None),
    ]


def test_continuation_lines_belong_to_their_bullet() -> None:
    (block,) = outline("- first\n  second\n  third")

    assert (block.start, block.end, block.text) == (1, 3, "first\nsecond\nthird")


def test_a_hash_inside_a_fence_is_code() -> None:
    assert kinds("```\n# not a heading\n- nor a bullet\n```\n# yes") == ["code", "heading"]


def test_a_fence_that_is_never_closed_ends_before_the_next_heading() -> None:
    blocks = outline("```\nls -l\n## Later\n- found")

    assert [block.kind for block in blocks] == ["code", "heading", "bullet"]
    assert blocks[-1].headings == ("Later",)


def test_front_matter_is_distinguished_from_a_rule() -> None:
    assert kinds("---\ntitle: x\n---\n# A") == ["front matter", "heading"]
    assert "front matter" not in kinds("text\n---\nmore\n---")


def test_closing_marks_are_not_part_of_a_heading() -> None:
    assert [block.text for block in outline("## B ##\n# C#\n# ###\n#")] == ["B", "C#", "", ""]


def test_lines_are_split_at_line_feeds_only() -> None:
    assert lines_of("a\r\nb\u2028c\x0cd\n") == ["a", "b\u2028c\x0cd"]


class Lines(list[str]):
    """Counts how often one of them is looked at."""

    looks = 0

    def __getitem__(self, at: Any) -> Any:
        self.looks += 1
        return super().__getitem__(at)


@each_row("piece", ["```x\n# h\n", "<!-- x\n", "~~~~\n```x\n# h\n", "- <!--\n<!--\n"])
def test_unclosed_blocks_take_linear_time(piece: str) -> None:
    once, twice = Lines(lines_of(piece * 200)), Lines(lines_of(piece * 400))

    blocks_of(once)
    blocks_of(twice)

    assert twice.looks <= 2.1 * once.looks + 100


@given(st.lists(PIECES, max_size=30).map("\n".join))
def test_every_line_that_is_not_blank_is_in_exactly_one_block(text: str) -> None:
    lines = lines_of(text)
    blocks = outline(text)
    covered = [number for block in blocks for number in range(block.start, block.end + 1)]

    assert len(covered) == len(set(covered))
    assert covered == sorted(covered)
    for number, line in enumerate(lines, 1):
        assert number in covered or not line.strip()
    for place, block in enumerate(blocks):
        assert block.parent is None or (
            block.parent < place and blocks[block.parent].kind == "bullet"
        )
