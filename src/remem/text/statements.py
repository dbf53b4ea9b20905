"""The statements in a memory file: its bullets and paragraphs, without markup."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from remem.text.markdown import Block, outline
from remem.text.marked_line import remove_lesson_marks
from remem.text.similarity import Fingerprint, fingerprint_of
from remem.text.words import words

_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_PROMOTION: Final = "[score="
_MARKS: Final = re.compile(r"\*\*|(?<!\w)__|__(?!\w)|`|~~|^\[[ xX]\]\s+", re.MULTILINE)
_STRUCK: Final = re.compile(r"^\s*~~.*~~\W*$", re.DOTALL)
_DAY: Final = re.compile(r"(20\d\d)\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})")


@dataclass(frozen=True)
class TextStatement:
    """The statement in lines `start` to `end` of the file `path`.

    `plain_text` is its text without markup and comments, and `parent` the text of the bullet that
    it is nested in. It is a `leaf` if nothing is nested in it, and `always_loaded` if every
    conversation loads it.
    """

    path: str
    start: int
    end: int
    text: str
    plain_text: str
    kind: str
    headings: tuple[str, ...]
    parent: str | None
    leaf: bool
    always_loaded: bool

    @property
    def source(self) -> str:
        return f"{self.path}#L{self.start}" if self.start else self.path

    @property
    def removable(self) -> bool:
        """Whether the statement can be removed without changing the meaning of another line."""
        return self.leaf and (self.kind == "bullet" or self.parent is None)

    @property
    def struck(self) -> bool:
        """Whether the statement is struck out."""
        return _STRUCK.match(_without_comments(self.text)) is not None

    @cached_property
    def words(self) -> list[str]:
        return words(self.plain_text)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(self.words)

    @cached_property
    def fingerprint(self) -> Fingerprint:
        return fingerprint_of(self.plain_text)

    @cached_property
    def day(self) -> str | None:
        """The date, with a year, in the statement or else in the nearest heading with one."""
        for text in (self.plain_text, *reversed(self.headings)):
            if match := _DAY.search(text):
                year, month, day = (int(group) for group in match.groups())
                return f"{year}-{month:02}-{day:02}" if month <= 12 and day <= 31 else None
        return None


def statements(path: str, text: str, *, always_loaded: bool) -> list[TextStatement]:
    """Return the statements in a Markdown text, in order; tables and code are not statements."""
    blocks = outline(text)
    parents = {block.parent for block in blocks}
    return [
        _statement(path, block, blocks, leaf=place not in parents, always_loaded=always_loaded)
        for place, block in enumerate(blocks)
        if block.kind in ("bullet", "text")
    ]


def text_statement(id_: str, text: str, headings: tuple[str, ...] = ()) -> TextStatement:
    """Return a text that is not part of a file, such as an entry or a fact, as a statement."""
    return TextStatement(
        id_, 0, 0, text, strip_markup(text), "entry", headings, None, leaf=True, always_loaded=False
    )


def strip_markup(text: str) -> str:
    """Remove Markdown marks, comments and promotion suffixes from a text."""
    bare = _without_comments(text)
    return _MARKS.sub("", bare.removesuffix(promotion_suffix(bare))).strip()


def promotion_suffix(text: str) -> str:
    """Return the suffix that a host puts on a line it added to `MEMORY.md` itself, if any.

    Otherwise return an empty string.
    """
    bare = _without_comments(text)
    tail = bare[bare.rfind(_PROMOTION) :] if _PROMOTION in bare else ""
    return tail if tail.find("]") == len(tail) - 1 else ""


def _without_comments(text: str) -> str:
    """Remove closed comments and the marks of lessons; an unclosed comment is kept."""
    closed, end, rest = text.rpartition("-->")
    return remove_lesson_marks(_COMMENT.sub("", closed + end) + rest).strip()


def _statement(
    path: str, block: Block, blocks: list[Block], *, leaf: bool, always_loaded: bool
) -> TextStatement:
    parent = blocks[block.parent].text if block.parent is not None else None
    return TextStatement(
        path=path,
        start=block.start,
        end=block.end,
        text=block.text,
        plain_text=strip_markup(block.text),
        kind=block.kind,
        headings=block.headings,
        parent=parent,
        leaf=leaf,
        always_loaded=always_loaded,
    )
