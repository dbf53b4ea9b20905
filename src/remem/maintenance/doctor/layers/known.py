"""Is a statement said elsewhere too? By its words: most of them stand together in one text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final

from remem.core.words import STOP_WORDS, fold, words

_MOST: Final = 0.8
"""So many of a statement's telling words are its substance."""


class Said:
    """Texts in which a statement may stand, found by their words."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._whole: set[str] = set()
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            self._whole.add(fold(text))
            for word in _telling(text):
                self._holders[word].append(number)

    def has(self, statement: str) -> bool:
        """Whether one of the texts says it, in these or nearly these words."""
        if fold(statement) in self._whole:
            return True
        wanted = _telling(statement)
        if not wanted:
            return False
        held: Counter[int] = Counter()
        for word in wanted:
            held.update(self._holders.get(word, ()))
        best = max(held.values(), default=0)
        return best >= _MOST * len(wanted)


def _telling(text: str) -> set[str]:
    found = set(words(text))
    return (found - STOP_WORDS) or found
