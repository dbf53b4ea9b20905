"""Does a file tell a lesson already? The mark that it leaves there carries the lesson's id, so
that whoever writes it again finds it.

Is this line as it was written, and what was it made from? Its own last words tell.

A line that remem makes of other files ends with a comment: its sources, and a digest of its
words. So one that somebody has changed is told from one that nobody touched, whatever else is
lost, and whichever version of remem wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

_MARK: Final = re.compile(
    r"(?P<text>.*?)[ \t]*<!-- (?P<sources>\S+(?: \S+)*) (?P<digest>[0-9a-f]{6}) -->"
)
_UNSAFE: Final = re.compile(r"[^\w.:#/%@+-]+|-(?=-)")


@dataclass(frozen=True, slots=True)
class Marked:
    """A line that carries a mark; `changed` if its words are no longer those that were written."""

    text: str
    sources: tuple[str, ...]
    changed: bool


def marked(text: str, sources: Sequence[str]) -> str:
    """A line of ours: its words, and in a comment what they come from."""
    line = one_line(text)
    named = " ".join(_UNSAFE.sub("_", source) for source in sources)
    return f"{line} <!-- {named} {_digest(line)} -->"


def read_mark(line: str) -> Marked | None:
    """What a line says of itself; None if it carries no mark."""
    match = _MARK.fullmatch(line.rstrip())
    if match is None:
        return None
    text = match["text"]
    return Marked(text, tuple(match["sources"].split()), _digest(text) != match["digest"])


def one_line(text: str) -> str:
    """Words that cannot break the page around them."""
    return re.sub(r"[\s\x00-\x1f\x7f]+", " ", text).strip().replace("<!--", "<! --")


def _digest(text: str) -> str:
    return blake2b(text.strip().encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()


LESSON_MARK: Final = re.compile(r"(?<![ \t])[ \t]*<!-- remem:([0-9a-f]{12})(?: [^<>\n]*)? -->")


def lesson_mark(id_: str, source: str | None = None) -> str:
    """The comment that a lesson leaves in a file; `source` says where it comes from."""
    return f"<!-- remem:{id_} from {source} -->" if source else f"<!-- remem:{id_} -->"


def marks_in(text: str) -> frozenset[str]:
    """The ids of all lessons that a text holds."""
    return frozenset(LESSON_MARK.findall(text))


def without_marks(text: str) -> str:
    return LESSON_MARK.sub("", text)
