"""The lines to judge: those of the index, and those that it leaves out.

Left-out lines are lines of entries, and statements of files that no entry was made from. Every
statement of USER.md and MEMORY.md is among them unless the index shows it. A line that has a
verdict does not come back, unless its entry has changed since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remem.admin.curate.file_lines import FileLine
from remem.admin.curate.habits import Habit, Habits
from remem.entries.index import Index
from remem.entries.index_lines import Line, lines_of
from remem.entries.index_repeats import SeenLines
from remem.entries.index_wording import LONG_LINE
from remem.entries.verdicts import wording_hash_of
from remem.extract.judge import judge
from remem.model.entry import Entry, headings_in
from remem.model.statement import Place
from remem.model.verdict import Topic, Verdict
from remem.ports.entries import EntryReader
from remem.ports.records import Where
from remem.text.markdown import one_line

LINE_SIGN: Final = "#"
_MAX_TEXT: Final = 240
_MAX_HEADING: Final = 40
_MAX_NAMED_TEXT: Final = 50
_MAX_ENTRIES: Final = 3_000
_MAX_WORTH_TO_DROP: Final = -0.5
_MIN_WORTH_TO_PIN: Final = 3.0
_STATED_BONUS: Final = 1.0
_LATER: Final = 0.25


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """A line to judge.

    `section` is its file and its nearest heading, `order` its file and line, `shown` whether the
    index has it, and `suggestion` what earlier verdicts or the judge suggest.
    """

    item: str
    topic: Topic
    text: str
    section: str
    order: tuple[str, int]
    shown: bool
    worth: float = 0.0
    suggestion: Habit | None = None


@dataclass(frozen=True, slots=True)
class CandidateLines:
    """Finds the lines to judge in one scope."""

    reader: EntryReader
    index: Index
    verdicts: Sequence[Verdict]
    file_lines: Sequence[FileLine]
    habits: Habits

    def shown(self) -> Iterator[CandidateLine]:
        """Yield the lines of the index, from top to bottom."""
        entries = self.reader.find({line.entry for line in self.index.lines})
        for line in self.index.lines:
            entry, key = entries[line.entry], None if line.alone else line.words
            if not is_decided(self.verdicts, "index", entry, line=key):
                text = line.text.removeprefix("- ")
                habit = self.habits.of("index", entry) or _doubt(entry, text)
                item, section = item_of(entry, key), _section(entry)
                yield CandidateLine(
                    item, "index", text, section, _order(entry), shown=True, suggestion=habit
                )

    def left_out(self) -> list[CandidateLine]:
        """Return what the index does not show, without repetitions, the best lines first.

        Later lines of a section count a little less, so that every section is represented.
        """
        known = SeenLines()
        for shown in self.index.lines:
            known.add(shown.text)
        above: Counter[str] = Counter()
        weighed = []
        found = [*self._of_entries(known), *self._of_files(known)]
        for line in sorted(found, key=lambda line: -line.worth):
            weighed.append((line.worth - _LATER * above[line.section], line))
            above[line.section] += 1
        return [line for _, line in sorted(weighed, key=lambda pair: -pair[0])]

    def _of_entries(self, known: SeenLines) -> Iterator[CandidateLine]:
        """Yield the lines of entries that are not among the known ones, which they are added to."""
        shown = {(line.entry, line.words) for line in self.index.lines}
        for entry in live_entries(self.reader):
            lines = lines_of(entry, LONG_LINE)
            for line in lines:
                key = line.key if len(lines) > 1 else None
                if (entry.id, line.key) in shown or known.repeats(line.text):
                    continue
                if not is_decided(self.verdicts, "index", entry, line=key):
                    known.add(line.text)
                    yield self._of_entry(entry, line, key)

    def _of_entry(self, entry: Entry, line: Line, key: int | None) -> CandidateLine:
        judged = judge(line.source or line.text, _place(entry))
        worth = judged.worth + (_STATED_BONUS if entry.trust == "owner" else 0.0)
        pin = Habit("pin", judged.reasons[0]) if worth >= _MIN_WORTH_TO_PIN else None
        return CandidateLine(
            item_of(entry, key),
            "index",
            one_line(line.text, _MAX_TEXT),
            _section(entry),
            _order(entry),
            shown=False,
            worth=worth,
            suggestion=self.habits.of("index", entry) or pin,
        )

    def _of_files(self, known: SeenLines) -> Iterator[CandidateLine]:
        """Yield the lines of files that no entry was made from, without known ones."""
        decided = {
            wording_hash
            for verdict in self.verdicts
            if verdict.topic == "line" and verdict.state != "undone"
            for wording_hash in verdict.wordings
        }
        for line in self.file_lines:
            if line.wording_hash in decided or known.repeats(line.text):
                continue
            known.add(line.text)
            yield CandidateLine(
                line.item,
                "line",
                one_line(line.text, _MAX_TEXT),
                _section_name(line.path, line.headings),
                (line.path, line.line),
                shown=False,
                worth=line.worth,
            )


def lines_without_room(
    index: Index, verdicts: Iterable[Verdict], reader: EntryReader
) -> Iterator[str]:
    """Yield the beginnings of lines that are pinned or kept in the index, but are not there."""
    last = {
        (verdict.entries[0], verdict.line): verdict
        for verdict in verdicts
        if verdict.in_force and verdict.topic in ("index", "line") and len(verdict.entries) == 1
    }
    there = {(line.entry, words) for line in index.lines for words in (line.words, None)}
    known = SeenLines()
    for line in index.lines:
        known.add(line.text)
    entries = reader.find({id_ for id_, _ in last})
    for (id_, key), verdict in last.items():
        stays = verdict.answer in ("pin", "reword") or (verdict.answer == "keep" and verdict.shown)
        entry = entries.get(id_)
        if not stays or (id_, key) in there or entry is None or not entry.live:
            continue
        lines = [line for line in lines_of(entry, LONG_LINE) if key in (None, line.key)]
        if lines and not known.repeats(lines[0].text):
            yield one_line(verdict.text or lines[0].text, _MAX_NAMED_TEXT)


def in_sections(lines: Iterable[CandidateLine]) -> list[CandidateLine]:
    """Return lines in the order of their files, section by section."""
    return sorted(lines, key=lambda line: (line.order[0], line.section, line.order))


def live_entries(reader: EntryReader) -> list[Entry]:
    """Return the live entries that are looked at, the owner's and the latest last."""
    live = reader.select(Where())
    live.sort(key=lambda entry: (entry.trust == "owner", entry.updated_at))
    return live[-_MAX_ENTRIES:]


def is_decided(
    verdicts: Iterable[Verdict], topic: Topic, *entries: Entry, line: int | None = None
) -> bool:
    """Return whether there is a verdict on entries with these words, or on one of their lines."""
    ids = {entry.id for entry in entries}
    wordings = {wording_hash_of(entry) for entry in entries}
    return any(
        verdict.topic == topic
        and verdict.state != "undone"
        and verdict.answer != "order"
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
    """Return a short name for one line of an entry that has several."""
    return f"{words & 0xFFFF:04x}"


def _doubt(entry: Entry, text: str) -> Habit | None:
    """Return the suggestion to drop a line of the index if the judge is sure enough."""
    judged = judge(text, _place(entry))
    sure = judged.worth <= _MAX_WORTH_TO_DROP
    return Habit("drop", "; ".join(judged.reasons[:2])) if sure else None


def _section(entry: Entry) -> str:
    source = entry.origins[0].source if entry.origins else f"stored by {entry.trust}"
    return _section_name(source, headings_in(entry.context))


def _section_name(source: str, headings: Sequence[str]) -> str:
    """Return a file and the nearest heading below its title: `MEMORY.md, Rules`."""
    return ", ".join([source, *(one_line(title, _MAX_HEADING) for title in headings[1:][-1:])])


def _order(entry: Entry) -> tuple[str, int]:
    origin = entry.origins[0] if entry.origins else None
    return (origin.source, origin.position or 0) if origin else ("", 0)


def _place(entry: Entry) -> Place:
    source = entry.origins[0].source if entry.origins else ""
    return Place(source, headings_in(entry.context))
