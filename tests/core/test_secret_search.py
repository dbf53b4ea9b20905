"""Who is no suspect holds no secret: what is looked through together misses nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.core import secret_search
from remem.core.secret_search import suspects
from remem.core.secrets import redact, spotless
from tests.core.test_secrets import FIELDS, SHAPES, drawn

PLAIN = [
    "Mara drinks her coffee black.",
    "The meeting moved to Thursday.",
    "我们在里斯本见面。",
    "Ж" * 30,
    "",
]
SAID = [
    "My PIN is 4921.",
    "the door code: 8842",
    "password: hunter2secret",
    "Das Passwort ist Rosenkohl77",
    "İstanbul şifre: kavun1234",
    "密码是 hunter2secret",
    "postgres://mara:lisbon-roof@db/ledger",
]


def secrets() -> list[str]:
    shaped = [drawn(shape, seed) for seed, each in enumerate(SHAPES.values()) for shape in each]
    named = [around.format(secret) for around, secret in FIELDS]
    return [f"It is reached with {each}, he said." for each in shaped] + named + SAID


@pytest.mark.parametrize("secret", secrets(), ids=lambda text: text[19:31])
def test_whoever_holds_a_secret_is_a_suspect(secret: str) -> None:
    assert redact(secret).kinds, "the sample holds none"

    among = [*PLAIN, secret, *PLAIN]

    assert len(PLAIN) in suspects(among)
    assert secret not in spotless(among)


@given(st.lists(st.one_of(st.text(max_size=60), st.sampled_from(secrets())), max_size=8))
def test_who_is_no_suspect_has_nothing_to_mask(texts: list[str]) -> None:
    assert all(redact(text).text == text for text in spotless(texts))


def test_most_texts_are_no_suspects() -> None:
    assert suspects(PLAIN) == []
    assert spotless(PLAIN) == frozenset(PLAIN)


def test_words_of_two_texts_are_never_one() -> None:
    halves = ["A" * 9, "9" * 9, "pass", "word"]

    assert suspects(halves[:2]) == []
    assert suspects(["the pas", "sword: x"]) == []


def test_a_sign_left_out_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_search, "_SIGNS", ())
    monkeypatch.setattr(secret_search, "_ASCII_SIGNS", ())

    assert not all(suspects([each]) for each in SAID)
