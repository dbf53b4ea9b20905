"""Find, cluster and judge statements in notes and facts that could graduate to MEMORY.md.

Statements with nearly the same words form a cluster. A cluster graduates if it was stated
deliberately and confirmed over time. A single statement is enough only if it says explicitly what
is always or never wanted. Every verdict gives its reasons or says what is missing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from itertools import pairwise
from typing import Final

from remem.errors import counted
from remem.extract.judge import judge as judge_statement
from remem.extract.lasting import is_standing_wish
from remem.files.facts import KnownFacts
from remem.files.host_files import FileContent
from remem.files.layout import Layout
from remem.learn.graduate.result import STATED_AS
from remem.learn.synthesize.daily import dated_notes, flushed_lines
from remem.model.entity import category_of
from remem.model.entry import Category, needs_heading
from remem.model.fact import succession
from remem.model.statement import ExtractedStatement, Place, SourceDocument
from remem.ports.models import Extractor
from remem.text.look_alike import same_statement
from remem.text.markdown import one_line
from remem.text.secrets.mask import redact
from remem.text.similarity import SIMILAR, group_similar
from remem.text.untrusted import overrides_instructions
from remem.text.words import words

OnProgress = Callable[[str], None]

_MIN_WORDS: Final = 4
_MAX_WORDS: Final = 60
_LABEL: Final = re.compile(
    r"^[*_\s]*(?:rule|preference|decision|lesson(?: learned)?|feedback|regel|vorliebe|entscheidung|"
    r"lektion|règle|préférence|décision|leçon|regla|preferencia|decisión|lección|правило|"
    r"предпочтение|решение|урок|规则|偏好|决策|决定|教训|ルール|好み|決定|教訓)[*_]*[:：][*_\s]*",
    re.IGNORECASE,
)
_DECIDED: Final = "decided"
_LASTING_PARTS: Final = ("learned", _DECIDED)
_CATEGORY_OF_FACT: Final[dict[str, Category]] = {
    "preference": "preference",
    "decision": "decision",
    "rule": "instruction",
    "requirement": "instruction",
    "lesson": "insight",
    "pattern": "insight",
}
_DIGEST_BYTES: Final = 4
_MIN_COPIED_LINES: Final = 3
_MIN_DAYS: Final = 2
_MIN_LESSON_DAYS: Final = 3
_MIN_USES: Final = 2
_STABLE_DAYS: Final = 14
_WHY_NEVER: Final[dict[Category, str]] = {
    "project": "describes a current state, which will change",
    "person": "is about a person; facts about people are stored elsewhere",
}
_TIME: Final = re.compile(r"\b\d{1,2}[:：]\d\d\b")
_HEARTBEAT: Final = re.compile(r"HEARTBEAT", re.IGNORECASE)
_EVENT: Final = re.compile(r"\d|^\W*\w{1,3}了")
_IN_OWN_FILE: Final = re.compile(r"\b(?:AGENTS|MEMORY|SOUL|TOOLS|USER)\.md\b")
_QUOTED: Final = re.compile(r"\W*(?:candidate|user|assistant)\s*[:：]", re.IGNORECASE)
_UNDECIDED: Final = re.compile(
    r"\W*(?:none|no|nothing)\b|\b(?:pending|awaiting|undecided|tbd)\b|\bneeded\W*$|待定|未定|"
    r"\bausstehend\b",
    re.IGNORECASE,
)
"""Text saying that nothing was decided: `None today`, `decision pending`."""


@dataclass(frozen=True, slots=True)
class StatementSighting:
    """A statement that was found in a note or a fact, with its place and day.

    `corrected` is the day of a fact that replaced an earlier one. `note_line` is the note's path
    and the line number, if it was found in a note. `standing` means that the line says explicitly
    what somebody always or never wants.
    """

    text: str
    category: Category
    place: str
    day: str | None
    corrected: str | None = None
    note_line: tuple[str, int] | None = None
    standing: bool = False


def sightings_in_notes(
    layout: Layout, extractor: Extractor, today: str, problems: list[str], on_progress: OnProgress
) -> Iterator[StatementSighting]:
    """Yield the lasting statements in the notes, without noise."""
    for day, notes in sorted(dated_notes(layout, problems).items()):
        for note in notes:
            on_progress(note.path)
            for statement in extractor.extract(
                SourceDocument(note.path, note.text, today)
            ).statements:
                if statement.likely and statement.status == "current" and _is_candidate(statement):
                    first = statement.lines[0]
                    text = one_line(_own_text(statement))
                    place = f"{note.path}#{_lines(statement)}"
                    standing = statement.noise is None and is_standing_wish(statement.content)
                    yield StatementSighting(
                        text,
                        statement.category,
                        place,
                        day,
                        note_line=(note.path, first),
                        standing=standing,
                    )
            yield from _in_flushed_lines(note, day, extractor, today)


def _in_flushed_lines(
    note: FileContent, day: str, extractor: Extractor, today: str
) -> Iterator[StatementSighting]:
    """Yield the lines that a flush wrote; each is classified on its own."""
    for line in flushed_lines(note.text):
        if line.part not in _LASTING_PARTS or not _fits(line.text):
            continue
        document = SourceDocument(note.path, f"- {line.text}\n", today, curated=True)
        statements = extractor.extract(document).statements
        category: Category
        if line.part == _DECIDED:
            category = "decision"
        elif statements:
            category = statements[0].category
        else:
            continue
        place = f"{note.path}#L{line.number}"
        yield StatementSighting(
            one_line(line.text), category, place, day, note_line=(note.path, line.number)
        )


def sightings_in_facts(known_facts: KnownFacts) -> Iterator[StatementSighting]:
    """Yield the active facts."""
    for file in known_facts.files:
        for fact in file.facts:
            if fact.active and _fits(fact.fact):
                kind = (
                    known_facts.root(fact.entity).kind
                    if fact.entity in known_facts.entities
                    else ""
                )
                category = _CATEGORY_OF_FACT.get(fact.category.casefold()) or category_of(
                    fact, kind
                )
                replaced_another = len(succession(file.facts, fact.id)) > 1
                yield StatementSighting(
                    one_line(fact.fact),
                    category,
                    fact.place,
                    fact.day,
                    corrected=fact.day if replaced_another else None,
                )


def _is_candidate(statement: ExtractedStatement) -> bool:
    return "\n" not in statement.content.strip() and _fits(statement.content)


def _fits(text: str) -> bool:
    """Return whether a text could become a line of MEMORY.md.

    It must be neither too short nor too long, and not a question, a secret or an injection.
    """
    text = text.strip()
    count = len(words(text))
    if text.endswith(("?", "？")) or not _MIN_WORDS <= count <= _MAX_WORDS:
        return False
    return not overrides_instructions(text) and redact(text).text == text


def _own_text(statement: ExtractedStatement) -> str:
    """Return the statement, without its label if it can be understood without it."""
    content, label = statement.content, statement.label
    without_label = content.removeprefix(f"{label}: ") if label else content
    own = _LABEL.sub("", content if needs_heading(without_label) else without_label)
    if len(words(own)) <= _MIN_WORDS or own.count("**") % 2:  # the label says what it is about
        return content
    return own


def _lines(statement: ExtractedStatement) -> str:
    first, last = statement.lines[0], statement.lines[-1]
    return f"L{first}" if first == last else f"L{first}-L{last}"


@dataclass(frozen=True, slots=True)
class Cluster:
    """All sightings of one statement, the earliest first.

    `copied_days` are the days on which it was only copied from an earlier note.
    """

    sightings: tuple[StatementSighting, ...]
    copied_days: frozenset[str] = frozenset()

    @property
    def latest(self) -> StatementSighting:
        """The current wording."""
        return self.sightings[-1]

    @property
    def days(self) -> list[str]:
        """The days on which it was noted; facts are not counted, as they come from notes."""
        days = {sighting.day for sighting in self.sightings if sighting.day and sighting.note_line}
        return sorted(days - self.copied_days)

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all its wordings; declining one wording declines the cluster."""
        return frozenset(id_of(sighting.text) for sighting in self.sightings)


def id_of(text: str) -> str:
    """Return an id that depends only on the words, not on their case, spacing or punctuation."""
    data = " ".join(words(text)).encode("utf-8", "surrogatepass")
    return f"grad-{blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()}"


def cluster_sightings(sightings: Iterable[StatementSighting]) -> list[Cluster]:
    """Group sightings of the same statement, in the order of their first sighting."""
    ordered = sorted(sightings, key=lambda sighting: (sighting.day or "", sighting.place))
    word_sets = [frozenset(words(sighting.text)) for sighting in ordered]

    def same(first: int, second: int) -> bool:
        return same_statement(word_sets[first], word_sets[second])

    groups = group_similar(word_sets, SIMILAR, same)
    copied_days_by_id = _copied_days(ordered)
    return [
        Cluster(
            tuple(ordered[index] for index in group),
            frozenset().union(
                *(copied_days_by_id.get(id_of(ordered[at].text), ()) for at in group)
            ),
        )
        for group in groups
    ]


def _copied_days(sightings: Iterable[StatementSighting]) -> dict[str, frozenset[str]]:
    """Return, by the id of each wording, the days on which it was probably copied.

    On such a day, the note and the previous note with this wording have other lines in common too:
    a person or an agent has copied a section from one note to the next.
    """
    ids_by_day: dict[str, set[str]] = defaultdict(set)
    days_by_id: dict[str, set[str]] = defaultdict(set)
    for sighting in sightings:
        if sighting.day and sighting.note_line:
            ids_by_day[sighting.day].add(id_of(sighting.text))
            days_by_id[id_of(sighting.text)].add(sighting.day)
    copied_days: dict[str, frozenset[str]] = {}
    for id_, days in days_by_id.items():
        copied_days[id_] = frozenset(
            later
            for earlier, later in pairwise(sorted(days))
            if len(ids_by_day[earlier] & ids_by_day[later]) >= _MIN_COPIED_LINES
        )
    return copied_days


@dataclass(frozen=True, slots=True)
class EntryUse:
    """How often an entry was read by its id or cited, and how often it was reinforced."""

    uses: int = 0
    reinforced: int = 0


def judge(cluster: Cluster, use: EntryUse, today: str) -> tuple[tuple[str, ...], str]:
    """Return the reasons why a cluster graduates; if there are none, why it does not."""
    text, category = cluster.latest.text, cluster.latest.category
    if refusal := _refusal(text, category):
        return (), refusal
    days, stability_reason = cluster.days, _stability_reason(cluster, today)
    confirmations = [
        *([_days_reason(days)] if len(days) >= _MIN_DAYS else []),
        *([f"read or cited {counted(use.uses, 'time')}"] if use.uses >= _MIN_USES else []),
        *([f"said again {use.reinforced} times"] if use.reinforced >= _MIN_USES else []),
        *([stability_reason] if stability_reason else []),
    ]
    if not confirmations and cluster.latest.standing:
        confirmations.append("says what is always or never wanted")
    if not confirmations:
        once = f"said once, on {days[0]}" if days else "a fact that was recorded once"
        return (), f"{once}; neither used nor said again"
    if category in STATED_AS:
        return (f"stated as {STATED_AS[category]}", *confirmations), ""
    if category == "insight" and len(days) >= _MIN_LESSON_DAYS and not _EVENT.search(text):
        return ("a lesson", *confirmations), ""
    return (), f"{confirmations[0]}, but it is not a rule, a preference or a decision"


def _refusal(text: str, category: Category) -> str | None:
    """Return why a statement never graduates; None if it may."""
    if category in _WHY_NEVER:
        return _WHY_NEVER[category]
    if _HEARTBEAT.search(text):
        return "is about a heartbeat, which is written automatically"
    if _IN_OWN_FILE.search(text):
        return "is about a file that every conversation loads, and may be in it already"
    if _QUOTED.match(text):
        return "is a line of a conversation"
    if category == "decision" and _UNDECIDED.search(text):
        return "says that nothing is decided"
    if _TIME.search(text) and category != "instruction":  # a rule may name an hour
        return "names a time of day: an appointment, or a line of a log"
    is_event = "event" in judge_statement(text, Place()).signals
    return "reports what was done" if is_event else None


def _days_reason(days: list[str]) -> str:
    first_days = ", ".join(days[:3]) + (" …" if len(days) > 3 else "")
    return f"said on {len(days)} days: {first_days}"


def _stability_reason(cluster: Cluster, today: str) -> str | None:
    """Return the reason if the statement was corrected and has long been unchanged since."""
    corrected_on = max(
        (sighting.corrected for sighting in cluster.sightings if sighting.corrected), default=None
    )
    if corrected_on is None:
        return None
    days = (date.fromisoformat(today) - date.fromisoformat(corrected_on)).days
    if days < _STABLE_DAYS:
        return None
    return f"corrected on {corrected_on}, and unchanged for {days} days since"
