"""Recognise the text of an erased memory, so that copies of it can be removed too.

A line with the same text is recognised by its hash, which is kept after the erasure. Text that
contains the memory is only recognised while the memory's own text is still known.
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
    """All texts that a memory had: their hashes, and the folded texts that are still known.

    `id` is the id of the memory, which generated lines name as their source.
    """

    hashes: frozenset[int]
    known_texts: frozenset[str] = frozenset()
    id: str | None = None

    def matches_line(self, line: str) -> bool:
        """Return whether a line was generated from the memory, equals it or contains it."""
        mark = read_mark(line)
        if mark is not None and not mark.changed and self.id in mark.sources:
            return True
        if any(folded_hash(text) in self.hashes for text in _bare_texts(line)):
            return True
        return self.occurs_in(line)

    def occurs_in(self, text: str) -> bool:
        """Return whether a text contains one of the texts that are still known."""
        folded = fold(text)
        return any(known_text in folded for known_text in self.known_texts)

    def remove_lines_from(self, data: bytes) -> bytes:
        """Remove the lines of a file that match; everything else is left unchanged."""
        lines = data.decode(errors="surrogateescape").split("\n")
        rest = [line for line in lines if not self.matches_line(line)]
        return data if len(rest) == len(lines) else "\n".join(rest).encode(errors="surrogateescape")


def erased_text_of(texts: Iterable[str], id_: str | None = None) -> ErasedText:
    """Return these texts, also in the form that each has as a line of a page."""
    forms = [form for text in texts for form in (text, one_line(text))]
    known_texts = frozenset(fold(form) for form in forms if len(form) >= _MIN_LENGTH)
    return ErasedText(frozenset(map(folded_hash, forms)), known_texts, id_)


def _bare_texts(line: str) -> Iterable[str]:
    """Yield a line without its bullet, marks and comments, with and without a note in brackets."""
    bare = without_bullet(line)
    box = CHECKBOX.match(bare)
    mark = read_mark(bare)
    text = mark.text if mark else remove_lesson_marks(bare)
    text = _COMMENT.sub("", text[box.end() if box else 0 :]).strip()
    if text:
        yield text
        yield _TRAILING_NOTE.sub("", text)
