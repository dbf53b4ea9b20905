"""The gist of a statement is its first sentences on one line, without secrets."""

from __future__ import annotations

from remem.learn.synthesize.daily import flushed_lines, gist
from tests.conftest import SECRET


def test_a_short_statement_stays_as_it_is() -> None:
    assert gist("Never push on Fridays.") == "Never push on Fridays."


def test_a_long_statement_ends_with_a_complete_sentence() -> None:
    assert gist("One is short. Two is a little longer. Three.", 20) == "One is short."


def test_a_sentence_that_is_too_long_is_cut_at_a_word() -> None:
    assert gist("a very long sentence without an end", 20) == "a very long…"


def test_code_and_nested_lines_are_left_out() -> None:
    assert gist("Restart the relay:\n```\nkill -9\n```") == "Restart the relay:"
    assert gist("Two steps\n- one\n- two") == "Two steps"


def test_a_line_that_only_announces_a_list_is_followed_by_it_or_left_out() -> None:
    assert gist("**Steps:**\n- one\n  1. two") == "**Steps:** one; two"
    assert gist("The key was revoked. **Measures:**\n- one") == "The key was revoked."
    assert gist("The small plan lasts.\n**Rules:**") == "The small plan lasts."
    assert gist("规则：\n- 一\n- 二") == "规则： 一; 二"


def test_a_secret_is_masked() -> None:
    assert SECRET not in gist(f"The key is {SECRET}.")


def test_flushed_lines_are_recognised_by_their_marks() -> None:
    note = (
        "# 2026-11-10\n\n- 10:00 Conversation <!-- remem:27aefb941d85 -->\n"
        "  - Learned: Tea at five. <!-- remem:fbc45a5e11d4 from memory/x.md -->\n"
        "  - Next: Order seeds <!-- remem:0c8deb80572e -->\n- Learned: by hand\n"
    )

    assert [(line.number, line.part, line.text) for line in flushed_lines(note)] == [
        (4, "learned", "Tea at five."),
        (5, "next", "Order seeds"),
    ]
