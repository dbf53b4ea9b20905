"""Recognise lines of the index that only repeat another line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from remem.text.words import words

_REPEAT_SHARE: Final = 0.7


class SeenLines:
    """The lines added so far, to recognise those that only repeat one of them."""

    def __init__(self) -> None:
        self._lines_with: dict[str, list[int]] = {}
        self._count = 0

    def repeats(self, text: str) -> bool:
        """Return whether most words of a text are in one earlier line.

        If the text has a name or number that the line lacks, it is a different statement, however
        similar the rest is.
        """
        text_words = _words(text)
        shared: dict[int, int] = {}
        for word in text_words:
            for line in self._lines_with.get(word, ()):
                shared[line] = shared.get(line, 0) + 1
        close = [line for line, count in shared.items() if count >= _REPEAT_SHARE * len(text_words)]
        if not close:
            return not text_words
        names = set(_names(text))
        return any(all(line in self._lines_with.get(name, ()) for name in names) for line in close)

    def add(self, text: str) -> None:
        for word in _words(text):
            self._lines_with.setdefault(word, []).append(self._count)
        self._count += 1


@lru_cache(maxsize=1024)
def _words(text: str) -> frozenset[str]:
    return frozenset(words(text))


def _names(text: str) -> Iterator[str]:
    """Words with a digit, or with a capital letter within a sentence."""
    for match in re.finditer(r"[^\W_]+", text):
        word = match[0]
        inside = match.start() > 0 and text[match.start() - 1] in " (@#/-"
        if any(character.isdigit() for character in word) or (inside and word[0].isupper()):
            yield from words(word)
