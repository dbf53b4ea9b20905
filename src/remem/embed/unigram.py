"""The unigram tokenizer of multilingual models (SentencePiece), in plain Python.

A text is normalised and cut at spaces. Each word is split into the pieces of the vocabulary whose
probabilities have the largest product. The ids are the same as those of the `tokenizers` package,
with one intended exception: a literal "</s>" in a text is treated as text, so that no memory can
contain the model's control tokens.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

WORD_START: Final = "\u2581"
"""The character that replaces the space before a word."""
START_ID: Final = 0
END_ID: Final = 2
UNKNOWN_ID: Final = 3

_UNKNOWN_PENALTY: Final = 10.0
"""An unknown character is this much less likely than the least likely piece."""
_CACHE_SIZE: Final = 50_000
_MAX_CACHED_LENGTH: Final = 100
_CONTROL: Final = [*range(0x01, 0x20), 0x7F, 0x8F, 0x9F]
_SPACES: Final = (
    *(0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029),
    *(ord(WORD_START), 0xFEFF, 0xFFFD),
)
_EXCEPTIONS: Final = dict.fromkeys(_CONTROL, "") | dict.fromkeys(_SPACES, " ")
_KEPT: Final = "\uff5e"  # a full-width tilde, which NFKC would change


def normalize(text: str) -> str:
    """Normalise a text as the model's own tokenizer does: NFKC, with a few exceptions."""
    if text.isascii() and text.isprintable():
        return text
    plain = text.translate(_EXCEPTIONS)
    return _KEPT.join(unicodedata.normalize("NFKC", part) for part in plain.split(_KEPT))


class Unigram:
    """Splits a text into at most `limit` pieces of a vocabulary, including start and end."""

    def __init__(self, pieces: Sequence[str], scores: Sequence[float], limit: int) -> None:
        self._ids = dict(zip(pieces, range(len(pieces)), strict=True))
        for control in (*pieces[: UNKNOWN_ID + 1], "<mask>"):
            self._ids.pop(control, None)
        self._scores = scores
        self._unknown_score = min(scores) - _UNKNOWN_PENALTY
        self._longest = max(map(len, pieces))
        self._limit = limit
        # A piece covers at most so many characters, so the rest of a text is never needed.
        self._max_characters = limit * self._longest
        self._cached_split = lru_cache(maxsize=_CACHE_SIZE)(self._split)

    def is_piece(self, word: str) -> bool:
        """Return whether a word is a piece of the vocabulary."""
        return WORD_START + word in self._ids

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text, with the start id before and the end id after them."""
        return [START_ID, *self.pieces(text), END_ID]

    def pieces(self, text: str) -> list[int]:
        """Return the ids of a text without the start id and the end id."""
        room = self._limit - 2
        normal = normalize(text[: self._max_characters])
        words = normal.split(" ")
        if not normal:
            return []
        ids: list[int] = []
        for position, word in enumerate(words):
            # Several spaces count as one; one at the end of a text is a piece.
            if not word and position < len(words) - 1:
                continue
            split = self._cached_split if len(word) <= _MAX_CACHED_LENGTH else self._split
            ids += split(WORD_START + word)
            if len(ids) >= room:
                break
        return ids[:room]

    def _split(self, word: str) -> tuple[int, ...]:
        """Return the most probable pieces of a word (Viterbi's algorithm)."""
        known, scores, size = self._ids, self._scores, len(word)
        best = [0.0] + [float("-inf")] * size
        last: list[tuple[int, int]] = [(0, 0)] * (size + 1)
        for start in range(size):
            so_far = best[start]
            for end in range(start + 1, min(size, start + self._longest) + 1):
                piece = known.get(word[start:end])
                if piece is not None and so_far + scores[piece] > best[end]:
                    best[end] = so_far + scores[piece]
                    last[end] = (start, piece)
            score = so_far + self._unknown_score
            if word[start] not in known and score > best[start + 1]:
                best[start + 1] = score
                last[start + 1] = (start, UNKNOWN_ID)
        ids: list[int] = []
        end = size
        while end:
            end, piece = last[end]
            if piece != UNKNOWN_ID or not ids or ids[-1] != UNKNOWN_ID:
                ids.append(piece)
        return tuple(reversed(ids))
