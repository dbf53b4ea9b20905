"""Find statements of USER.md, MEMORY.md and recent notes that are not stored as entries.

From a note, only what is sure to last becomes an entry. For a careful reader there are also the
lines that are likely to last, and the best lines of the latest notes: they tell the state of active
projects, which rules do not recognise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from remem.extract.judge import judge
from remem.files import atomic
from remem.files.host_files import owners_file
from remem.files.layout import Layout
from remem.files.memory_files import memory_files
from remem.files.walking import MemoryFile
from remem.model.authorship.turn import foreign_lines
from remem.model.daily_note import note_text
from remem.model.entry import headings_in
from remem.model.loaded_statements import FILES, LoadedText
from remem.model.scope import MAIN
from remem.model.statement import Document, Place
from remem.ports.entries import EntryReader
from remem.ports.models import Extractor
from remem.ports.records import Where
from remem.text.line_status import is_placeholder, is_stamp, is_template
from remem.text.markdown import Block, outline
from remem.text.note_dates import day_of_name
from remem.text.similarity import folded_hash
from remem.text.statements import strip_markup

_MAX_NOTES: Final = 20
_LATEST_NOTES: Final = 7
_MAX_LATEST_LINES: Final = 80
_MIN_LATEST_WORTH: Final = -1.0
_LESS_LIKELY: Final = 2.0
"""What a line of a note loses in worth if nothing shows that it lasts, so that it comes later."""
_NO_DAY: Final = "2999-12-31"
"""A placeholder: the extractor needs a day, but only the text of its statements is used."""


@dataclass(frozen=True, slots=True)
class FileLine:
    """A statement of a file that is not an entry; `item` names it in a verdict.

    `likely` says whether it is in a file of the owner's, or likely to last.
    """

    path: str
    line: int
    text: str
    headings: tuple[str, ...]
    likely: bool = True

    @property
    def item(self) -> str:
        return f"{self.path}:{self.line}"

    @property
    def wording_hash(self) -> int:
        return folded_hash(self.text)

    @property
    def place(self) -> Place:
        return Place(self.path, self.headings)

    @property
    def worth(self) -> float:
        """How much the line is worth for the index."""
        return judge(self.text, self.place).worth - (0.0 if self.likely else _LESS_LIKELY)


def unstored_lines(
    layout: Layout, reader: EntryReader, index_text: str, extractor: Extractor
) -> list[FileLine]:
    """Return the statements that are neither stored nor shown in the index, the best first."""
    shown = LoadedText(index_text)
    found = [
        line
        for name in FILES
        if (file := owners_file(layout, name, []))
        for line in _unstored(name, file.text, reader)
        if not shown.has(line.text)
    ]
    found += [line for line in _in_notes(layout, extractor) if not shown.has(line.text)]
    return sorted(found, key=lambda line: -line.worth)


def _in_notes(layout: Layout, extractor: Extractor) -> list[FileLine]:
    """Return the lines of the latest notes that may last, but are not sure to."""
    files = [
        file for file in memory_files(layout, MAIN) if file.kind == "note" and not file.refused
    ]
    dated = [(day, file) for file in files if (day := day_of_name(file.path))]
    dated.sort(key=lambda pair: pair[0], reverse=True)
    likely: list[FileLine] = []
    others: list[FileLine] = []
    for age, (_, file) in enumerate(dated[:_MAX_NOTES]):
        for line in _of_note(file, extractor):
            if line.likely:
                likely.append(line)
            elif age < _LATEST_NOTES and line.worth >= _MIN_LATEST_WORTH - _LESS_LIKELY:
                others.append(line)
    others.sort(key=lambda line: -line.worth)
    return [*likely, *others[:_MAX_LATEST_LINES]]


def _of_note(file: MemoryFile, extractor: Extractor) -> Iterator[FileLine]:
    """Yield the lines of a note that no entry was made from, without other people's words."""
    text = note_text(atomic.read(file.absolute) or b"")
    foreign = foreign_lines(text)
    for statement in extractor.extract(Document(file.path, text, _NO_DAY)).statements:
        if statement.noise is not None and foreign.keys().isdisjoint(statement.lines):
            headings = headings_in(statement.context)
            words = strip_markup(statement.content)
            yield FileLine(file.path, statement.lines[0], words, headings, statement.likely)


def lines_by_item(lines: list[FileLine]) -> Mapping[str, FileLine]:
    return {line.item: line for line in lines}


def _unstored(path: str, text: str, reader: EntryReader) -> Iterator[FileLine]:
    blocks = [block for block in outline(text) if _has_content(block)]
    places = [(path, line) for block in blocks for line in range(block.start, block.end + 1)]
    stored = {
        origin.position
        for entry in reader.select(Where(state="any", from_lines=tuple(places)))
        for origin in entry.origins
        if origin.source == path
    }
    for block in blocks:
        if stored.isdisjoint(range(block.start, block.end + 1)):
            yield FileLine(path, block.start, strip_markup(block.text), block.headings)


def _has_content(block: Block) -> bool:
    text = block.text
    empty = is_placeholder(text) or is_template(text) or is_stamp(text)
    return block.kind in ("bullet", "text", "row") and not empty
