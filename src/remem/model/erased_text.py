"""Recognise the words of an erased memory, so that copies of them can be removed too.

A line is recognised by its hash, which is kept after the erasure; a longer text is recognised by
its words, while they are still known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from remem.fast_dataclass import dataclass
from remem.text.markdown import CHECKBOX, one_line, without_bullet
from remem.text.marked_line import read_mark, remove_lesson_marks
from remem.text.similarity import folded_hash
from remem.text.words import fold

_MIN_LENGTH: Final = 12
"""Shorter texts occur in many files by chance."""
_COMMENT: Final = re.compile(r"[ \t]*<!--.*?-->")
_TRAILING_NOTE: Final = re.compile(r"[ \t]*\([^()]*\)$")


@dataclass(frozen=True, slots=True)
class ErasedText:
    """The wordings of a memory: the hashes of all of them, and the folded words of those still
    known.

    `id` is the id that generated lines name as their source.
    """

    wordings: frozenset[int]
    words: frozenset[str] = frozenset()
    id: str | None = None

    def matches_line(self, line: str) -> bool:
        """Return whether a line was generated from the memory, equals it or contains it."""
        mark = read_mark(line)
        if mark is not None and not mark.changed and self.id in mark.sources:
            return True
        if any(folded_hash(text) in self.wordings for text in _bare(line)):
            return True
        return self.contains_words(line)

    def contains_words(self, text: str) -> bool:
        folded = fold(text)
        return any(word in folded for word in self.words)

    def remove_lines_from(self, data: bytes) -> bytes:
        """Remove the lines that repeat it; everything else is left unchanged."""
        lines = data.decode(errors="surrogateescape").split("\n")
        rest = [line for line in lines if not self.matches_line(line)]
        return data if len(rest) == len(lines) else "\n".join(rest).encode(errors="surrogateescape")


def erased_text_of(texts: Iterable[str], id_: str | None = None) -> ErasedText:
    """Collect the wordings of these texts, including the form they have as a line of a page."""
    forms = [form for text in texts for form in (text, one_line(text))]
    long = frozenset(fold(form) for form in forms if len(form) >= _MIN_LENGTH)
    return ErasedText(frozenset(map(folded_hash, forms)), long, id_)


def _bare(line: str) -> Iterable[str]:
    """Yield the words of a line without its bullet, marks, comments and a trailing date."""
    bare = without_bullet(line)
    box = CHECKBOX.match(bare)
    mark = read_mark(bare)
    text = mark.text if mark else remove_lesson_marks(bare)
    text = _COMMENT.sub("", text[box.end() if box else 0 :]).strip()
    if text:
        yield text
        yield _TRAILING_NOTE.sub("", text)
