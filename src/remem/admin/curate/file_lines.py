"""Find statements of USER.md, MEMORY.md, recent notes and conversations that are not stored.

Only statements of a note that clearly last become entries. Those that probably last are offered for
a verdict, and so are the best lines of the latest notes, because they show the state of active
projects, which rules do not recognise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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
from remem.model.entry import Category, headings_in
from remem.model.host_loading import CURATED_FILES
from remem.model.scope import MAIN
from remem.model.statement import Place, SourceDocument
from remem.ports.entries import EntryReader
from remem.ports.models import Extractor
from remem.ports.records import Where
from remem.text.line_status import is_placeholder, is_stamp, is_template
from remem.text.markdown import Block, outline
from remem.text.note_dates import iso_date_in_name
from remem.text.secrets.mask import redact
from remem.text.similarity import folded_hash
from remem.text.statements import strip_markup

_MAX_NOTES: Final = 60
_LATEST_NOTES: Final = 7
_MAX_LATEST_LINES: Final = 80
_MIN_LATEST_WORTH: Final = -1.0
_UNCERTAIN_PENALTY: Final = 2.0
"""The worth that a line of a note loses if nothing shows that it lasts."""
_SHORT_LIST_LENGTH: Final = 5
_NO_DAY: Final = "2999-12-31"
"""A value for the extractor's `today`, which does not change the statements."""


@dataclass(frozen=True, slots=True)
class FileLine:
    """A statement of a file or conversation that is not an entry.

    `likely` means that it is in USER.md or MEMORY.md, or likely to last. A turn of a conversation
    is a single line; `part` is the number of the statement in it, and 0 in all other files. `end`
    is the last line of a statement in USER.md or MEMORY.md, and 0 in others.
    """

    path: str
    line: int
    text: str
    headings: tuple[str, ...]
    likely: bool = True
    part: int = 0
    end: int = 0

    @property
    def item(self) -> str:
        """The name of the line in a verdict."""
        place = f"{self.path}:{self.line}"
        return f"{place}/{self.part}" if self.part else place

    @property
    def wording_hash(self) -> int:
        return folded_hash(self.text)

    @property
    def is_spoken(self) -> bool:
        """Whether it is from a conversation."""
        return self.part > 0

    @property
    def lines(self) -> range:
        return range(self.line, max(self.line, self.end) + 1)

    @property
    def place(self) -> Place:
        return Place(self.path, self.headings)

    @property
    def category(self) -> Category:
        """The category that the line is stored with."""
        return judge(self.text, self.place).category

    @property
    def worth(self) -> float:
        """Its worth for the index."""
        return judge(self.text, self.place).worth - (0.0 if self.likely else _UNCERTAIN_PENALTY)


def file_lines(
    layout: Layout, extractor: Extractor, conversation_lines: Sequence[FileLine] = ()
) -> list[FileLine]:
    """Return the statements of USER.md and MEMORY.md, of notes, and `conversation_lines`."""
    files = [(name, file.text) for name in CURATED_FILES if (file := owners_file(layout, name, []))]
    statements = [line for name, text in files for line in _lines_of_curated_file(name, text)]
    return [*statements, *_lines_of_notes(layout, extractor), *conversation_lines]


def unstored_lines(lines: Iterable[FileLine], reader: EntryReader) -> list[FileLine]:
    """Return the lines that are not stored as entries and were not erased, best first."""
    found = list(lines)
    places = {(line.path, at) for line in found for at in line.lines}
    entries = reader.select(Where(state="any", from_lines=tuple(sorted(places))))
    stored = {(origin.source, origin.position) for entry in entries for origin in entry.origins}
    wordings = {folded_hash(entry.content) for entry in entries}
    erased = {tombstone.wording_hash for tombstone in reader.tombstones()}
    unstored = [
        line
        for line in found
        if line.wording_hash not in wordings
        and not (erased and folded_hash(redact(line.text).text) in erased)
        and (not line.end or stored.isdisjoint((line.path, at) for at in line.lines))
    ]
    return sorted(unstored, key=lambda line: -line.worth)


def _lines_of_notes(layout: Layout, extractor: Extractor) -> list[FileLine]:
    """Return the lines of recent notes that are likely to last, and the best of the latest."""
    files = [
        file for file in memory_files(layout, MAIN) if file.kind == "note" and not file.refused
    ]
    dated = [(day, file) for file in files if (day := iso_date_in_name(file.path))]
    dated.sort(key=lambda pair: pair[0], reverse=True)
    likely: list[FileLine] = []
    others: list[FileLine] = []
    for rank, (_, file) in enumerate(dated[:_MAX_NOTES]):
        for line in _lines_of_note(file, extractor):
            if line.likely:
                likely.append(line)
            elif rank < _LATEST_NOTES and line.worth >= _MIN_LATEST_WORTH - _UNCERTAIN_PENALTY:
                others.append(line)
    others.sort(key=lambda line: -line.worth)
    return [*likely, *others[:_MAX_LATEST_LINES]]


def _lines_of_note(file: MemoryFile, extractor: Extractor) -> Iterator[FileLine]:
    """Yield the lines of a note that do not clearly last, without other people's words.

    In a short list with one lasting line, the other lines are likely to last too.
    """
    text = note_text(atomic.read(file.absolute) or b"")
    foreign = foreign_lines(text)
    statements = extractor.extract(SourceDocument(file.path, text, _NO_DAY)).statements
    list_length = Counter(statement.context for statement in statements)
    lasting_lists = {
        statement.context for statement in statements if statement.likely or statement.noise is None
    }
    for statement in statements:
        if statement.noise is not None and foreign.keys().isdisjoint(statement.lines):
            headings = headings_in(statement.context)
            words = strip_markup(statement.content)
            is_short = list_length[statement.context] <= _SHORT_LIST_LENGTH
            in_lasting_list = is_short and statement.context in lasting_lists and len(headings) > 1
            likely = statement.likely or in_lasting_list
            yield FileLine(file.path, statement.lines[0], words, headings, likely)


def _lines_of_curated_file(path: str, text: str) -> Iterator[FileLine]:
    for block in outline(text):
        if _has_content(block):
            words = strip_markup(block.text)
            yield FileLine(path, block.start, words, block.headings, end=block.end)


def _has_content(block: Block) -> bool:
    text = block.text
    empty = is_placeholder(text) or is_template(text) or is_stamp(text)
    return block.kind in ("bullet", "text", "row") and not empty
