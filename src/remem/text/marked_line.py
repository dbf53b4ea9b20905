"""Marks at the end of lines that remem writes into other files.

A line made from other files ends with a comment: its sources, and a digest of its words. The digest
shows whether somebody has changed the line, even if everything else is lost, and whichever version
of remem wrote it. The mark of a lesson carries the lesson's id, so that it is not written twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from remem.text.markdown import one_line

_MARK: Final = re.compile(
    r"(?P<text>.*?)[ \t]*<!-- (?P<sources>\S+(?: \S+)*) (?P<digest>[0-9a-f]{6}) -->"
)
_UNSAFE: Final = re.compile(r"[^\w.:#/%@+-]+|-(?=-)")
LESSON_MARK: Final = re.compile(r"(?<![ \t])[ \t]*<!-- remem:([0-9a-f]{12})(?: [^<>\n]*)? -->")


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line with a mark; `changed` says that its words differ from those that were written."""

    text: str
    sources: tuple[str, ...]
    changed: bool


def add_mark(text: str, sources: Sequence[str]) -> str:
    """Return a line with its mark: the words, and their sources in a comment."""
    line = one_line(text)
    named = " ".join(_UNSAFE.sub("_", source) for source in sources)
    return f"{line} <!-- {named} {_digest(line)} -->"


def read_mark(line: str) -> MarkedLine | None:
    """Parse the mark of a line, or return None if it has none."""
    match = _MARK.fullmatch(line.rstrip())
    if match is None:
        return None
    text = match["text"]
    return MarkedLine(text, tuple(match["sources"].split()), _digest(text) != match["digest"])


def _digest(text: str) -> str:
    return blake2b(text.strip().encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()


def lesson_mark(id_: str, source: str | None = None) -> str:
    """Return the comment that marks a lesson in a file; `source` says where it comes from."""
    return f"<!-- remem:{id_} from {source} -->" if source else f"<!-- remem:{id_} -->"


def lesson_ids_in(text: str) -> frozenset[str]:
    """Return the ids of all lessons that are marked in a text."""
    return frozenset(LESSON_MARK.findall(text))


def remove_lesson_marks(text: str) -> str:
    return LESSON_MARK.sub("", text)
