"""Secrets that a sentence states: "My PIN is 4921", "the passphrase is …", "my code is …".

A number counts if the sentence names what it opens (a PIN, or the code of a door, an alarm or a
safe), or if it is somebody's code and nothing else is said about it. A plain word counts as a
password if the sentence says nothing else about a password, and if it is not a word that describes
passwords, such as wrong, required, or in the vault. Several words count as a passphrase under the
same conditions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from remem.text.pattern_file import pattern_file
from remem.text.secrets.mask import MASK
from remem.text.secrets.shapes import SecretSpan
from remem.text.secrets.values import DESCRIPTIONS, PASSWORD_WORDS, PLACEHOLDERS, SENTENCE_WORDS

_FILE: Final = pattern_file("text/secrets/sentences")
CODE_WORDS: Final[tuple[str, ...]] = tuple(_FILE["code_words"].split())
_CODES: Final = ("numbered_code", "owned_code", "card_code", "combination")
_WORD: Final = re.compile(r"\S+")
_DIGIT: Final = re.compile(r"\d")


def stated_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield every PIN, code, password and passphrase that a sentence states."""
    folded = text.lower()
    if has_digit(text) and any(word in folded for word in CODE_WORDS):
        yield from _stated_codes(text)
    if any(word in folded for word in PASSWORD_WORDS):
        yield from _stated_passwords(text)
        yield from _passphrases(text)
    elif "phrase" in folded:
        yield from _passphrases(text)


def has_digit(text: str) -> bool:
    """Return whether a text contains a digit."""
    return _DIGIT.search(text) is not None


def _stated_codes(text: str) -> Iterator[SecretSpan]:
    for name in _CODES:
        for match in _FILE.regex(name).finditer(text):
            if not _FILE.regex("postal").search(text, max(0, match.start() - 40), match.end() + 40):
                yield SecretSpan(*match.span("value"), "code")


def _stated_passwords(text: str) -> Iterator[SecretSpan]:
    for match in _FILE.regex("stated_word").finditer(text):
        is_description = _FILE.regex("description").match(match["value"])
        if not is_description and not _is_not_a_value(match["value"]):
            yield SecretSpan(*match.span("value"), "password")
    for match in _quoted_password().finditer(text):
        if not _is_not_a_value(match["value"]):
            yield SecretSpan(*match.span("value"), "password")


def _passphrases(text: str) -> Iterator[SecretSpan]:
    """Yield three or more words up to the end of a sentence, or four or more within it."""
    for match in _FILE.regex("passphrase").finditer(text):
        words = list(_WORD.finditer(text, *match.span("value")))
        sentence_words = (n for n, word in enumerate(words) if word[0].casefold() in SENTENCE_WORDS)
        count = next(sentence_words, len(words))
        fills_sentence = count == len(words) and match["end"] is not None
        first = words[0][0].casefold()
        is_description = _FILE.regex("description").match(first) or (
            count < 4 and first in DESCRIPTIONS
        )
        if count >= (3 if fills_sentence else 4) and not is_description:
            yield SecretSpan(words[0].start(), words[count - 1].end(), "passphrase")


def _is_not_a_value(value: str) -> bool:
    """Return whether a word only describes or names a password, or is masked already."""
    word = value.casefold()
    known = word in DESCRIPTIONS or word in PLACEHOLDERS or word in PASSWORD_WORDS
    return known or "***" in value or MASK in value


@cache
def _quoted_password() -> re.Pattern[str]:
    words = "|".join(sorted(map(re.escape, PASSWORD_WORDS), key=len, reverse=True))
    return _FILE.compile(f"(?:{words})\n{_FILE['quoted']}")
