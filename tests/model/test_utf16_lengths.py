"""Hosts count in UTF-16, and no character is split."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.model.arguments import cut_utf16, utf16_length


def test_a_character_outside_the_basic_plane_counts_twice() -> None:
    assert [utf16_length(text) for text in ("", "abc", "é", "数据", "🦀", "a🦀b")] == [
        0,
        3,
        1,
        2,
        2,
        4,
    ]


@given(st.text(), st.integers(0, 40))
def test_a_cut_text_is_the_longest_prefix_that_fits(text: str, limit: int) -> None:
    shown = cut_utf16(text, limit)

    assert text.startswith(shown)
    assert utf16_length(shown) <= limit
    assert shown == text or utf16_length(text[: len(shown) + 1]) > limit
