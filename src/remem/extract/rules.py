"""Statements of a memory file, found by rules; each names the rule that decided."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from remem.extract import noise
from remem.extract.conversation import learn
from remem.extract.guards import OVERRIDING
from remem.extract.headings import announced, topic_of
from remem.extract.judge import LABEL, Verdict, judge
from remem.extract.line_marks import Marks, read_marks
from remem.extract.patterns.cues_english import STRONG
from remem.extract.units import Unit, labelled, units_of
from remem.model.entry import Priority
from remem.model.lesson import Learned, Utterance
from remem.model.statement import PATH_SEPARATOR, Document, Extraction, Statement
from remem.text.markdown import Block, lines_of, outline
from remem.text.marked_line import lesson_ids_in
from remem.text.note_dates import Calendar
from remem.text.placeholders import is_placeholder, is_template
from remem.text.untrusted import overrides_instructions
from remem.text.words import content_words, fold, words

_URGENT: Final = re.compile(
    r"\b(?:critical|iron rules?|red lines?|hard rules?|life.?safety)\b|铁律|鐵律|红线|鉄則|"
    r"критич|⛔|🚨",
    re.IGNORECASE,
)
_LOUD: Final = re.compile(r"\b(?:NEVER|MUST|ALWAYS|IMPORTANT|WARNING)\b|⚠|❗|‼|务必|严禁|絶対")
_CHANNEL: Final = re.compile(
    r"\bchannels?\b|频道|頻道|каналы|kanäle|canales|canaux|チャンネル", re.I
)
_IDENTIFIER: Final = re.compile(r"^[\w#@-]+\W{1,4}[A-Z0-9-]{8,}$|^[\w#@-]+\W{1,4}-?\d{6,}$")
_LONGEST_TAG: Final = 40
_MOST_TAGS: Final = 8
_LASTING_HEADS: Final = frozenset({"preference", "decision", "insight", "instruction", "person"})
_WHOLLY_LEFT: Final = {
    "conversation": noise.CONVERSATION,
    "digest": noise.DIGEST,
    "machine": noise.MACHINE,
}


class Rules:
    """The extractor that needs no model."""

    def extract(self, document: Document) -> Extraction:
        lines = lines_of(document.text.removeprefix("\ufeff"))
        shape = "topic" if document.curated else noise.shape_of(document.path, document.text)
        if shape in _WHOLLY_LEFT:
            reason = _WHOLLY_LEFT[shape]
            return Extraction((), {n: reason for n, line in enumerate(lines, 1) if line.strip()})
        blocks = outline(document.text)
        found = units_of(blocks, lines, curated=document.curated)
        reading = _Reading(document, blocks, daily=shape == "daily")
        left = dict(found.left)
        statements: list[Statement] = []
        for unit in found.units:
            statement = reading.statement(unit)
            if statement is None:
                left.update(dict.fromkeys(unit.lines, noise.TEMPLATE))
            else:
                statements.append(statement)
        return Extraction(tuple(statements), left)

    def learn(self, said: Sequence[Utterance]) -> Learned:
        return learn(said)


class _Reading:
    """One document while it is read."""

    def __init__(self, document: Document, blocks: Sequence[Block], *, daily: bool) -> None:
        self._document = document
        self._daily = daily
        today = date.fromisoformat(document.today)
        dated = [(block.start, block.text) for block in blocks if block.kind != "code"]
        self._calendar = Calendar(document.path, dated, today)
        self._titles = {
            block.text: block.start for block in reversed(blocks) if block.kind == "heading"
        }
        self._days: dict[tuple[str, ...], date | None] = {}

    def statement(self, unit: Unit) -> Statement | None:
        """What a unit says; None if it is a form that nobody has filled in."""
        if self._daily:
            unit = replace(unit, text=noise.untimed(unit.text), lead=noise.untimed(unit.lead))
        marks = read_marks(unit.text)
        if is_template(marks.text) or (is_placeholder(marks.text) and not unit.labels):
            return None
        labels = tuple(labelled(unit.labels))
        lead = (read_marks(unit.lead).text or marks.text)[: noise.TELLING]
        status = noise.is_status(lead)
        if not self._document.curated and (plain := _plain_noise(marks, status=status)):
            # Most of a long note: nothing more has to be known about it.
            return Statement(marks.text, tuple(sorted(unit.lines)), "fact", plain, noise=plain)
        passing = status or noise.is_event(lead)
        verdict = judge(lead, labels, unit.headings, self._document.path, passing=passing)
        whole = marks.text[: noise.TELLING]
        if verdict.own < STRONG and lead != whole:
            verdict = judge(whole, labels, unit.headings, self._document.path, passing=passing)
        topic = self._topic(unit, marks.text, labels)
        reason = self._noise(unit, marks, verdict, passing=passing)
        if lesson_ids_in(unit.text):
            reason = noise.FLUSHED
        return Statement(
            content=_with_topic(topic, marks.text),
            lines=tuple(sorted(unit.lines)),
            category=verdict.category,
            why=verdict.why,
            priority=self._priority(unit, marks, verdict, passing=passing),
            tags=tuple(self._tags(unit, marks, lead)),
            context=self._context(unit, marks),
            topic=topic,
            day=self._day(unit, marks, lead),
            standing=marks.standing,
            noise=reason,
        )

    def _topic(self, unit: Unit, text: str, labels: Sequence[str]) -> str | None:
        """What the headings and parents have to add so that the line can stand alone."""
        said = set(words(text))
        parts: list[str] = []
        topics = [each for title in self._below_title(unit) if (each := topic_of(title))]
        for topic in [*topics[-2:], *labels]:
            telling = content_words(topic)
            missing = [word for word in telling if word not in said]
            whole = topic in labels  # an introducing line's words must not be lost
            if (missing if whole else len(missing) * 2 > len(telling)) and topic not in parts:
                parts.append(topic)
        if _CHANNEL.search(" ".join(unit.headings)) and _IDENTIFIER.match(text):
            return None
        return PATH_SEPARATOR.join(parts) or None

    def _below_title(self, unit: Unit) -> Sequence[str]:
        """The headings without the title of the file, which says little about one line."""
        first = next(iter(self._titles), None)
        at_top = unit.headings and self._document.curated and len(unit.headings) > 1
        return unit.headings[1:] if at_top and first else unit.headings

    def _noise(self, unit: Unit, marks: Marks, verdict: Verdict, *, passing: bool) -> str | None:
        text = marks.text
        if marks.promoted and passing:
            return noise.PROMOTED
        if self._document.curated:
            return None
        if noise.too_short(text) and not unit.labels:
            return noise.PASSING
        if noise.is_link(text) or marks.standing == "done":
            return noise.LOG
        lasting = verdict.own >= STRONG and verdict.category != "project"
        if passing and verdict.own < LABEL and not _decides(verdict):
            return noise.LOG
        if not self._daily or lasting:
            return None
        kinds = {announced(title) for title in [*unit.headings[1:], *labelled(unit.labels)]}
        return None if kinds & _LASTING_HEADS else noise.PASSING

    def _priority(self, unit: Unit, marks: Marks, verdict: Verdict, *, passing: bool) -> Priority:
        if marks.standing != "current":
            return "low"
        if marks.importance is not None:
            steps: tuple[tuple[int, Priority], ...] = ((9, "critical"), (7, "high"), (4, "medium"))
            return next((name for least, name in steps if marks.importance >= least), "low")
        heads = " ".join([*unit.headings[1:], *unit.labels])
        urgent = _URGENT.search(marks.text[:40]) or _URGENT.search(heads)
        if urgent and verdict.category in ("instruction", "preference", "fact"):
            return "critical" if self._document.curated else "high"
        if verdict.category == "instruction" and _LOUD.search(marks.text):
            return "high"
        return "low" if passing else "medium"

    def _tags(self, unit: Unit, marks: Marks, lead: str) -> Iterator[str]:
        seen: set[str] = set()
        topics = [topic_of(title) for title in reversed(self._below_title(unit))]
        channel = _CHANNEL.search(" ".join(unit.headings)) and _IDENTIFIER.match(marks.text)
        brackets = [
            bracket for bracket in marks.brackets if not bracket.isdigit() and bracket.strip()
        ]
        states = [
            "channel" if channel else "",
            marks.standing if marks.standing != "current" else "",
            "status" if noise.is_status(lead) else "",
            "task" if marks.task else "",
        ]
        for project in [*marks.projects, *states, *marks.hashtags, *topics, *brackets]:
            tag = fold(project or "")
            if tag and tag not in seen and len(tag) <= _LONGEST_TAG and len(seen) < _MOST_TAGS:
                seen.add(tag)
                yield tag

    def _context(self, unit: Unit, marks: Marks) -> str:
        lines = [PATH_SEPARATOR.join([self._document.path, *unit.headings])]
        if marks.triggers:
            lines.append(f"triggers: {marks.triggers}")
        if marks.promoted:
            lines.append(f"promoted by the host: {marks.promoted}")
        return "\n".join(lines)

    def _day(self, unit: Unit, marks: Marks, lead: str) -> str | None:
        first = unit.lines[0]
        day = self._calendar.of_line(marks.observed or "", first)
        day = day or self._calendar.of_line(lead, first) or self._headed(unit.headings)
        day = day or self._calendar.name_day
        return day.isoformat() if day else None

    def _headed(self, headings: tuple[str, ...]) -> date | None:
        if headings not in self._days:
            days = (
                self._calendar.of_heading(title, self._titles.get(title, 1))
                for title in reversed(headings)
            )
            self._days[headings] = next((day for day in days if day), None)
        return self._days[headings]


def _plain_noise(marks: Marks, *, status: bool) -> str | None:
    """What can be seen of a note's line at once, whatever it says."""
    if noise.is_code(marks.text):
        return noise.CODE
    if overrides_instructions(marks.text):
        return OVERRIDING
    if status:
        return noise.STATUS
    return noise.TASK if marks.task else None


def _with_topic(topic: str | None, text: str) -> str:
    if topic is None:
        return text
    return f"{topic}:\n{text}" if noise.is_code(text) else f"{topic}: {text}"


def _decides(verdict: Verdict) -> bool:
    """`Decided to …`, `Learned that …` look like events and are what one wants to keep."""
    return verdict.category in ("decision", "insight") and verdict.own >= STRONG
