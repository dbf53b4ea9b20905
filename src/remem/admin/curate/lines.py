"""The lines to judge: those of the index, and those that it leaves out.

Lines that the index leaves out come from entries, or from files if they are not stored. All
statements of USER.md and MEMORY.md are among them, except those in the index. A line with a verdict
is not offered again, unless its entry has changed since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from remem.admin.curate.file_lines import FileLine
from remem.admin.curate.habits import Habit, Habits
from remem.admin.curate.names import ItemNames, NamedItem
from remem.admin.curate.places import (
    Sections,
    is_topic_page,
    label_above,
    place_of,
    position_of,
)
from remem.entries.index import Index
from remem.entries.index_lines import EntryLine, lines_of
from remem.entries.index_repeats import SeenLines
from remem.entries.index_shown import chosen_lines, mark_of
from remem.entries.index_wording import LONG_LINE, SHORT_LINE, shortened
from remem.entries.verdicts import index_choices, wording_hash_of
from remem.extract.judge import judge
from remem.model.entry import PATH_SEPARATOR, Entry
from remem.model.host_loading import CURATED_FILES
from remem.model.loaded_statements import LoadedText
from remem.model.verdict import Topic, Verdict
from remem.ports.entries import EntryReader
from remem.ports.records import Where
from remem.text.markdown import one_line
from remem.text.note_dates import iso_date_in_name
from remem.text.similarity import folded_hash, sentences

LINE_SIGN: Final = "#"
_MAX_TEXT_LENGTH: Final = 240
_MAX_ENTRIES: Final = 3_000
_MAX_WORTH_TO_DROP: Final = -1.5
_FILE_BONUS: Final = 1.0
_LATER_LINE_PENALTY: Final = 0.25
_MAX_PENALTY: Final = 1.0
_MAX_PAGE_PENALTY: Final = 4.0
_KINDS_OF_PAGES: Final = ("instruction", "preference", "person")
"""The categories that are offered from pages about one topic."""


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """A line to judge.

    `words_hash` is the hash by which it is named, `section` its file and its nearest heading,
    `label` the introduction of its list that the page shows above it, `order` its file and line,
    `page_text` its text on the page, and `suggestion` what earlier verdicts or the judge suggest.
    """

    item: str
    topic: Topic
    text: str
    words_hash: int
    section: str
    order: tuple[str, int]
    page_text: str
    worth: float = 0.0
    suggestion: Habit | None = None
    label: str = ""

    @property
    def where(self) -> str:
        """Its section and the introduction of its list: `MEMORY.md, Mail › Ask first`."""
        return PATH_SEPARATOR.join(filter(None, (self.section, self.label)))

    @property
    def entry(self) -> str:
        """The id of the entry that it belongs to, or its item if it belongs to none."""
        return self.item.partition(LINE_SIGN)[0]


@dataclass(frozen=True)
class CandidateLines:
    """Finds the lines to judge in one scope."""

    reader: EntryReader
    index: Index
    verdicts: Sequence[Verdict]
    file_lines: Sequence[FileLine]
    habits: Habits

    @cached_property
    def sections(self) -> Sections:
        """The names of the sections that the lines are in."""
        places = [place_of(entry) for entry in live_entries(self.reader)]
        return Sections([*places, *(line.place for line in self.file_lines)])

    def names(self) -> ItemNames:
        """Return the names of all lines, including those that have been judged."""
        return ItemNames([*self._named_entries(), *map(_named_line, self.file_lines)])

    def _named_entries(self) -> Iterator[NamedItem]:
        for entry in live_entries(self.reader):
            for line, key in lines_with_keys(entry):
                yield NamedItem(
                    _words_hash(entry, line, key), _place_name(entry), item_of(entry, key)
                )

    def page(self) -> list[CandidateLine]:
        """Return the lines of the index, from top to bottom."""
        entries = self.reader.find({line.entry for line in self.index.lines})
        page = []
        for indexed in self.index.lines:
            entry = entries[indexed.entry]
            lines = lines_with_keys(entry)
            key = indexed.words if len(lines) > 1 else None
            line = next((line for line, known in lines if known == key), EntryLine(indexed.text))
            text = indexed.text.removeprefix("- ")
            habit = self.habits.usual_answer("index", entry) or _doubt(entry, text)
            candidate = self._candidate(entry, line, key, text)
            page.append(replace(candidate, suggestion=habit, label=label_above(entry, text)))
        return page

    def without_room(self) -> list[CandidateLine]:
        """Return the pinned or kept lines for which the page has no room."""
        choices = index_choices(self.reader)
        shown = {(line.entry, key) for line in self.index.lines for key in (line.words, None)}
        known = SeenLines()
        for indexed in self.index.lines:
            known.add(indexed.text)
        without_room = []
        requested = {*choices.pins, *(id_ for id_, _ in choices.keeps)}
        for entry in self.reader.find(requested).values():
            for line in chosen_lines(entry, choices, LONG_LINE) if entry.live else ():
                must_stay = choices.pins_line(entry.id, line.key)
                key = line.key if len(lines_with_keys(entry)) > 1 else None
                if must_stay and (entry.id, key) not in shown and not known.repeats(line.text):
                    known.add(line.text)
                    without_room.append(self._left_out(entry, line, key))
        return without_room

    def left_out(self) -> list[CandidateLine]:
        """Return the unjudged lines that are not in the index, without repetitions, best first.

        Each further line of a section, or of a page about one topic, counts a little less than the
        one before, so that many sections are represented.
        """
        known = SeenLines()
        for indexed in self.index.lines:
            known.add(indexed.text)
        earlier_lines: Counter[str] = Counter()
        weighed: list[tuple[float, CandidateLine]] = []
        left_out = [*self._lines_of_entries(known), *self._lines_of_files(known)]
        for line in sorted(left_out, key=lambda line: -line.worth):
            path = line.order[0]
            heading = path if is_topic_page(path) else line.section
            max_penalty = _MAX_PAGE_PENALTY if heading == path else _MAX_PENALTY
            penalty = min(_LATER_LINE_PENALTY * earlier_lines[heading], max_penalty)
            weighed.append((line.worth - penalty, line))
            earlier_lines[heading] += 1
        return [line for _, line in sorted(weighed, key=lambda pair: -pair[0])]

    def _lines_of_entries(self, seen_lines: SeenLines) -> Iterator[CandidateLine]:
        """Yield the unjudged lines of entries that `seen_lines` does not have, and add them."""
        indexed = {(line.entry, line.words) for line in self.index.lines}
        seen_texts = self._seen_hashes()
        undecided = []
        for entry in live_entries(self.reader):
            if is_topic_page(place_of(entry).path) and entry.category not in _KINDS_OF_PAGES:
                continue
            lines = lines_of(entry, LONG_LINE)
            is_only_line = len(lines_with_keys(entry)) == 1
            for line in lines:
                key = None if is_only_line else line.key
                if (entry.id, line.key) in indexed:
                    continue
                topics: tuple[Topic, ...] = ("index", "line")
                if _words_hash(entry, line, key) in seen_texts or any(
                    is_decided(self.verdicts, topic, entry, line=key) for topic in topics
                ):
                    seen_lines.add(line.text)
                else:
                    undecided.append((entry, line, key))
        for entry, line, key in undecided:
            if not seen_lines.repeats(line.text):
                seen_lines.add(line.text)
                judged = judge(line.source or line.text, place_of(entry))
                worth = judged.worth + _bonus(position_of(entry)[0])
                habit = self.habits.usual_answer("index", entry)
                candidate = self._left_out(entry, line, key)
                yield replace(candidate, worth=worth, suggestion=habit)

    def _left_out(self, entry: Entry, line: EntryLine, key: int | None) -> CandidateLine:
        text = f"{line.lead}: {line.text}" if line.lead else line.text
        page_text = mark_of(entry.category) + shortened(text, self.index.line_length)
        return replace(self._candidate(entry, line, key, line.text), page_text=page_text)

    def _candidate(
        self, entry: Entry, line: EntryLine, key: int | None, text: str
    ) -> CandidateLine:
        return CandidateLine(
            item_of(entry, key),
            "index",
            one_line(text, _MAX_TEXT_LENGTH),
            _words_hash(entry, line, key),
            self.sections.name(place_of(entry)),
            position_of(entry),
            text,
        )

    def _lines_of_files(self, seen_lines: SeenLines) -> Iterator[CandidateLine]:
        """Yield the unjudged lines of files that `seen_lines` does not have, and add them."""
        seen_texts, indexed = self._seen_hashes(), LoadedText(self.index.text)
        decided = {
            wording_hash
            for verdict in self.verdicts
            if verdict.topic == "line" and verdict.state != "undone"
            for wording_hash in verdict.wordings
        }
        undecided = []
        for line in self.file_lines:
            if line.wording_hash in decided or _first_sentence_hash(line.text) in seen_texts:
                seen_lines.add(line.text)
            elif not indexed.has(line.text):
                undecided.append(line)
        for line in undecided:
            if not seen_lines.repeats(line.text):
                seen_lines.add(line.text)
                yield CandidateLine(
                    line.item,
                    "line",
                    one_line(line.text, _MAX_TEXT_LENGTH),
                    _first_sentence_hash(line.text),
                    self.sections.name(line.place),
                    (line.path, line.line),
                    mark_of(line.category) + shortened(line.text, self.index.line_length),
                    worth=line.worth + _bonus(line.path),
                )

    def _seen_hashes(self) -> frozenset[int]:
        """Return the hashes of the lines that authors of verdicts saw and did not change."""
        states = ("applied", "proposed", "declined")
        return frozenset(
            line for verdict in self.verdicts if verdict.state in states for line in verdict.seen
        )


def keys_left_out(reader: EntryReader, page: Iterable[CandidateLine]) -> list[int]:
    """Return the hashes by which the index recognises the lines that are not on a page."""
    items_on_page = {line.item for line in page}
    on_page: set[int] = set()
    left_out: set[int] = set()
    for entry in live_entries(reader):
        for line, key in lines_with_keys(entry):
            (on_page if item_of(entry, key) in items_on_page else left_out).add(line.key)
    return sorted(left_out - on_page)


def lines_with_keys(entry: Entry) -> Sequence[tuple[EntryLine, int | None]]:
    """Return the lines of an entry, each with the hash that identifies it if there are several."""
    lines = {
        line.key: line for length in (LONG_LINE, SHORT_LINE) for line in lines_of(entry, length)
    }
    return [(line, key if len(lines) > 1 else None) for key, line in reversed(lines.items())]


def live_entries(reader: EntryReader) -> list[Entry]:
    """Return the live entries to examine, the owner's last; of very many, only the last ones."""
    live = reader.select(Where())
    live.sort(key=lambda entry: (entry.trust == "owner", entry.updated_at))
    return live[-_MAX_ENTRIES:]


def is_decided(
    verdicts: Iterable[Verdict], topic: Topic, *entries: Entry, line: int | None = None
) -> bool:
    """Return whether there is a verdict on these entries as they are, or on a line of them."""
    ids = {entry.id for entry in entries}
    wordings = {wording_hash_of(entry) for entry in entries}
    return any(
        verdict.topic == topic
        and verdict.state != "undone"
        and verdict.answer not in ("order", "page")
        and verdict.line in (None, line)
        and (
            set(verdict.wordings) == wordings
            or (set(verdict.entries) == ids and verdict.answer != "keep")
        )
        for verdict in verdicts
    )


def item_of(entry: Entry, line: int | None) -> str:
    """Return the item that stands for an entry, or for one of its lines."""
    return entry.id if line is None else f"{entry.id}{LINE_SIGN}{line_key(line)}"


def line_key(words: int) -> str:
    """Return the part of an item that names one of several lines, given by its hash."""
    return f"{words & 0xFFFF:04x}"


def _bonus(path: str) -> float:
    """Return the bonus of a line for its file, which is negative for pages about one topic."""
    if path in CURATED_FILES:
        return _FILE_BONUS
    return -_FILE_BONUS if is_topic_page(path) else 0.0


def _words_hash(entry: Entry, line: EntryLine, key: int | None) -> int:
    """Return the hash by which a line is named; for the only line of an entry, the entry's."""
    return _first_sentence_hash(entry.content) if key is None else line.key


def _first_sentence_hash(text: str) -> int:
    return folded_hash(next(iter(sentences(text)), text))


def _named_line(line: FileLine) -> NamedItem:
    return NamedItem(_first_sentence_hash(line.text), f"{line.path}:{line.line}", line.item)


def _place_name(entry: Entry) -> str:
    origin = entry.origins[0] if entry.origins else None
    return f"{origin.source}:{origin.position}" if origin else entry.id


def _doubt(entry: Entry, text: str) -> Habit | None:
    """Return the suggestion to drop a line of the index, or None if the judge does not say so."""
    place = place_of(entry)
    judged = judge(text, place)
    is_report_of_day = judged.transient and iso_date_in_name(place.path) is not None
    is_worthless = judged.worth <= _MAX_WORTH_TO_DROP
    return Habit("drop", judged.doubt) if is_worthless or is_report_of_day else None
