"""Find the lines of MEMORY.md that entries contain word for word.

If entries contain all lines of a section, a pointer to them can replace the section.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remem.admin.audit.noise import is_status
from remem.admin.audit.sources import FileSection, sections
from remem.extract.judge import judge
from remem.model.entry import Category, Entry
from remem.model.host_loading import MEMORY_MD
from remem.model.loaded_statements import LoadedText
from remem.model.statement import Place
from remem.text.line_edits import LineEdit
from remem.text.markdown import BULLET, CHECKBOX, Block, is_fence, lines_of, outline
from remem.text.statements import promotion_suffix, strip_markup
from remem.text.words import fold

_MARKUP: Final = re.compile(r"[*_`~]+")
_LINE_PREFIX: Final = re.compile(rf"[\s>]*(?:{BULLET.pattern})?(?:{CHECKBOX.pattern})?")
_RULE: Final = re.compile(r"[\s|:=-]*")
_POINTER: Final = re.compile(r"<!-- remem: \d+ lines? (?:is an entry|are entries),")
_WHOLE_WORD_LENGTH: Final = 20
_MAX_MISSING_SHARE: Final = 0.1
_MIN_WORTH: Final = 2.0
"""A rule, preference or person whose worth is at least this belongs in every conversation."""
_ALWAYS_NEEDED: Final[tuple[Category, ...]] = ("instruction", "preference", "person")


@dataclass(frozen=True, slots=True)
class StartText:
    """The start text and the ids of the entries in its index, both empty if it is not loaded."""

    text: str = ""
    ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class MemoryMdCoverage:
    """How much of MEMORY.md the entries cover that came from it.

    `lines` is the number of lines with lasting content; `missing` are those that no entry contains.
    `edit` replaces the `sections` that are covered completely with pointers. `needed` are the
    numbers of lines about rules, preferences and people that conversations load from nowhere else.
    """

    lines: int
    missing: tuple[str, ...]
    sections: tuple[str, ...]
    edit: LineEdit
    needed: frozenset[int] = frozenset()

    @property
    def is_migrated(self) -> bool:
        """Whether entries cover all lines but a few."""
        return len(self.missing) <= _MAX_MISSING_SHARE * self.lines


def measure_coverage(
    text: str, entries: Iterable[Entry], start: StartText | None = None
) -> MemoryMdCoverage:
    """Measure how much of MEMORY.md is in the entries that came from it.

    Entries that recall leaves out do not count. `start` is the text that conversations load besides
    MEMORY.md; without it, all entries count as loaded. A section is replaced only if `start` has
    all its lines, because otherwise a conversation would start with less than before.
    """
    candidates = [
        entry
        for entry in entries
        if _can_be_recalled(entry) and any(origin.source == MEMORY_MD for origin in entry.origins)
    ]
    entry_texts = _EntryTexts(map(_entry_text, candidates))
    loaded = None if start is None else LoadedText(start.text)
    shown_entries = entry_texts
    if start is not None:
        shown_entries = _EntryTexts(
            _entry_text(entry) for entry in candidates if entry.id in start.ids
        )
    lines = lines_of(text.removeprefix("\ufeff"))
    blocks = outline(text)
    content = [pair for block in blocks for pair in _content_lines(block, lines)]
    lasting = {number: pieces for number, pieces in content if not _is_noise(lines[number - 1])}
    covered_lines = {number: entry_texts.contains(pieces) for number, pieces in lasting.items()}
    names: list[str] = []
    dropped: set[int] = set()
    pointers: dict[int, str] = {}
    for section in sections(text):
        inside = [number for number in covered_lines if section.start <= number <= section.end]
        is_covered = all(
            covered_lines[number]
            and shown_entries.contains(lasting[number])
            and (loaded is None or loaded.has(lines[number - 1]))
            for number in inside
        )
        if inside and is_covered and _has_heading(section, lines):
            names.append(section.title)
            removed = _with_rules_and_fences(inside, section, lines)
            dropped.update(removed, _emptied_headings(section, blocks, lines, removed, entry_texts))
            pointers[section.start] = _pointer(len(inside))
    return MemoryMdCoverage(
        lines=len(covered_lines),
        missing=tuple(
            lines[number - 1] for number, is_covered in covered_lines.items() if not is_covered
        ),
        sections=tuple(names),
        edit=LineEdit(frozenset(dropped), pointers),
        needed=frozenset(
            [*_needed_lines(candidates, lines, loaded), *_needed_by_words(blocks, loaded)]
        ),
    )


def _needed_lines(
    entries: Iterable[Entry], lines: Sequence[str], loaded: LoadedText | None
) -> Iterator[int]:
    """Yield the lines whose entries every conversation needs, and that are loaded nowhere else."""
    for entry in entries:
        if loaded is None or entry.category not in _ALWAYS_NEEDED:
            continue
        for origin in entry.origins:
            at = origin.position or 0
            if (
                origin.source == MEMORY_MD
                and 0 < at <= len(lines)
                and not loaded.has(lines[at - 1])
            ):
                yield at


def _needed_by_words(blocks: Iterable[Block], loaded: LoadedText | None) -> Iterator[int]:
    """Yield the lines that read like a rule, preference or person and are loaded nowhere else."""
    for block in blocks:
        if loaded is None or block.kind not in ("bullet", "text") or loaded.has(block.text):
            continue
        judged = judge(strip_markup(block.text), Place(MEMORY_MD, block.headings))
        if judged.category in _ALWAYS_NEEDED and judged.worth >= _MIN_WORTH:
            yield from range(block.start, block.end + 1)


def replaced_sections(text: str) -> list[tuple[str, ...]]:
    """Return the headings of the sections that an audit has replaced with a pointer."""
    return [
        block.headings
        for block in outline(text)
        if block.kind == "comment" and _POINTER.search(block.text)
    ]


def _entry_text(entry: Entry) -> str:
    return _normalize(f"{entry.content}\n{entry.context or ''}")


def _can_be_recalled(entry: Entry) -> bool:
    """Return whether recall can return the entry, or else the entry that superseded it."""
    return not entry.archived and entry.trust != "untrusted"


class _EntryTexts:
    """The normalised texts of entries, in which lines can be looked up."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(texts)
        self._all = "\n".join(self._texts)

    def contains(self, pieces: Sequence[str]) -> bool:
        """Return whether a single entry contains all pieces of a line."""
        if len(pieces) == 1:
            return _occurs_in(pieces[0], self._all)
        return any(all(_occurs_in(piece, text) for piece in pieces) for text in self._texts)


def _occurs_in(piece: str, text: str) -> bool:
    if len(piece) < _WHOLE_WORD_LENGTH:  # "ok" must not match in "book"
        return re.search(rf"(?<!\w){re.escape(piece)}(?!\w)", text) is not None
    return piece in text


def _content_lines(block: Block, lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the numbers and pieces of the lines that have content; a table row has several."""
    if block.kind not in ("bullet", "text", "row", "code"):
        return
    for number in range(block.start, block.end + 1):
        line = lines[number - 1]
        if _RULE.fullmatch(line) or (block.kind == "code" and is_fence(line)):
            continue
        parts = line.split("|") if block.kind == "row" else [line]
        if pieces := [plain for part in parts if (plain := _normalize(part))]:
            yield number, pieces


def _with_rules_and_fences(
    content_lines: Iterable[int], section: FileSection, lines: Sequence[str]
) -> set[int]:
    """Return lines of a section, together with the table rules and code fences next to them."""
    removed = set(content_lines)
    for number in range(section.start + 1, min(section.end, len(lines)) + 1):
        line = lines[number - 1]
        adjacent = number - 1 in removed or number + 1 in removed
        if adjacent and line.strip() and (_RULE.fullmatch(line) or is_fence(line)):
            removed.add(number)
    return removed


def _emptied_headings(
    section: FileSection,
    blocks: Sequence[Block],
    lines: Sequence[str],
    removed: set[int],
    entry_texts: _EntryTexts,
) -> set[int]:
    """Return the lines of subheadings that have nothing left below them and that entries contain.

    They are removed, because a heading with nothing below it could be taken for a statement.
    """
    last = min(section.end, len(lines))
    empty_lines = {
        *removed,
        *(n for n in range(section.start, last + 1) if not lines[n - 1].strip()),
    }
    levels: dict[int, int] = {}  # of the headings so far, by their lines
    empty: set[int] = set()
    inside = [block for block in blocks if section.start < block.start <= last]
    for heading in reversed([block for block in inside if block.kind == "heading"]):
        ends = (line - 1 for line, level in levels.items() if level <= heading.level)
        end = min(ends, default=last)
        levels[heading.start] = heading.level
        below = set(range(heading.end + 1, end + 1))
        if below <= empty_lines | empty and entry_texts.contains([_normalize(heading.text)]):
            empty.update(range(heading.start, heading.end + 1))
    return empty


def _normalize(text: str) -> str:
    """Normalise a text for comparison: without markup, case and spacing."""
    lines = (_LINE_PREFIX.sub("", line, count=1) for line in strip_markup(text).split("\n"))
    return fold(_MARKUP.sub("", " ".join(lines).replace("|", " ")))


def _is_noise(line: str) -> bool:
    bare = _LINE_PREFIX.sub("", line, count=1)
    return bool(promotion_suffix(line)) or is_status(strip_markup(bare))


def _has_heading(section: FileSection, lines: Sequence[str]) -> bool:
    return lines[section.start - 1].lstrip().startswith("#")


def _pointer(number: int) -> str:
    lines = "line is an entry" if number == 1 else "lines are entries"
    return f"<!-- remem: {number} {lines}, see memory_recall -->"
