"""Extract the statements in a memory file by rules, without a language model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from remem.extract import noise
from remem.extract.conversation import learn
from remem.extract.guards import OVERRIDES_RULES, refusal
from remem.extract.headings import tag_of
from remem.extract.judge import Judgement, judge
from remem.extract.lasting import evidence, may_contain
from remem.extract.line_marks import LineMarks, read_marks
from remem.extract.lists import in_one_category, with_whole_lists
from remem.extract.signals import count_labels, label_of
from remem.extract.units import StatementLines, plain_labels, units_of
from remem.model.entry import PATH_SEPARATOR, Priority
from remem.model.lesson import LearnedLessons, Utterance
from remem.model.statement import ExtractedStatement, Extraction, Place, SourceDocument
from remem.text.line_status import is_placeholder, is_template
from remem.text.markdown import Block, lines_of, outline
from remem.text.marked_line import lesson_ids_in
from remem.text.note_dates import Calendar
from remem.text.untrusted import overrides_instructions
from remem.text.words import content_words, fold, words

_IDENTIFIER: Final = re.compile(r"^[\w#@-]+\W{1,4}[A-Z0-9-]{8,}$|^[\w#@-]+\W{1,4}-?\d{6,}$")
_CHANNELS: Final = re.compile(r"[\w#@-]+: ?[A-Z0-9-]{8,}(?:\s*\|\s*[\w#@-]+: ?[A-Z0-9-]{8,})+")
"""Several channels on one line: `cb-inbox:C0AAP72R7L5 | cb-ideas:C0AB5HFJQM7`."""

_INCIDENTAL: Final = frozenset(
    {"description", "example", "aside", "quoted", "introduction", "finished", "finished_row"}
    | {"small_talk"}
    | {"struck", "over", "log_line", "bare", "counts", "listed"}
)
"""A list is complete without the lines that give one of these signals."""

_MAX_TAG_LENGTH: Final = 40
_MAX_TAGS: Final = 8
_SKIPPED_SHAPES: Final = {
    "conversation": noise.CONVERSATION,
    "digest": noise.DIGEST,
    "machine": noise.MACHINE,
}


class Rules:
    """The extractor that needs no language model."""

    def extract(self, document: SourceDocument) -> Extraction:
        lines = lines_of(document.text.removeprefix("\ufeff"))
        shape = "topic" if document.curated else noise.shape_of(document.path, document.text)
        if shape in _SKIPPED_SHAPES:
            reason = _SKIPPED_SHAPES[shape]
            return Extraction((), {n: reason for n, line in enumerate(lines, 1) if line.strip()})
        blocks = outline(document.text)
        is_kept = document.curated or document.page
        units = units_of(blocks, lines, curated=is_kept)
        alike = count_labels((unit.text, unit.headings) for unit in units.units)
        repeated = Counter(fold(unit.text) for unit in units.units)
        reader = _DocumentReader(document, blocks, alike, repeated, daily=shape == "daily")
        skipped = dict(units.skipped)
        statements: list[ExtractedStatement] = []
        for unit in units.units:
            statement = reader.statement(unit)
            if statement is None:
                skipped.update(dict.fromkeys(unit.lines, noise.TEMPLATE))
            else:
                statements.append(statement)
        if is_kept:
            statements = in_one_category(with_whole_lists(statements, reader.incidental))
        return Extraction(tuple(statements), skipped)

    def learn(self, utterances: Sequence[Utterance]) -> LearnedLessons:
        return learn(utterances)


class _DocumentReader:
    """Turns the units of one document into statements."""

    def __init__(
        self,
        document: SourceDocument,
        blocks: Sequence[Block],
        alike: Mapping[str, int],
        line_counts: Counter[str],
        *,
        daily: bool,
    ) -> None:
        self._document = document
        self._alike = alike
        self._repeated = line_counts
        self._may_last = may_contain(document.path)
        self._daily = daily
        self._size = max(1, len(lines_of(document.text)))
        today = date.fromisoformat(document.today)
        dated = [(block.start, block.text) for block in blocks if block.kind != "code"]
        self._calendar = Calendar(document.path, dated, today)
        self._titles = {
            block.text: block.start for block in reversed(blocks) if block.kind == "heading"
        }
        self._days: dict[tuple[str, ...], date | None] = {}
        self.incidental: set[tuple[int, ...]] = set()

    def statement(self, unit: StatementLines) -> ExtractedStatement | None:
        """Return the statement of a unit; None if it is a form that nobody has filled in."""
        if self._daily or unit.text.startswith("["):
            text, lead = noise.without_time(unit.text), noise.without_time(unit.lead)
            unit = replace(unit, text=text, lead=lead)
        marks = read_marks(unit.text)
        if is_template(marks.text) or (is_placeholder(marks.text) and not unit.labels):
            return None
        labels = tuple(plain_labels(unit.labels))
        lead = read_marks(unit.lead).text
        if not lead or lead.endswith((":", "：")):
            lead = marks.text  # what it introduces is part of the unit
        position = unit.lines[0] / self._size
        alike = self._alike.get(label_of(unit.text), 1)
        place = Place(self._document.path, unit.headings, labels, position, alike)
        verdict = judge(lead[: noise.MAX_SEARCHED], place)
        certain = self._certain_noise(unit, marks, verdict)
        reason = certain or self._doubt(unit, marks, verdict, place)
        weighed = marks.status != "current" or marks.importance is not None
        if certain or weighed or not verdict.signals.isdisjoint(_INCIDENTAL):
            self.incidental.add(tuple(sorted(unit.lines)))
        label = None if _is_channel(unit, marks.text) else _label(marks.text, labels)
        return ExtractedStatement(
            content=_with_label(label, _unquoted(marks.text)),
            lines=tuple(sorted(unit.lines)),
            category=verdict.category,
            why=verdict.why,
            priority=self._priority(unit, marks, verdict),
            tags=tuple(self._tags(unit, marks, verdict)),
            context=self._context(unit, marks),
            label=label,
            day=self._day(unit, marks, lead),
            status=marks.status,
            noise=reason,
            likely=reason is None or (certain is None and verdict.may_last),
        )

    def _certain_noise(
        self, unit: StatementLines, marks: LineMarks, verdict: Judgement
    ) -> str | None:
        """Return why a statement is never worth keeping; None if it may be."""
        if lesson_ids_in(unit.text):
            return noise.FLUSHED
        if marks.promoted and verdict.transient:
            return noise.PROMOTED
        return None if self._document.curated else _noise_of_note(unit, marks)

    def _doubt(
        self, unit: StatementLines, marks: LineMarks, verdict: Judgement, place: Place
    ) -> str | None:
        """Return why a statement is not sure to last; None if it is."""
        if self._document.curated or self._document.page:
            lasts = verdict.lasts if self._document.curated else verdict.likely
            return None if lasts else verdict.doubt
        if self._repeated[fold(unit.text)] > 1:
            return noise.REPEATED
        sure = self._may_last and evidence(marks.text[: noise.MAX_SEARCHED], place, verdict.signals)
        return None if sure else verdict.doubt

    def _priority(self, unit: StatementLines, marks: LineMarks, verdict: Judgement) -> Priority:
        if marks.status != "current":
            return "low"
        if marks.importance is not None:
            steps: tuple[tuple[int, Priority], ...] = ((9, "critical"), (7, "high"), (4, "medium"))
            return next((name for least, name in steps if marks.importance >= least), "low")
        above = " ".join([*unit.headings[1:], *unit.labels])
        urgent = noise.matches("urgent", marks.text[:40]) or noise.matches("urgent", above)
        if urgent and verdict.category in ("instruction", "preference", "fact"):
            return "critical" if self._document.curated else "high"
        if verdict.category == "instruction" and "emphasis" in verdict.signals:
            return "high"
        return "low" if verdict.transient else "medium"

    def _tags(self, unit: StatementLines, marks: LineMarks, verdict: Judgement) -> Iterator[str]:
        folded_tags: set[str] = set()
        # Headings of notes name what happened; those of curated files name topics. Their first is
        # the title of the file, which says little about one line.
        is_kept = self._document.curated or self._document.page
        headings = (unit.headings[1:] or unit.headings) if is_kept else ()
        topics = [tag_of(title) for title in reversed(headings)]
        brackets = [
            bracket for bracket in marks.brackets if not bracket.isdigit() and bracket.strip()
        ]
        states = [
            "channel" if _is_channel(unit, marks.text) else "",
            marks.status if marks.status != "current" else "",
            "status" if "status" in verdict.signals else "",
            "task" if marks.task else "",
        ]
        for label in [*marks.projects, *states, *marks.hashtags, *topics, *brackets]:
            tag = fold(label or "")
            if (
                tag
                and tag not in folded_tags
                and len(tag) <= _MAX_TAG_LENGTH
                and len(folded_tags) < _MAX_TAGS
            ):
                folded_tags.add(tag)
                yield tag

    def _context(self, unit: StatementLines, marks: LineMarks) -> str:
        lines = [PATH_SEPARATOR.join([self._document.path, *unit.headings])]
        if marks.triggers:
            lines.append(f"triggers: {marks.triggers}")
        if marks.promoted:
            lines.append(f"promoted by the host: {marks.promoted}")
        return "\n".join(lines)

    def _day(self, unit: StatementLines, marks: LineMarks, lead: str) -> str | None:
        first = unit.lines[0]
        day = self._calendar.of_line(marks.observed or "", first)
        day = day or self._calendar.of_line(lead, first) or self._day_of_headings(unit.headings)
        day = day or self._calendar.name_day
        return day.isoformat() if day else None

    def _day_of_headings(self, headings: tuple[str, ...]) -> date | None:
        if headings not in self._days:
            days = (
                self._calendar.of_heading(title, self._titles.get(title, 1))
                for title in reversed(headings)
            )
            self._days[headings] = next((day for day in days if day), None)
        return self._days[headings]


def _is_channel(unit: StatementLines, text: str) -> bool:
    """Return whether a line gives the identifier of a chat channel."""
    if _CHANNELS.fullmatch(text):
        return True
    is_channel_list = noise.matches("channel", " ".join(unit.headings))
    return is_channel_list and _IDENTIFIER.match(text) is not None


def _noise_of_note(unit: StatementLines, marks: LineMarks) -> str | None:
    """Return why a line of a note is skipped regardless of its words."""
    if noise.is_code(marks.text):
        return noise.CODE
    if overrides_instructions(marks.text):
        return OVERRIDES_RULES
    if marks.task:
        return noise.TASK
    if noise.is_link(marks.text) or marks.status == "done":
        return noise.LOG
    if reason := refusal(marks.text):
        return reason
    return noise.NOTHING_LASTING if noise.is_short(marks.text) and not unit.labels else None


def _label(text: str, labels: Sequence[str]) -> str | None:
    """Return the label of a statement: its parent bullets and the text that introduces its list.

    Headings are not part of the label; they are the context.
    """
    present = set(words(text))
    parts = [label for label in labels if not present.issuperset(content_words(label))]
    return ": ".join(dict.fromkeys(parts)) or None


def _unquoted(text: str) -> str:
    """Return a text that is quoted as a whole without the marks of the quotation."""
    lines = text.split("\n")
    return "\n".join(map(_unquote, lines)) if all(map(_is_quoted, lines)) else text


def _is_quoted(line: str) -> bool:
    return line.lstrip().startswith(">")


def _unquote(line: str) -> str:
    return line.lstrip().lstrip(">").strip()


def _with_label(label: str | None, text: str) -> str:
    if label is None:
        return text
    return f"{label}:\n{text}" if noise.is_code(text) else f"{label}: {text}"
