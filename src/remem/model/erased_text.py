"""Does a text repeat the words of a memory? So that copies of it can lose them, too.

A line is told by its hash, which is known long after the words are gone; a longer text by the
words, while somebody still has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from remem.text.marked_line import one_line, read_mark
from remem.text.similarity import folded_number
from remem.text.words import fold

_SHORTEST: Final = 12
"""Words so short stand in many files by chance."""
_BULLET: Final = re.compile(r"[ \t]*(?:[-*+•]|\d+[.)])[ \t]+(?:\[.\][ \t]+)?")
_COMMENT: Final = re.compile(r"[ \t]*<!--.*?-->")
_AT_THE_END: Final = re.compile(r"[ \t]*\([^()]*\)$")


@dataclass(frozen=True, slots=True)
class Retelling:
    """What a memory has said: hashes of all wordings, and the words as far as they are known,
    folded. `id` is the one that lines made from a fact name as their source."""

    wordings: frozenset[int]
    words: frozenset[str] = frozenset()
    id: str | None = None

    def by_line(self, line: str) -> bool:
        """Whether a line says it: made from it, worded so, or with the words in it."""
        mark = read_mark(line)
        if mark is not None and not mark.changed and self.id in mark.sources:
            return True
        return any(folded_number(each) in self.wordings for each in _bare(line)) or self.within(
            line
        )

    def within(self, text: str) -> bool:
        folded = fold(text)
        return any(word in folded for word in self.words)

    def without(self, data: bytes) -> bytes:
        """A text without the lines that say it; every other byte is as it was."""
        lines = data.decode(errors="surrogateescape").split("\n")
        kept = [line for line in lines if not self.by_line(line)]
        return data if len(kept) == len(lines) else "\n".join(kept).encode(errors="surrogateescape")


def retelling(texts: Iterable[str], id_: str | None = None) -> Retelling:
    """Of these words; also as they stand in a line of a page."""
    said = [form for text in texts for form in (text, one_line(text))]
    long = frozenset(fold(each) for each in said if len(each) >= _SHORTEST)
    return Retelling(frozenset(map(folded_number, said)), long, id_)


def _bare(line: str) -> Iterable[str]:
    """A line without what it may carry beside its words: a bullet, a comment, a date."""
    bullet = _BULLET.match(line)
    text = _COMMENT.sub("", line[bullet.end() if bullet else 0 :]).strip()
    if text:
        yield text
        yield _AT_THE_END.sub("", text)
