"""BERT's uncased WordPiece tokenizer in plain Python.

The ids are the same as those of the `tokenizers` package, with one intended exception: a literal
"[SEP]" in a text is treated as text, so that no memory can contain the model's control tokens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

UNKNOWN: Final = "[UNK]"
START: Final = "[CLS]"
END: Final = "[SEP]"

_MAX_WORD_LENGTH: Final = 100  # BERT treats a longer word as unknown
_CACHE_SIZE: Final = 50_000
# White space as the model's own tokenizer defines it: without \x0b and \x1c, which it deletes.
_RUN: Final = re.compile("[^\t\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_CJK: Final = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


def _is_punctuation(char: str) -> bool:
    ascii_symbol = char.isascii() and char.isprintable() and not char.isalnum()
    return ascii_symbol or unicodedata.category(char).startswith("P")


@lru_cache(maxsize=4096)
def _letters(char: str) -> tuple[tuple[str, bool], ...]:
    """Return a character in lower case without accents, as one or more letters.

    The flag of a letter says whether the letter is a word by itself.
    """
    if char == "\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs"):
        return ()
    is_word = any(low <= ord(char) <= high for low, high in _CJK)
    plain = (c for c in unicodedata.normalize("NFD", char) if unicodedata.category(c) != "Mn")
    return tuple((c, is_word or _is_punctuation(c)) for c in "".join(plain).lower())


def mostly_latin(text: str) -> bool:
    """Return whether at least half of a text's letters are Latin; True if it has no letters."""
    if text.isascii():
        return True
    letters = [char for char in text[:1000] if char.isalpha()]
    latin = sum(ord(char) < 0x250 or 0x1E00 <= ord(char) < 0x1F00 for char in letters)
    return 2 * latin >= len(letters)


def words(characters: str) -> Iterator[str]:
    """Yield the words, punctuation marks and CJK characters in a run without white space."""
    if characters.isascii() and characters.isalnum():
        yield characters.lower()
        return
    word: list[str] = []
    for char in characters:
        for letter, is_word in _letters(char):
            if not is_word:
                word.append(letter)
                continue
            if word:
                yield "".join(word)
                word.clear()
            yield letter
    if word:
        yield "".join(word)


class WordPiece:
    """Splits a text into at most `limit` pieces of a vocabulary, including START and END."""

    def __init__(self, vocabulary: Sequence[str], limit: int = 256) -> None:
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self._limit = limit
        # A piece covers at most one word and one space, so the rest of a text is never needed.
        self._max_characters = limit * (_MAX_WORD_LENGTH + 1)
        self._cached_run = lru_cache(maxsize=_CACHE_SIZE)(self._split_run)

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text, with START before and END after them."""
        return [self._ids[START], *self.pieces(text), self._ids[END]]

    def pieces(self, text: str) -> list[int]:
        """Return the ids of a text without START and END."""
        room = self._limit - 2
        ids: list[int] = []
        for run in _RUN.findall(text, 0, self._max_characters):
            split = self._cached_run if len(run) <= _MAX_WORD_LENGTH else self._split_run
            ids += split(run)
            if len(ids) >= room:
                break
        return ids[:room]

    def _split_run(self, characters: str) -> tuple[int, ...]:
        ids: list[int] = []
        for word in words(characters):
            ids += self._split(word) if len(word) <= _MAX_WORD_LENGTH else (self._ids[UNKNOWN],)
            if len(ids) >= self._limit:
                break
        return tuple(ids)

    def _split(self, word: str) -> tuple[int, ...]:
        """Return the ids of a word's pieces: the longest known one, then the longest of the rest.

        A word that cannot be split into known pieces is UNKNOWN.
        """
        ids: list[int] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                piece_id = self._ids.get(prefix + word[start:end])
                if piece_id is not None:
                    break
            else:
                return (self._ids[UNKNOWN],)
            ids.append(piece_id)
            start, prefix = end, "##"
        return tuple(ids)
