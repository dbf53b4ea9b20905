"""Where was something said that could last? In the notes, day by day, and in the facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from remem.core.entity import category_of
from remem.core.entry import Category
from remem.core.fact import Fact, chain
from remem.core.marked_line import one_line
from remem.core.overriding import overrides
from remem.core.secrets import redact
from remem.core.statement import Document, Statement
from remem.core.words import words
from remem.maintenance.synthesis.daily import dated_notes
from remem.maintenance.synthesis.flushed import flushed_lines
from remem.notes.audited import Found
from remem.notes.fact_files import Known
from remem.notes.layout import Layout
from remem.ports import Extractor

Tell = Callable[[str], None]

_FEWEST: Final = 4
_MOST: Final = 60
_ALONE: Final = 6
"""A line of so many words needs no heading to be understood."""
_LABEL: Final = re.compile(
    r"[*_\s]*(?:rule|preference|decision|lesson(?: learned)?|feedback|regel|vorliebe|entscheidung|"
    r"lektion|règle|préférence|décision|leçon|regla|preferencia|decisión|lección|правило|"
    r"предпочтение|решение|урок|规则|偏好|决策|决定|教训|ルール|好み|決定|教訓)[*_]*[:：][*_\s]*",
    re.IGNORECASE,
)
_DECIDED: Final = "Decided"
_LASTING: Final = ("Learned", _DECIDED)
_STATED: Final[dict[str, Category]] = {
    "preference": "preference",
    "decision": "decision",
    "rule": "instruction",
    "requirement": "instruction",
    "lesson": "insight",
    "pattern": "insight",
}


@dataclass(frozen=True, slots=True)
class Sighting:
    """Something that was said: where and when. `corrected` is the day on which it replaced what
    had been said before; `line` is where it stands in a note, for whoever looks up its entry."""

    text: str
    category: Category
    place: str
    day: str | None
    corrected: str | None = None
    line: tuple[str, int] | None = None


def in_notes(
    layout: Layout, extractor: Extractor, today: str, trouble: list[str], tell: Tell
) -> Iterator[Sighting]:
    """What the notes say that lasts; noise never gets this far."""
    for day, notes in sorted(dated_notes(layout, trouble).items()):
        for note in notes:
            tell(note.path)
            for each in extractor.extract(Document(note.path, note.text, today)).statements:
                if each.noise is None and each.standing == "current" and _can_stand(each):
                    first = each.lines[0]
                    text = one_line(_words_of(each))
                    place = f"{note.path}#{_lines(each)}"
                    yield Sighting(text, each.category, place, day, line=(note.path, first))
            yield from _in_flush(note, day, extractor, today)


def _in_flush(note: Found, day: str, extractor: Extractor, today: str) -> Iterator[Sighting]:
    """What conversations taught; each line is judged as if it stood alone."""
    for line in flushed_lines(note.text):
        if line.part not in _LASTING or not _fits(line.text):
            continue
        alone = Document(note.path, f"- {line.text}\n", today, curated=True)
        said = extractor.extract(alone).statements
        kind = "decision" if line.part == _DECIDED else said[0].category if said else None
        if kind is not None:
            place = f"{note.path}#L{line.number}"
            yield Sighting(one_line(line.text), kind, place, day, line=(note.path, line.number))


def in_facts(known: Known) -> Iterator[Sighting]:
    """The active facts; one that replaced another says since when."""
    for file in known.files:
        for fact in file.facts:
            if fact.active and _fits(fact.fact):
                kind = known.root(fact.entity).kind if fact.entity in known.entities else ""
                category = _STATED.get(fact.category.casefold()) or category_of(fact, kind)
                yield Sighting(
                    one_line(fact.fact),
                    category,
                    fact.place,
                    fact.day,
                    _corrected(fact, file.facts),
                )


def _corrected(fact: Fact, facts: tuple[Fact, ...]) -> str | None:
    return fact.day if len(chain(facts, fact.id)) > 1 else None


def _can_stand(each: Statement) -> bool:
    return "\n" not in each.content.strip() and _fits(each.content)


def _fits(text: str) -> bool:
    """Neither a word nor an essay, no question, nothing secret, and nothing that would talk an
    agent out of its rules."""
    said = text.strip()
    asks = said.endswith(("?", "？"))
    if asks or not _FEWEST <= len(words(said)) <= _MOST or overrides(said):
        return False
    return redact(said).text == said


def _words_of(each: Statement) -> str:
    """The line's own words, where they are enough: a day's headings say little about a rule."""
    own = each.content.removeprefix(f"{each.topic}: ") if each.topic else each.content
    return _LABEL.sub("", own if len(words(own)) >= _ALONE else each.content)


def _lines(each: Statement) -> str:
    first, last = each.lines[0], each.lines[-1]
    return f"L{first}" if first == last else f"L{first}-L{last}"
