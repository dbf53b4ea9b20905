"""The section is removed exactly, whatever a person wrote around it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from remem.setup.agents_section import (
    gap_before,
    has_section,
    is_untouched,
    with_section,
    without_section,
)
from remem.text.tokens import estimate
from tests.tables import each_row
from tests.tiers import examples

ID = "0123abcd"
FILES = [
    b"",
    b"# Agents\n\nBe kind.\n",
    b"# Agents\n\nBe kind.\n\n",
    b"no line end",
    b"# Agents\r\n\r\nBe kind.\r\n",
    b"no line end\r\nat the end",
    b"\xef\xbb\xbf# Agents\n",
    b"\xef\xbb\xbf",
    b"caf\xe9 in Latin-1\n",
    b"```\nnever closed\n",
    b"\n\n\n",
]


@each_row("before", FILES)
def test_an_added_section_can_be_removed(before: bytes) -> None:
    active = with_section(before, ID)

    assert active.startswith(before)
    assert has_section(active)
    assert is_untouched(active)
    found = without_section(active, gap_before(before))
    assert found is not None
    assert (found.data, found.edited) == (before, None)


@each_row("before", [b"# A\n\nBe kind.\n", b"# A\r\nBe kind.\r\n", b"no end"])
def test_text_around_the_section_stays(before: bytes) -> None:
    active = b"# Mine\n" + with_section(before, ID) + b"\n## Mine too\n"

    found = without_section(active, gap_before(before))

    assert found is not None
    assert (found.data, found.edited) == (b"# Mine\n" + before + b"\n## Mine too\n", None)


def test_two_lines_of_a_person_are_never_joined() -> None:
    active = with_section(b"no line end", ID) + b"a line behind it\n"

    found = without_section(active, gap_before(b"no line end"))

    assert found is not None
    assert found.data == b"no line end\na line behind it\n"


def test_a_line_right_before_the_section_keeps_its_line_ending() -> None:
    before = b"# Agents\n"
    active = with_section(before, ID).replace(b"\n\n<!--", b"\nmy line\n<!--", 1)

    found = without_section(active, gap_before(before))

    assert found is not None
    assert found.data == b"# Agents\nmy line\n"


def test_text_inside_the_section_is_returned() -> None:
    active = with_section(b"# Agents\n", ID).replace(b"- Store:", b"- Mara too.\n- Store:")

    found = without_section(active)

    assert not is_untouched(active)
    assert found is not None
    assert found.data == b"# Agents\n"
    assert b"- Mara too.\n" in (found.edited or b"")


def test_other_line_endings_are_not_an_edit() -> None:
    active = with_section(b"# Agents\n", ID).replace(b"\n", b"\r\n")

    found = without_section(active)

    assert found is not None
    assert (found.data, found.edited) == (b"# Agents\r\n", None)


@each_row("mark", [b"<!-- remem:begin 0123abcd -->", b"<!-- remem:end 0123abcd -->"])
def test_with_one_marker_lost_only_our_lines_are_removed(mark: bytes) -> None:
    active = with_section(b"# Agents\n", ID).replace(mark, b"Mara was here.")
    active += b"A last word.\n"

    found = without_section(active)

    assert found is not None
    assert b"memory_recall" not in found.data
    assert b"remem:" not in found.data
    assert b"# Agents\n" in found.data
    assert b"Mara was here." in found.data
    assert b"A last word.\n" in found.data
    assert found.edited == active


def test_a_copied_section_is_removed_twice() -> None:
    active = with_section(with_section(b"# Agents\n", ID), ID)

    found = without_section(active)

    assert found is not None
    assert found.data == b"# Agents\n"


def test_a_file_without_the_section_is_left_alone() -> None:
    assert without_section(b"<!-- remem:begin is a comment -->\n") is None


PIECES = st.sampled_from([b"a", b"a line\n", b"\n", b"\r\n", b"\r", b" ", b"\xff", b"\xef\xbb\xbf"])
BYTES = st.lists(PIECES, max_size=8).map(b"".join)


@settings_of(max_examples=examples(200))
@given(before=BYTES, above=BYTES, below=BYTES)
def test_exactly_our_bytes_are_removed(before: bytes, above: bytes, below: bytes) -> None:
    active = above + with_section(before, ID) + below

    found = without_section(active, gap_before(before))

    assert found is not None
    assert found.edited is None
    if gap_before(before) == 2 and below and not below.startswith((b"\n", b"\r\n")):
        assert found.data in (above + before + eol + below for eol in (b"\n", b"\r\n"))
    else:
        assert found.data == above + before + below


def test_the_section_is_small() -> None:
    assert estimate(with_section(b"", ID).decode()) < 330


def test_the_text_of_an_earlier_version_does_not_count_as_edited() -> None:
    active = with_section(b"# Agents\n", ID).replace(
        b"It may already be in your context; if not",
        b"It may stand in your context already; if not",
    )

    assert b"may stand in" in active
    assert is_untouched(active)
    removed = without_section(active)
    assert removed is not None
    assert (removed.data, removed.edited) == (b"# Agents\n", None)
