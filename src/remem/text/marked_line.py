"""Marks at the end of lines that remem writes into other files.

A line made from other files ends with its sources and a digest of its words, in the form of block
ids: `- Lives in Bern. ^anna-001-f99a87`. The digest alone shows whether somebody has changed the
line; neither a database nor the version of remem that wrote it is needed. A lesson is marked with
its id, also as a block id, so that it is not written twice. Earlier versions of remem wrote both as
comments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from remem.fast_dataclass import dataclass
from remem.text.base32 import from_base32, to_base32
from remem.text.markdown import one_line

_MARK: Final = re.compile(
    r"(?P<text>.*)[ \t]\^(?P<sources>[\w.:#/%@+-]+(?:,[\w.:#/%@+-]+)*)-(?P<digest>[0-9a-f]{6})"
)
_FORMER_OPENING: Final = "<!-- "
_FORMER_MARK: Final = re.compile(r"(?P<sources>\S+(?: \S+)*) (?P<digest>[0-9a-f]{6}) -->")
_UNSAFE: Final = re.compile(r"[^\w.:#/%@+-]+|-(?=-)")
_LESSON: Final = r"\^rem-(?P<short>[0-9a-hjkmnp-tv-z]{10})(?![\w-])"
_FORMER_LESSON: Final = r"<!-- remem:(?P<hex>[0-9a-f]{12})(?P<source> [^<>\n]*)? -->"
LESSON_MARK: Final = re.compile(rf"(?<![ \t])[ \t]*(?:(?<!\\){_LESSON}|{_FORMER_LESSON})")


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line with a mark; `changed` says that its words differ from those that were written."""

    text: str
    sources: tuple[str, ...]
    changed: bool


def add_mark(text: str, sources: Sequence[str]) -> str:
    """Return a line with its mark: the words, their sources, and a digest of the words."""
    line = one_line(text)
    source_list = ",".join(_UNSAFE.sub("_", source) for source in sources)
    return f"{line} ^{source_list}-{line_digest(line)}"


def read_mark(line: str) -> MarkedLine | None:
    """Parse the mark of a line, or return None if it has none."""
    bare = line.rstrip()
    if match := _MARK.fullmatch(bare):
        text = match["text"]
    else:
        before, opening, comment = bare.rpartition(_FORMER_OPENING)
        match = _FORMER_MARK.fullmatch(comment) if opening else None
        if match is None:
            return None
        text = before.rstrip(" \t")
    sources = tuple(re.split("[ ,]", match["sources"]))
    return MarkedLine(text, sources, line_digest(text) != match["digest"])


def line_digest(text: str) -> str:
    """Return the digest of the words of a line."""
    return blake2b(text.strip().encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()


def lesson_mark(id_: str) -> str:
    """Return the mark of a lesson in a file, a block id: `^rem-3kx7t9qab2`."""
    return f"^rem-{to_base32(int(id_, 16), 10)}"


def lesson_ids_in(text: str) -> frozenset[str]:
    """Return the ids of all lessons that are marked in a text."""
    return frozenset(_lesson_id(match) for match in LESSON_MARK.finditer(text))


def _lesson_id(match: re.Match[str]) -> str:
    if match["hex"] is not None:
        return match["hex"]
    return f"{from_base32(match['short']):012x}"


def shorten_lesson_marks(text: str) -> str:
    """Replace the lesson marks of earlier versions, which are comments, by block ids.

    A comment that also names a source is left as it is.
    """
    return LESSON_MARK.sub(
        lambda match: (
            match[0]
            if match["hex"] is None or match["source"]
            else match[0].partition("<!--")[0] + lesson_mark(match["hex"])
        ),
        text,
    )


def remove_lesson_marks(text: str) -> str:
    """Return a text without the marks of lessons."""
    return LESSON_MARK.sub("", text)
