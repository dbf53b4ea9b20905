"""Which lines of MEMORY.md are entries already? Only what an entry holds, word for word.

A section whose every line is in an entry can make room for a pointer.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remem.admin.audit.noise import is_status
from remem.admin.audit.sources import Section, sections
from remem.model.entry import Entry
from remem.model.host_loading import MEMORY_MD
from remem.text.line_edits import Edit
from remem.text.markdown import Block, lines_of, outline
from remem.text.statements import clean, promotion
from remem.text.words import fold

_MARKUP: Final = re.compile(r"[*_`~]+")
_LEADING: Final = re.compile(r"^[\s>]*(?:(?:[-*+•]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?")
_RULE: Final = re.compile(r"[\s|:=-]*")
_FENCE: Final = re.compile(r"\s*(?:`{3,}|~{3,})")
_POINTER: Final = re.compile(r"<!-- remem: \d+ lines? (?:is an entry|are entries),")
_SHORT: Final = 20
_FEW: Final = 0.1


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many lasting lines there are, and those that no entry has; the change that replaces
    the sections without any of those, and the names of these sections."""

    lines: int
    missing: tuple[str, ...]
    sections: tuple[str, ...]
    edit: Edit

    @property
    def migrated(self) -> bool:
        """Whether entries could take the file's place, but for a few lines."""
        return len(self.missing) <= _FEW * self.lines


def coverage(
    text: str, entries: Iterable[Entry], in_index: Container[str] | None = None
) -> Coverage:
    """What entries that came from MEMORY.md hold of it; what recall leaves out does not count.

    A section makes room only if the entries that hold it are `in_index`, by their ids: else a
    conversation would begin with less than before. None stands for all of them.
    """
    held = [
        entry
        for entry in entries
        if _is_found(entry) and any(origin.source == MEMORY_MD for origin in entry.origins)
    ]
    known = _Known(map(_words_of, held))
    loaded = known
    if in_index is not None:
        loaded = _Known(_words_of(entry) for entry in held if entry.id in in_index)
    lines = lines_of(text.removeprefix("\ufeff"))
    blocks = outline(text)
    content = [pair for block in blocks for pair in _content(block, lines)]
    lasting = {number: pieces for number, pieces in content if not _is_noise(lines[number - 1])}
    holds = {number: known.holds(pieces) for number, pieces in lasting.items()}
    names: list[str] = []
    dropped: set[int] = set()
    behind: dict[int, str] = {}
    for section in sections(text):
        inside = [number for number in holds if section.start <= number <= section.end]
        covered = all(holds[number] and loaded.holds(lasting[number]) for number in inside)
        if inside and covered and _has_heading(section, lines):
            names.append(section.title)
            gone = _with_marks(inside, section, lines)
            dropped.update(gone, _emptied(section, blocks, lines, gone, known))
            behind[section.start] = _pointer(len(inside))
    return Coverage(
        lines=len(holds),
        missing=tuple(lines[number - 1] for number, held in holds.items() if not held),
        sections=tuple(names),
        edit=Edit(frozenset(dropped), behind),
    )


def pointed_to(text: str) -> list[tuple[str, ...]]:
    """The sections, by their headings, whose lines an audit has replaced by a pointer."""
    return [
        block.headings
        for block in outline(text)
        if block.kind == "comment" and _POINTER.search(block.text)
    ]


def _words_of(entry: Entry) -> str:
    return _plain(f"{entry.content}\n{entry.context or ''}")


def _is_found(entry: Entry) -> bool:
    """A superseded entry is answered for by the one that replaced it."""
    return not entry.archived and entry.trust != "untrusted"


class _Known:
    """The words of the entries, as lines are looked for in them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(texts)
        self._all = "\n".join(self._texts)

    def holds(self, pieces: Sequence[str]) -> bool:
        """Whether one entry has all pieces of a line."""
        if len(pieces) == 1:
            return _stands_in(pieces[0], self._all)
        return any(all(_stands_in(piece, text) for piece in pieces) for text in self._texts)


def _stands_in(piece: str, text: str) -> bool:
    if len(piece) < _SHORT:  # "ok" stands in "book", and says something else
        return re.search(rf"(?<!\w){re.escape(piece)}(?!\w)", text) is not None
    return piece in text


def _content(block: Block, lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines of a block that say something, by number; a table's row cell by cell."""
    if block.kind not in ("bullet", "text", "row", "code"):
        return
    for number in range(block.start, block.end + 1):
        line = lines[number - 1]
        if _RULE.fullmatch(line) or (block.kind == "code" and _FENCE.match(line)):
            continue
        parts = line.split("|") if block.kind == "row" else [line]
        if pieces := [plain for part in parts if (plain := _plain(part))]:
            yield number, pieces


def _with_marks(lasting: Iterable[int], section: Section, lines: Sequence[str]) -> set[int]:
    """The lines that go, and with them the rules and fences of tables and code that go."""
    gone = set(lasting)
    for number in range(section.start + 1, min(section.end, len(lines)) + 1):
        line = lines[number - 1]
        beside = number - 1 in gone or number + 1 in gone
        if beside and line.strip() and (_RULE.fullmatch(line) or _FENCE.match(line)):
            gone.add(number)
    return gone


def _emptied(
    section: Section, blocks: Sequence[Block], lines: Sequence[str], gone: set[int], known: _Known
) -> set[int]:
    """The headings below the first that lose all they had, if entries have their words: a
    heading with nothing under it would be taken for a statement of its own."""
    last = min(section.end, len(lines))
    without = {*gone, *(n for n in range(section.start, last + 1) if not lines[n - 1].strip())}
    ends: dict[int, int] = {}
    empty: set[int] = set()
    inside = [block for block in blocks if section.start < block.start <= last]
    for each in reversed([block for block in inside if block.kind == "heading"]):
        end = min((at - 1 for at, level in ends.items() if level <= each.level), default=last)
        ends[each.start] = each.level
        below = set(range(each.end + 1, end + 1))
        if below <= without | empty and known.holds([_plain(each.text)]):
            empty.update(range(each.start, each.end + 1))
    return empty


def _plain(text: str) -> str:
    """The words of a text as both sides are compared: without marks, case and spacing."""
    lines = (_LEADING.sub("", line) for line in clean(text).split("\n"))
    return fold(_MARKUP.sub("", " ".join(lines).replace("|", " ")))


def _is_noise(line: str) -> bool:
    bare = _LEADING.sub("", line)
    return bool(promotion(line)) or is_status(clean(bare))


def _has_heading(section: Section, lines: Sequence[str]) -> bool:
    return lines[section.start - 1].lstrip().startswith("#")


def _pointer(number: int) -> str:
    lines = "line is an entry" if number == 1 else "lines are entries"
    return f"<!-- remem: {number} {lines}, see memory_recall -->"
