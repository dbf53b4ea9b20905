"""Lines are dropped and restored; every other byte stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.text.line_edits import LineEdit, apply_edit, diff_text, revert_change

LINES = st.lists(st.sampled_from([b"a", b"b", b"", b"- x\r", b"\xff", b"c c"]), max_size=12)
NUMBERS = st.frozensets(st.integers(1, 12), max_size=6)


def test_other_bytes_stay_as_they_are() -> None:
    data = b"\xef\xbb\xbf# M\r\n- one\r\n- two\r\n\xff\x00- three"

    assert (
        apply_edit(data, LineEdit(frozenset({2}))) == b"\xef\xbb\xbf# M\r\n- two\r\n\xff\x00- three"
    )
    assert apply_edit(data, LineEdit(frozenset({2}), {1: "<!-- p -->"})) == (
        b"\xef\xbb\xbf# M\r\n<!-- p -->\r\n- two\r\n\xff\x00- three"
    )


def test_the_line_before_a_dropped_last_one_keeps_its_end() -> None:
    assert apply_edit(b"a\r\n\r\n- b", LineEdit(frozenset({3}))) == b"a\r\n\r\n"
    assert apply_edit(b"a\nb", LineEdit(frozenset({2}))) == b"a\n"
    assert apply_edit(b"a\nb\n", LineEdit(frozenset({2}))) == b"a\n"
    assert apply_edit(b"a\nb", LineEdit(frozenset({2}), {2: "c"})) == b"a\nc"
    assert apply_edit(b"b", LineEdit(frozenset({1}))) == b""


@given(LINES, NUMBERS, st.dictionaries(st.integers(1, 12), st.just("pointer"), max_size=2))
def test_undoing_restores_the_file_byte_for_byte(
    lines: list[bytes], dropped: frozenset[int], behind: dict[int, str]
) -> None:
    before = b"\n".join(lines)
    after = apply_edit(before, LineEdit(dropped, behind))

    assert revert_change(before, after, after) == before


@given(LINES, NUMBERS, st.integers(0, 12))
def test_an_edit_that_was_made_since_is_never_lost(
    lines: list[bytes], dropped: frozenset[int], place: int
) -> None:
    before = b"\n".join(lines)
    after = apply_edit(before, LineEdit(dropped))
    now_lines = after.split(b"\n")
    now_lines.insert(place, b"his own words")
    back = revert_change(before, after, b"\n".join(now_lines))

    if back is not None:
        assert sorted(back.split(b"\n")) == sorted([*before.split(b"\n"), b"his own words"])


def test_edits_elsewhere_stay_and_edits_on_the_spot_are_refused() -> None:
    before = b"a\nb\nc\nd\ne\n"
    after = b"a\nb\nd\ne\n"

    assert revert_change(before, after, b"A\nb\nd\ne\nf\n") == b"A\nb\nc\nd\ne\nf\n"
    assert revert_change(before, after, b"a\nB\nd\ne\n") is None


def test_adjacent_lines_stay_next_to_restored_ones() -> None:
    before, after = b"a\n- b\n- c\n", b"a\n-> entries\n"

    now = b"a\n-> entries\n- his own\n"
    assert revert_change(before, after, now) is None
    assert revert_change(before, after, now, allow_adjacent=True) == b"a\n- b\n- c\n- his own\n"
    now = b"a\n- his own\n-> entries\n"
    assert revert_change(before, after, now, allow_adjacent=True) == b"a\n- his own\n- b\n- c\n"
    assert revert_change(before, after, b"a\n-> Entries\n", allow_adjacent=True) is None


@given(LINES, NUMBERS, NUMBERS)
def test_lines_that_were_added_since_never_keep_dropped_ones_from_coming_back(
    lines: list[bytes], dropped: frozenset[int], places: frozenset[int]
) -> None:
    lines = [b"%d %s" % (number, line) for number, line in enumerate(lines)]
    before = b"\n".join(lines)
    after = apply_edit(before, LineEdit(dropped))
    now = after.split(b"\n")
    own = [b"his %d" % place for place in sorted(places)]
    for place, line in zip(sorted(places), own, strict=True):
        now.insert(place, line)
    back = revert_change(before, after, b"\n".join(now), allow_adjacent=True)

    assert back is not None
    back_lines = back.split(b"\n")
    assert [line for line in back_lines if line not in own] == before.split(b"\n")
    assert [line for line in back_lines if line in own] == [line for line in now if line in own]


def test_a_diff_is_readable() -> None:
    assert "-- two" in diff_text(b"- one\n- two\n", b"- one\n", "MEMORY.md").split("\n")
