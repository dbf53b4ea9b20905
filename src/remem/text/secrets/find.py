"""Finds the secrets of a text, after a quick look that most texts pass.

Every secret has a sign that a plain search finds: a long word, a word for a password or a key, a
mark of an address or a command. A text without any sign holds no secret.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from remem.text.secrets.fields import lowered, secret_values
from remem.text.secrets.places import SIGNS, placed_secrets
from remem.text.secrets.recovery import SEED_SIGNS, has_seed_words, recovery_secrets
from remem.text.secrets.sentences import CODE_WORDS, has_digit, stated_secrets
from remem.text.secrets.shapes import Found, has_long_word, shaped_secrets
from remem.text.secrets.words import ALONE


def found_in(text: str) -> list[Found]:
    """The secrets of a text in their order, overlapping ones as one.

    What a shape says of a secret counts more than its name, which counts more than a sentence.
    """
    finders = (shaped_secrets, placed_secrets, secret_values, stated_secrets, recovery_secrets)
    found = (found for finder in finders for found in finder(text))
    apart: list[Found] = []
    for each in sorted(found, key=lambda one: one.start):
        last = apart[-1] if apart else None
        if last and each.start < last.end:
            apart[-1] = Found(last.start, max(last.end, each.end), last.kind)
        else:
            apart.append(each)
    return apart


def suspicious(text: str) -> bool:
    """Whether the text may hold a secret."""
    if has_long_word(text):
        return True
    folded = lowered(text)
    for sign in _ASCII_SIGNS if text.isascii() else _SIGNS:  # a loop is faster than one expression
        if sign in folded:
            return True
    return has_seed_words(folded) or (any(map(folded.__contains__, _CODES)) and has_digit(text))


def _shortest(signs: Iterable[str]) -> tuple[str, ...]:
    """Those that hold no other: where that one is missing, they are, too."""
    chosen: list[str] = []
    for sign in sorted(set(signs), key=lambda one: (len(one), one)):
        if not any(each in sign for each in chosen):
            chosen.append(sign)
    return tuple(chosen)


_SIGNS: Final = _shortest(("pass", "key", "wiederherstellungs", *ALONE, *SIGNS, *SEED_SIGNS))
_ASCII_SIGNS: Final = tuple(filter(str.isascii, _SIGNS))
_CODES: Final = _shortest(CODE_WORDS)
