"""Which words of a message tell what it is about? Without endings, in any script."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from remem.core.words import STOP_WORDS, fold, words

_ASKING: Final = frozenset("who whom whose why wer wem warum qui pourquoi quien porque".split())
"""They say nothing where one searches, but much about what kind of thing is wanted."""

_OF_FILES: Final = frozenset("load read see file files open any need find md page memory".split())
_ENDINGS: Final = re.compile(r"(?:ations?|ments?|ings?|ions?|ers?|ed|es|e|s|y|ies|en|n)$")
_SHORTEST: Final = 4


@dataclass(frozen=True, slots=True)
class Telling:
    """The telling words of a text, and the text itself for scripts without spaces."""

    words: frozenset[str]
    text: str

    def shared(self, other: str) -> float:
        """How many of these words another text has."""
        return float(len(self.words & telling(other).words))


def telling(text: str) -> Telling:
    found = (each for each in words(text) if each in _ASKING or _tells(each))
    return Telling(frozenset(stem(each) for each in found), fold(text))


def stem(word: str) -> str:
    """A word without its ending: `deploying` and `deployment` are about one thing."""
    if not word.isascii() or len(word) <= _SHORTEST:
        return word
    bare = _ENDINGS.sub("", word)
    return bare if len(bare) >= _SHORTEST else word.removesuffix("s")


def _tells(word: str) -> bool:
    silent = word in STOP_WORDS or word in _OF_FILES or (len(word) == 1 and word.isascii())
    return not silent
