"""Select the pieces of a text that carry content, for a unigram vocabulary of many languages.

Function words depend on the language of a text: "die" is an article in German and a verb in
English. Chinese and Japanese have no spaces, so each piece counts as a word there.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remem.embed.token_vectors import STOP_WORDS
from remem.embed.unigram import UNKNOWN_ID, WORD_START
from remem.ports.models import Floats
from remem.text.language import function_words, language_of
from remem.text.words import COMMON_HAN, has_grams

_KANA_ENDINGS: Final = frozenset("です ます ました ません でした している します された".split())
_MAX_PARTICLE: Final = 2
_KOREAN_PARTICLES: Final = frozenset(
    "은 는 이 가 을 를 의 에 도 로 와 과 에서 으로 하고 입니다".split()
)


class ContentPieces:
    """Selects and weighs the content pieces of texts."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces = pieces
        self._log_size = log(len(pieces))

    def select(
        self, text: str, ids: Sequence[int], skipped: int
    ) -> tuple[NDArray[np.intp], Floats]:
        """Return the positions and weights of the content pieces of a text.

        The first `skipped` of its pieces are left out. Rare pieces weigh more than frequent ones:
        the vocabulary is sorted by frequency, and the logarithm of a rank serves as an inverse
        document frequency. The pieces of a word share the weight of the word.
        """
        stop_words = _stop_words(language_of(text))
        positions: list[int] = []
        weights: list[float] = []
        for first, last in self._words(ids, skipped):
            word = "".join(self._pieces[piece] for piece in ids[first:last]).strip(WORD_START)
            if not _is_content(word.casefold(), stop_words):
                continue
            for position in range(first, last):
                piece = ids[position]
                if any(map(str.isalnum, self._pieces[piece])):
                    positions.append(position)
                    rarity = log(max(piece - UNKNOWN_ID, 1)) / self._log_size
                    weights.append((0.5 + 0.5 * rarity) / (last - first))
        return np.array(positions, np.intp), np.array(weights, np.float32)

    def _words(self, ids: Sequence[int], skipped: int) -> list[tuple[int, int]]:
        """Return the position of the first piece of each word, and the position after its last."""
        starts = [
            position
            for position in range(skipped, len(ids) - 1)
            if self._starts_word(self._pieces[ids[position]])
        ]
        return list(zip(starts, [*starts, len(ids) - 1][1:], strict=True))

    @staticmethod
    def _starts_word(piece: str) -> bool:
        if piece.startswith(WORD_START) or not any(map(str.isalnum, piece)):
            return True
        return not piece.isascii() and has_grams(piece)


def _stop_words(language: str) -> frozenset[str]:
    """Return the words without content in a language; the English ones also occur in others."""
    if language in ("en", ""):
        return STOP_WORDS
    return function_words().get(language, STOP_WORDS) | _KOREAN_PARTICLES | _KANA_ENDINGS


def _is_content(word: str, stop_words: frozenset[str]) -> bool:
    if word in stop_words or not any(map(str.isalnum, word)):
        return False
    if word.isascii():
        return True
    if all("\u3041" <= char <= "\u309f" for char in word):
        return len(word) > _MAX_PARTICLE
    return not all(char in COMMON_HAN for char in word)
