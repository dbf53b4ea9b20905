"""A session token is random, names nobody, and expires."""

from __future__ import annotations

import os
import re
from random import Random

import pytest

from remem.errors import InvalidInput
from remem.model.session import Lifetime, invalid_token, new_token, parse_duration, token_digest
from remem.text.secrets.mask import redact
from tests.tables import each_row


def test_a_token_is_160_random_bits_in_letters_that_are_not_mistaken() -> None:
    asked: list[int] = []

    def bits(count: int) -> bytes:
        asked.append(count)
        return os.urandom(count)

    token = new_token(bits)

    assert asked == [20]
    assert re.fullmatch(r"rmt_[0-9a-hjkmnp-tv-z]{32}", token)
    assert len({new_token(os.urandom) for _ in range(200)}) == 200
    assert new_token(lambda n: b"\0" * n) != new_token(lambda n: b"\0" * (n - 1) + b"\1")


def test_a_token_that_is_written_into_a_memory_is_masked_like_any_secret() -> None:
    token = new_token(Random(1).randbytes)

    masked = redact(f"The session_token is {token}, keep it.")

    assert token not in masked.text
    assert masked.kinds == ("remem",)


@each_row("odd", [None, 7, ["rmt_"], {}, "", "x" * 201, "x" * 10**6])
def test_other_values_have_a_digest_that_matches_nothing(odd: object) -> None:
    assert token_digest(odd) == token_digest("")


def test_a_lone_surrogate_has_a_digest_too() -> None:
    assert token_digest("rmt_\ud800") != token_digest("")


def test_a_token_expires_when_unused_and_at_its_limit() -> None:
    life = Lifetime(idle=100, limit=1000)

    assert not life.is_expired(issued_at=0, last_used=0, now=100)
    assert life.is_expired(issued_at=0, last_used=0, now=101)
    assert not life.is_expired(issued_at=0, last_used=950, now=1000)
    assert life.is_expired(issued_at=0, last_used=1000, now=1001)
    assert life.guaranteed == 100
    assert Lifetime(idle=100, limit=10).guaranteed == 10


def test_a_token_without_a_lifetime_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one second"):
        Lifetime(idle=0)


def test_a_duration_is_a_number_and_a_unit() -> None:
    assert [parse_duration(text, "--ttl") for text in ("9s", "90m", "8h", " 7d ")] == [
        9,
        5400,
        28_800,
        604_800,
    ]


@each_row("text", ["", "8", "h", "-8h", "0h", "8 h", "8w", "9" * 20 + "s", "٣h"])
def test_an_invalid_duration_is_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"--ttl .* is not a duration"):
        parse_duration(text, "--ttl")


def test_the_refusal_says_what_to_do() -> None:
    assert "copy the newest one" in str(invalid_token())
    assert "new conversation" in str(invalid_token())
