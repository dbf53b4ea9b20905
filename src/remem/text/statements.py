"""What does a memory file state? Its bullets and paragraphs, cleaned of their marks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from remem.text.markdown import Block, outline
from remem.text.similarity import Fingerprint, fingerprint
from remem.text.words import words

_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_PROMOTION: Final = "[score="
_MARKS: Final = re.compile(r"\*\*|(?<!\w)__|__(?!\w)|`|~~|^\[[ xX]\]\s+", re.MULTILINE)
_STRUCK: Final = re.compile(r"^\s*~~.*~~\W*$", re.DOTALL)
_DAY: Final = re.compile(r"(20\d\d)\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})")


@dataclass(frozen=True)
class Statement:
    """Lines `start` to `end` of `path`. `said` is what they say without marks and comments;
    `always` whether every conversation loads them. A `leaf` has nothing nested in it."""

    path: str
    start: int
    end: int
    text: str
    said: str
    kind: str
    headings: tuple[str, ...]
    parent: str | None
    leaf: bool
    always: bool

    @property
    def source(self) -> str:
        return f"{self.path}#L{self.start}" if self.start else self.path

    @property
    def struck(self) -> bool:
        """Taken back by its writer, who left the words standing."""
        return _STRUCK.match(_without_comments(self.text)) is not None

    @cached_property
    def words(self) -> list[str]:
        return words(self.said)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(self.words)

    @cached_property
    def print_(self) -> Fingerprint:
        return fingerprint(self.said)

    @cached_property
    def day(self) -> str | None:
        """The date that the statement or the nearest heading gives, if it has a year."""
        for text in (self.said, *reversed(self.headings)):
            if found := _DAY.search(text):
                year, month, day = (int(group) for group in found.groups())
                return f"{year}-{month:02}-{day:02}" if month <= 12 and day <= 31 else None
        return None


def statements(path: str, text: str, *, always: bool) -> list[Statement]:
    """What a Markdown text says, in order; tables and code say nothing on their own."""
    blocks = outline(text)
    parents = {block.parent for block in blocks}
    return [
        _statement(path, block, blocks, leaf=place not in parents, always=always)
        for place, block in enumerate(blocks)
        if block.kind in ("bullet", "text")
    ]


def stored(id_: str, content: str) -> Statement:
    """An entry as a statement."""
    return Statement(id_, 0, 0, content, clean(content), "entry", (), None, True, False)


def clean(text: str) -> str:
    """The words without what Markdown and hosts put around them."""
    bare = _without_comments(text)
    return _MARKS.sub("", bare.removesuffix(promotion(bare))).strip()


def promotion(text: str) -> str:
    """What a host writes behind a line that it promoted by itself; empty if it did not."""
    bare = _without_comments(text)
    tail = bare[bare.rfind(_PROMOTION) :] if _PROMOTION in bare else ""
    return tail if tail.find("]") == len(tail) - 1 else ""


def _without_comments(text: str) -> str:
    """Looks no further than the last end of a comment: what is never closed is none."""
    closed, end, rest = text.rpartition("-->")
    return (_COMMENT.sub("", closed + end) + rest).strip()


def _statement(
    path: str, block: Block, blocks: list[Block], *, leaf: bool, always: bool
) -> Statement:
    parent = blocks[block.parent].text if block.parent is not None else None
    return Statement(
        path=path,
        start=block.start,
        end=block.end,
        text=block.text,
        said=clean(block.text),
        kind=block.kind,
        headings=block.headings,
        parent=parent,
        leaf=leaf,
        always=always,
    )
