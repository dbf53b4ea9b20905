"""Group the lines of a memory file into units; every unit becomes one statement.

A nested bullet is hard to understand without its parent: a small group stays whole, and in a large
one each part is prefixed with its parent. Code belongs to the text above it; a table row is read
with its column names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from remem.extract.line_marks import table_units, without_comments
from remem.text.markdown import Block
from remem.text.similarity import sentences
from remem.text.words import has_grams, words

_MAX_GROUP_LENGTH: Final = 320
_MAX_NUMBERED_LIST_LENGTH: Final = 2_000
_MAX_LABEL_LENGTH: Final = 100
_HORIZONTAL_RULE: Final = re.compile(r"[-*_=\s]{3,}")
_BOLD: Final = re.compile(r"(\*\*|__)[^*_]+\1\W*")
_ROW_NUMBER_PREFIX: Final = re.compile(r"^\d{1,4}; ")
_RATIONALE: Final = re.compile(r"(\*\*|__)(?:Why|How to apply)\b[^*_\n]{0,20}\1", re.IGNORECASE)
"""The start of a paragraph that explains the statement above it, in the format of Claude Code."""
_COLON: Final = re.compile(r"[:：](?:\*\*|__)?\s*$")

SKIPPED_HEADING: Final = "heading, used as context"
SKIPPED_HORIZONTAL_RULE: Final = "a line between sections"
SKIPPED_COMMENT: Final = "comment"
SKIPPED_FRONT_MATTER: Final = "front matter"


@dataclass(slots=True)
class StatementLines:
    """Lines that make one statement.

    `labels` are the texts that introduce it, outermost first. `lead` is the part from which the
    category is chosen first: a bullet without its nested bullets, or a table row without its
    number. An empty `lead` means all of `text`.
    """

    text: str
    lines: list[int]
    headings: tuple[str, ...]
    labels: tuple[str, ...] = ()
    lead: str = ""


@dataclass(slots=True)
class Units:
    """The units of a text, and why each skipped line was skipped."""

    units: list[StatementLines] = field(default_factory=list)
    skipped: dict[int, str] = field(default_factory=dict)


def units_of(blocks: Sequence[Block], lines: Sequence[str], *, curated: bool) -> Units:
    """Group the lines of a file; `curated` means that a person keeps it, such as MEMORY.md.

    In a curated file a heading that is a sentence, with nothing under it, is a unit too.
    """
    return _Grouping(blocks, lines, curated).run()


class _Grouping:
    """One pass over the blocks of a file."""

    def __init__(self, blocks: Sequence[Block], lines: Sequence[str], curated: bool) -> None:
        self._blocks = blocks
        self._lines = lines
        self._curated = curated
        self._result = Units()
        self._label: StatementLines | None = None
        self._children: dict[int, list[int]] = {}
        for index, block in enumerate(blocks):
            if block.parent is not None:
                self._children.setdefault(block.parent, []).append(index)

    def run(self) -> Units:
        index = 0
        section: int | None = None
        while index < len(self._blocks):
            block = self._blocks[index]
            index += 1
            if block.parent is not None:
                continue
            match block.kind:
                case "heading":
                    self._end_label()
                    section = len(self._result.units)
                    self._add_heading(index - 1)
                case "front matter" | "comment":
                    self._add_or_skip_comment(block)
                case "text":
                    self._add_text(block, index)
                case "bullet":
                    self._add(self._expand(index - 1, ()))
                case "row":
                    index = self._add_table(index - 1)
                case "code":
                    self._add_code(block, section or 0)
        self._end_label()
        return self._result

    def _add_heading(self, index: int) -> None:
        """Record a heading as context; a sentence with nothing under it becomes a unit."""
        block = self._blocks[index]
        after = self._blocks[index + 1] if index + 1 < len(self._blocks) else None
        empty = after is None or (after.kind == "heading" and after.level <= block.level)
        if empty and self._curated and len(words(block.text)) > 3:
            self._result.units.append(StatementLines(block.text, [block.start], block.headings))
        else:
            self._result.skipped[block.start] = SKIPPED_HEADING

    def _add_or_skip_comment(self, block: Block) -> None:
        visible = without_comments(block.text) if block.kind == "comment" else ""
        if visible and "<!--" not in visible:
            self._add([StatementLines(block.text, _span(block), block.headings)])
            return
        reason = SKIPPED_FRONT_MATTER if block.kind == "front matter" else SKIPPED_COMMENT
        self._skip(block, reason)

    def _add_text(self, block: Block, after: int) -> None:
        if _HORIZONTAL_RULE.fullmatch(block.text):
            self._skip(block, SKIPPED_HORIZONTAL_RULE)
            return
        above = self._result.units[-1] if self._result.units else None
        if _RATIONALE.match(block.text) and above and above.headings == block.headings:
            above.lead = above.lead or above.text
            above.text += f"\n{block.text}"
            above.lines += _span(block)
            return
        self._end_label()
        following = self._blocks[after] if after < len(self._blocks) else None
        introduces = following is not None and following.kind in ("bullet", "row", "code")
        if paragraphs := _quoted_paragraphs(block):
            for text, lines in paragraphs:
                self._result.units.append(StatementLines(text, lines, block.headings))
            return
        statement, label = _split_label(block.text) if introduces else (block.text, "")
        lines = _span(block)
        if statement:
            self._result.units.append(StatementLines(statement, lines, block.headings))
        if label:
            self._label = StatementLines(label, [] if statement else lines, block.headings)

    def _expand(self, index: int, labels: tuple[str, ...]) -> list[StatementLines]:
        """Return a bullet with its nested bullets: as one unit, or as one per nested bullet."""
        block = self._blocks[index]
        nested = [number for number in self._children.get(index, ()) if self._is_bullet(number)]
        own, own_lines = self._own_text_and_lines(index)
        whole = StatementLines(
            self._rendered(index), self._all_lines(index), block.headings, labels, own
        )
        if not nested or self._stays_whole(index, nested, whole.text):
            return [whole]
        inner = (*labels, _shortened(own))
        parts = [unit for number in nested for unit in self._expand(number, inner)]
        if _is_label(own) or len(own) <= _MAX_LABEL_LENGTH:
            parts[0].lines = sorted([*own_lines, *parts[0].lines])
            return parts
        return [StatementLines(own, own_lines, block.headings, labels, own), *parts]

    def _stays_whole(self, index: int, nested: Sequence[int], text: str) -> bool:
        ordered = all(self._first_line(number).lstrip()[:1].isdigit() for number in nested)
        if ordered:
            return len(text) <= _MAX_NUMBERED_LIST_LENGTH
        sentence_count = sum(_is_sentence(self._blocks[number].text) for number in nested)
        if _is_label(self._blocks[index].text) and sentence_count * 2 > len(nested):
            return False
        return len(text) <= _MAX_GROUP_LENGTH

    def _own_text_and_lines(self, index: int) -> tuple[str, list[int]]:
        """Return the text and line numbers of a bullet with its paragraphs and code.

        Nested bullets are left out.
        """
        inside = [number for number in self._children.get(index, ()) if not self._is_bullet(number)]
        blocks = [self._blocks[number] for number in (index, *inside)]
        return "\n".join(block.text for block in blocks), [
            n for block in blocks for n in _span(block)
        ]

    def _rendered(self, index: int, depth: int = 0) -> str:
        text, _ = self._own_text_and_lines(index)
        parts = [text if depth == 0 else f"{'  ' * (depth - 1)}{self._marker(index)} {text}"]
        nested = [number for number in self._children.get(index, ()) if self._is_bullet(number)]
        return "\n".join([*parts, *(self._rendered(number, depth + 1) for number in nested)])

    def _all_lines(self, index: int) -> list[int]:
        _, lines = self._own_text_and_lines(index)
        nested = [number for number in self._children.get(index, ()) if self._is_bullet(number)]
        return sorted([*lines, *(line for number in nested for line in self._all_lines(number))])

    def _add_table(self, index: int) -> int:
        """Add the rows of a table; return the index of the block after them."""
        end = index
        while end < len(self._blocks) and self._blocks[end].kind == "row":
            if end > index and self._blocks[end].start != self._blocks[end - 1].end + 1:
                break
            end += 1
        rows = self._blocks[index:end]
        texts, skipped = table_units([(row.start, row.text) for row in rows])
        headings = rows[0].headings
        self._result.skipped.update(skipped)
        self._add(
            [
                StatementLines(text, [line], headings, lead=_ROW_NUMBER_PREFIX.sub("", text))
                for line, text in texts
            ]
        )
        return end

    def _add_code(self, block: Block, section: int) -> None:
        above = self._result.units[-1] if len(self._result.units) > section else None
        if self._label is None and above is not None:
            above.text += f"\n{block.text}"
            above.lines += _span(block)
        else:
            self._add([StatementLines(block.text, _span(block), block.headings)])

    def _add(self, units: list[StatementLines]) -> None:
        """Add units, labelled with the pending introductory text.

        The first unit also takes over that text's line numbers.
        """
        label = self._label
        if label is not None and units:
            lines = sorted([*label.lines, *units[0].lines])
            units[0].lines, label.lines = lines, []
            for unit in units:
                unit.labels = (_shortened(label.text), *unit.labels)
        self._result.units += units

    def _end_label(self) -> None:
        if self._label is not None and self._label.lines:
            self._result.units.append(self._label)
        self._label = None

    def _skip(self, block: Block, reason: str) -> None:
        for line in _span(block):
            self._result.skipped[line] = reason

    def _is_bullet(self, index: int) -> bool:
        return self._blocks[index].kind == "bullet"

    def _first_line(self, index: int) -> str:
        return self._lines[self._blocks[index].start - 1]

    def _marker(self, index: int) -> str:
        return self._first_line(index).split(None, 1)[0]


def _quoted_paragraphs(block: Block) -> list[tuple[str, list[int]]]:
    """Return the paragraphs of a quotation with their line numbers; empty if it has only one.

    People write whole sections as quotations. A line that has only the mark of a quotation is
    blank.
    """
    numbered = list(zip(block.text.split("\n"), _span(block), strict=False))
    if len(numbered) < 3 or not all(line.lstrip().startswith(">") for line, _ in numbered):
        return []
    paragraphs: list[tuple[str, list[int]]] = []
    for has_content, members in groupby(numbered, key=lambda pair: bool(pair[0].strip("> \t"))):
        if has_content:
            lines = list(members)
            text = "\n".join(line for line, _ in lines)
            paragraphs.append((text, [number for _, number in lines]))
    return paragraphs if len(paragraphs) > 1 else []


def _span(block: Block) -> list[int]:
    return list(range(block.start, block.end + 1))


def _is_label(text: str) -> bool:
    """Return whether a line only introduces the lines after it."""
    if len(text) > _MAX_LABEL_LENGTH or "\n" in text:
        return False
    return _COLON.search(text) is not None or _BOLD.fullmatch(text.strip()) is not None


def _split_label(text: str) -> tuple[str, str]:
    """Return a text and the label at its end: `We build boats. We need help with:`."""
    *before, last = sentences(text) or [text]
    is_bold = _BOLD.fullmatch(text.strip()) is not None  # as a whole: "**Design vs. tests:**"
    if before and not is_bold and _COLON.search(last) and _is_label(last):
        return text[: text.rindex(last)].strip(), last
    return ("", text) if _is_label(text) else (text, "")


def _is_sentence(text: str) -> bool:
    """Return whether a nested line states something, rather than naming a thing."""
    return len(words(text)) >= (7 if has_grams(text) else 4)


def _shortened(text: str) -> str:
    """Shorten a parent's text for use as a prefix of its parts; a short label is kept whole."""
    if len(text) <= _MAX_LABEL_LENGTH and "\n" not in text:
        return text
    first = text.split("\n", 1)[0]
    head = re.split(r"[:：]\s|[。；;]|(?<=\w)\. ", first, maxsplit=1)[0]
    return head if len(head) <= _MAX_LABEL_LENGTH else head[:_MAX_LABEL_LENGTH].rsplit(" ", 1)[0]


def plain_labels(labels: Sequence[str]) -> Iterator[str]:
    """Yield the labels without colons and emphasis."""
    for label in labels:
        bare = label.strip().strip("*_").rstrip("：: ").strip("*_ ")
        if bare.count("**") % 2:  # one of a pair was at the edge
            bare = bare.replace("**", "")
        if bare:
            yield bare
