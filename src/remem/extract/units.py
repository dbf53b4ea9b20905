"""Groups the lines of a memory file into units; every unit becomes one statement.

A nested bullet is rarely understood without its parent: a small group stays whole, and the parts
of a large one carry their parent in front. Code belongs to the text above it, and the row of a
table to its column names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from remem.extract.line_marks import table_units, without_notes
from remem.text.markdown import Block
from remem.text.words import has_grams, words

_MAX_GROUP_LENGTH: Final = 320
_MAX_STEPS_LENGTH: Final = 2_000
_MAX_LABEL_LENGTH: Final = 100
_RULE: Final = re.compile(r"[-*_=\s]{3,}")
_BOLD: Final = re.compile(r"(\*\*|__)[^*_]+\1\W*")
_NUMBER: Final = re.compile(r"^\d{1,4}; ")
_COLON: Final = re.compile(r"[:：](?:\*\*|__)?\s*$")

HEADING: Final = "heading, used as context"
RULE: Final = "a line between sections"
COMMENT: Final = "comment"
MATTER: Final = "front matter"
COLUMNS: Final = "column names, used in the rows"


@dataclass(slots=True)
class Unit:
    """Lines that make one statement; `labels` are the lines that introduce them."""

    text: str
    lines: list[int]
    headings: tuple[str, ...]
    labels: tuple[str, ...] = ()
    lead: str = ""


@dataclass(slots=True)
class Units:
    """The units of a text, and the reasons why other lines are in none of them."""

    units: list[Unit] = field(default_factory=list)
    left: dict[int, str] = field(default_factory=dict)


def units_of(blocks: Sequence[Block], lines: Sequence[str], *, curated: bool) -> Units:
    return _Grouping(blocks, lines, curated).run()


class _Grouping:
    """One pass over the blocks of a file."""

    def __init__(self, blocks: Sequence[Block], lines: Sequence[str], curated: bool) -> None:
        self._blocks = blocks
        self._raw = lines
        self._curated = curated
        self._out = Units()
        self._label: Unit | None = None
        self._children: dict[int, list[int]] = {}
        for place, block in enumerate(blocks):
            if block.parent is not None:
                self._children.setdefault(block.parent, []).append(place)

    def run(self) -> Units:
        place = 0
        section: int | None = None
        while place < len(self._blocks):
            block = self._blocks[place]
            place += 1
            if block.parent is not None:
                continue
            match block.kind:
                case "heading":
                    self._end_label()
                    section = len(self._out.units)
                    self._heading(place - 1)
                case "matter" | "comment":
                    self._aside(block)
                case "text":
                    self._text(block, place)
                case "bullet":
                    self._add(self._expand(place - 1, ()))
                case "row":
                    place = self._table(place - 1)
                case "code":
                    self._code(block, section or 0)
        self._end_label()
        return self._out

    def _heading(self, place: int) -> None:
        """A heading with nothing under it is a statement if it is a sentence."""
        block = self._blocks[place]
        after = self._blocks[place + 1] if place + 1 < len(self._blocks) else None
        empty = after is None or (after.kind == "heading" and after.level <= block.level)
        if empty and self._curated and len(words(block.text)) > 3:
            self._out.units.append(Unit(block.text, [block.start], block.headings))
        else:
            self._out.left[block.start] = HEADING

    def _aside(self, block: Block) -> None:
        seen = without_notes(block.text) if block.kind == "comment" else ""
        if seen and "<!--" not in seen:
            self._add([Unit(block.text, _span(block), block.headings)])
            return
        reason = MATTER if block.kind == "matter" else COMMENT
        self._leave(block, reason)

    def _text(self, block: Block, after: int) -> None:
        if _RULE.fullmatch(block.text):
            self._leave(block, RULE)
            return
        self._end_label()
        unit = Unit(block.text, _span(block), block.headings)
        following = self._blocks[after] if after < len(self._blocks) else None
        if _is_label(block.text) and following and following.kind in ("bullet", "row", "code"):
            self._label = unit
        else:
            self._out.units.append(unit)

    def _expand(self, place: int, labels: tuple[str, ...]) -> list[Unit]:
        """A bullet with its nested bullets: one unit, or one per part."""
        block = self._blocks[place]
        nested = [number for number in self._children.get(place, ()) if self._is_bullet(number)]
        own, own_lines = self._own(place)
        whole = Unit(self._rendered(place), self._all_lines(place), block.headings, labels, own)
        if not nested or self._stays_whole(place, nested, whole.text):
            return [whole]
        inner = (*labels, _shortened(own))
        parts = [unit for number in nested for unit in self._expand(number, inner)]
        if _is_label(own) or len(own) <= _MAX_LABEL_LENGTH:
            parts[0].lines = sorted([*own_lines, *parts[0].lines])
            return parts
        return [Unit(own, own_lines, block.headings, labels, own), *parts]

    def _stays_whole(self, place: int, nested: Sequence[int], text: str) -> bool:
        ordered = all(self._first_line(number).lstrip()[:1].isdigit() for number in nested)
        if ordered:
            return len(text) <= _MAX_STEPS_LENGTH
        sentences = sum(_is_sentence(self._blocks[number].text) for number in nested)
        if _is_label(self._blocks[place].text) and sentences * 2 > len(nested):
            return False
        return len(text) <= _MAX_GROUP_LENGTH

    def _own(self, place: int) -> tuple[str, list[int]]:
        """The words and lines of a bullet, with the paragraphs and code that belong to it."""
        inside = [number for number in self._children.get(place, ()) if not self._is_bullet(number)]
        blocks = [self._blocks[number] for number in (place, *inside)]
        return "\n".join(block.text for block in blocks), [
            n for block in blocks for n in _span(block)
        ]

    def _rendered(self, place: int, depth: int = 0) -> str:
        text, _ = self._own(place)
        parts = [text if depth == 0 else f"{'  ' * (depth - 1)}{self._marker(place)} {text}"]
        nested = [number for number in self._children.get(place, ()) if self._is_bullet(number)]
        return "\n".join([*parts, *(self._rendered(number, depth + 1) for number in nested)])

    def _all_lines(self, place: int) -> list[int]:
        _, lines = self._own(place)
        nested = [number for number in self._children.get(place, ()) if self._is_bullet(number)]
        return sorted([*lines, *(line for number in nested for line in self._all_lines(number))])

    def _table(self, place: int) -> int:
        """Add the rows of a table; return the place after them."""
        end = place
        while end < len(self._blocks) and self._blocks[end].kind == "row":
            if end > place and self._blocks[end].start != self._blocks[end - 1].end + 1:
                break
            end += 1
        rows = self._blocks[place:end]
        texts, left = table_units([(row.start, row.text) for row in rows])
        headings = rows[0].headings
        self._out.left.update(left)
        self._add(
            [Unit(text, [line], headings, lead=_NUMBER.sub("", text)) for line, text in texts]
        )
        return end

    def _code(self, block: Block, section: int) -> None:
        above = self._out.units[-1] if len(self._out.units) > section else None
        if self._label is None and above is not None:
            above.text += f"\n{block.text}"
            above.lines += _span(block)
        else:
            self._add([Unit(block.text, _span(block), block.headings)])

    def _add(self, units: list[Unit]) -> None:
        """Add units with the line that introduces them; the first unit takes its lines too."""
        label = self._label
        if label is not None and units:
            lines = sorted([*label.lines, *units[0].lines])
            units[0].lines, label.lines = lines, []
            for unit in units:
                unit.labels = (_shortened(label.text), *unit.labels)
        self._out.units += units

    def _end_label(self) -> None:
        if self._label is not None and self._label.lines:
            self._out.units.append(self._label)
        self._label = None

    def _leave(self, block: Block, reason: str) -> None:
        for line in _span(block):
            self._out.left[line] = reason

    def _is_bullet(self, place: int) -> bool:
        return self._blocks[place].kind == "bullet"

    def _first_line(self, place: int) -> str:
        return self._raw[self._blocks[place].start - 1]

    def _marker(self, place: int) -> str:
        return self._first_line(place).split(None, 1)[0]


def _span(block: Block) -> list[int]:
    return list(range(block.start, block.end + 1))


def _is_label(text: str) -> bool:
    """Whether a line only introduces what follows."""
    if len(text) > _MAX_LABEL_LENGTH or "\n" in text:
        return False
    return _COLON.search(text) is not None or _BOLD.fullmatch(text.strip()) is not None


def _is_sentence(text: str) -> bool:
    """Whether a nested line states something, rather than naming a thing."""
    return len(words(text)) >= (7 if has_grams(text) else 4)


def _shortened(text: str) -> str:
    """A parent as it is put in front of its parts; a short label keeps all of its words."""
    if len(text) <= _MAX_LABEL_LENGTH and "\n" not in text:
        return text
    first = text.split("\n", 1)[0]
    head = re.split(r"[:：]\s|[。；;]|(?<=\w)\. ", first, maxsplit=1)[0]
    return head if len(head) <= _MAX_LABEL_LENGTH else head[:_MAX_LABEL_LENGTH].rsplit(" ", 1)[0]


def labelled(labels: Sequence[str]) -> Iterator[str]:
    """Labels without colons and emphasis."""
    for label in labels:
        bare = label.strip().strip("*_").rstrip("：: ").strip("*_ ")
        if bare:
            yield bare
