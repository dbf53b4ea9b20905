import time
from typing import Any

import pytest

from remem.files.transcripts.records import text_blocks, time_of, turn_of, without_blocks
from tests.tables import each_row


def clean(raw: str) -> str:
    turn = turn_of(1, "user", raw, None)
    return turn.text if turn else ""


@each_row(
    ("raw", "text"),
    [
        ("  one\n\n two\tthree\u3000four ", "one two three four"),
        ("a\x00b\x07c", "abc"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("half \ud83d of it", "half \ufffd of it"),
        ("é 数据 🧠", "é 数据 🧠"),
        ("\x00", ""),
    ],
)
def test_a_text_becomes_one_legible_line(raw: str, text: str) -> None:
    assert clean(raw) == text
    text.encode()


def test_a_secret_on_the_line_after_its_name_is_masked_too() -> None:
    assert "hunter22x" not in clean("the password:\nhunter22x\nthanks")


def test_it_is_masked_in_the_text_with_line_breaks_as_well() -> None:
    turn = turn_of(1, "user", "password:\n  hunter22x9\nthanks", None)

    assert turn is not None
    assert turn.multiline == "password:\n  ***\nthanks"


def test_a_key_that_is_broken_by_a_nul_is_still_a_key() -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3

    assert key[6:-4] not in clean(f"use {key[:10]}\x00{key[10:]} now")


def test_a_private_key_over_many_lines_is_masked() -> None:
    body = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" + str(n) * 8 for n in range(5))
    text = f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----"

    assert "hkiG9w0B" not in clean(text)


@each_row(
    ("content", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "image"}, {"type": ["text"], "text": "x"}, None, 4], None),
        ([{"type": "text", "text": 5}], None),
        ({"type": "text", "text": "x"}, None),
        (None, None),
    ],
)
def test_the_words_of_a_message_are_its_blocks_of_text(content: Any, text: str | None) -> None:
    assert text_blocks(content) == text


def test_tagged_blocks_are_removed_and_an_unclosed_one_stays() -> None:
    text = "a <x>b</x> c <x y='1'>d\n</x> e <x>f"

    assert without_blocks(text, ["x"]).split() == ["a", "c", "e", "<x>f"]


def test_the_first_valid_time_counts() -> None:
    assert time_of(None, {}, [], "no", float("nan"), float("inf"), "2026-01-02") == (
        "2026-01-02T00:00:00Z"
    )
    assert time_of(10**400) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "flood", ["<x>", "</x>", "<x ", "[", "\x1b[1", "password: ", "<x></x", "\ud800"]
)
def test_no_flood_takes_more_than_its_share_of_time(flood: str) -> None:
    def seconds(length: int) -> float:
        text = flood * (length // len(flood))
        began = time.thread_time()  # of the processor, however busy the machine is
        clean(without_blocks(text, ["x"]))
        return time.thread_time() - began

    seconds(10_000)
    short = min(seconds(50_000) for _ in range(3))
    assert min(seconds(800_000) for _ in range(2)) < short * 16 * 6
