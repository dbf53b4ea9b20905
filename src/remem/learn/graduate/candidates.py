"""Where was something said that could last? In the notes, day by day, and in the facts.

Which of these were said before? What says the same in nearly the same words is one thing.

Has something earned its place? It was stated on purpose, and time has borne it out.

A statement alone is not enough, nor is repetition of what passes: that is how noise gets in.
Each gate says what it saw, or what was missing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from math import ceil
from typing import Final

from remem.files.facts import Known
from remem.files.host_files import Found
from remem.files.layout import Layout
from remem.learn.graduate.result import STATED
from remem.learn.synthesize.pages import dated_notes, flushed_lines
from remem.model.entity import category_of
from remem.model.entry import Category
from remem.model.fact import Fact, chain
from remem.model.statement import Document, Statement
from remem.ports.models import Extractor
from remem.text.look_alike import substance_differs
from remem.text.marked_line import one_line
from remem.text.secrets.mask import redact
from remem.text.similarity import SIMILAR, overlap
from remem.text.untrusted import overrides
from remem.text.words import words

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
            for statement in extractor.extract(Document(note.path, note.text, today)).statements:
                if (
                    statement.noise is None
                    and statement.standing == "current"
                    and _can_stand(statement)
                ):
                    first = statement.lines[0]
                    text = one_line(_words_of(statement))
                    place = f"{note.path}#{_lines(statement)}"
                    yield Sighting(text, statement.category, place, day, line=(note.path, first))
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


_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Cluster:
    """All sightings of one thing, the earliest first."""

    sightings: tuple[Sighting, ...]

    @property
    def latest(self) -> Sighting:
        """The wording that counts now."""
        return self.sightings[-1]

    @property
    def days(self) -> list[str]:
        """On which it was noted; a fact is taken from what was noted, and counts no second time."""
        return sorted(
            {sighting.day for sighting in self.sightings if sighting.day and sighting.line}
        )

    @property
    def ids(self) -> frozenset[str]:
        """One for each wording: whoever declined one of them declined them all."""
        return frozenset(id_of(sighting.text) for sighting in self.sightings)


def id_of(text: str) -> str:
    """The same for the same words, whatever their case, spacing and punctuation."""
    told = " ".join(words(text)).encode("utf-8", "surrogatepass")
    return f"grad-{blake2b(told, digest_size=_DIGITS).hexdigest()}"


def clustered(sightings: Iterable[Sighting]) -> list[Cluster]:
    """In the order of the first sighting of each."""
    ordered = sorted(sightings, key=lambda each: (each.day or "", each.place))
    said = [frozenset(words(sighting.text)) for sighting in ordered]
    leaders: list[int] = []
    members: dict[int, list[int]] = {}
    holding: dict[str, list[int]] = defaultdict(list)
    common = Counter(word for each in said for word in each)
    for number, own in enumerate(said):
        rare = _rarest(own, common)
        nearby = dict.fromkeys(other for word in rare for other in holding[word])
        leader = next((number for number in nearby if _same(own, own)), None)
        if leader is None:
            leaders.append(number)
            members[number] = [number]
            for word in rare:
                holding[word].append(number)
        else:
            members[leader].append(number)
    return [Cluster(tuple(ordered[n] for n in members[leader])) for leader in leaders]


def _rarest(own: frozenset[str], common: Counter[str]) -> Sequence[str]:
    """So many of its rarest words that a similar text has one of them among its own."""
    order = sorted(own, key=lambda word: (common[word], word))
    return order[: len(order) - ceil(SIMILAR * len(order)) + 1]


def _same(own: frozenset[str], other: frozenset[str]) -> bool:
    return overlap(own, other) >= SIMILAR and not substance_differs(own, other)


_SEVERAL: Final = 2
_MANY: Final = 3
_USED: Final = 2
_STABLE_DAYS: Final = 14
_NEVER: Final[dict[Category, str]] = {
    "project": "tells how something stands, which passes",
    "person": "is about somebody, whose facts have a place of their own",
}
_TIME: Final = re.compile(r"\b\d{1,2}[:：]\d\d\b")
_OF_A_MACHINE: Final = re.compile(r"HEARTBEAT", re.IGNORECASE)
_TELLING_OF: Final = re.compile(r"\d|^\W*\w{1,3}了")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reasons` if it has earned its place, else `why_not`."""

    reasons: tuple[str, ...] = ()
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """How often the entry that says it was read by its id or cited, and told again."""

    uses: int = 0
    reinforced: int = 0


def judged(cluster: Cluster, kept: Kept, today: str) -> Verdict:
    text, category = cluster.latest.text, cluster.latest.category
    if category in _NEVER:
        return Verdict(why_not=_NEVER[category])
    if _OF_A_MACHINE.search(text):
        return Verdict(why_not="is about a heartbeat, which is a machine's")
    if _TIME.search(text) and category != "instruction":  # a rule may name an hour
        return Verdict(why_not="names a time of day: an appointment, or a line of a log")
    days, stable = cluster.days, _stable(cluster, today)
    borne_out = [
        *([_said_on(days)] if len(days) >= _SEVERAL else []),
        *([f"read or cited {kept.uses} times"] if kept.uses >= _USED else []),
        *([f"told again {kept.reinforced} times"] if kept.reinforced >= _USED else []),
        *([stable] if stable else []),
    ]
    if not borne_out:
        once = f"said once, on {days[0]}" if days else "a fact that was recorded once"
        return Verdict(why_not=f"{once}; neither used nor said again")
    stated = STATED.get(category)
    if stated is not None:
        return Verdict(reasons=(f"stated as {stated}", *borne_out))
    if category == "insight" and len(days) >= _MANY and not _TELLING_OF.search(text):
        return Verdict(reasons=("a lesson", *borne_out))
    return Verdict(why_not=f"{borne_out[0]}, but neither a rule, a preference nor a decision")


def _said_on(days: list[str]) -> str:
    shown = ", ".join(days[:3]) + (" …" if len(days) > 3 else "")
    return f"said on {len(days)} days: {shown}"


def _stable(cluster: Cluster, today: str) -> str | None:
    """Corrected, and left as it is since then."""
    corrected = max(
        (sighting.corrected for sighting in cluster.sightings if sighting.corrected), default=None
    )
    if corrected is None:
        return None
    days = (date.fromisoformat(today) - date.fromisoformat(corrected)).days
    if days < _STABLE_DAYS:
        return None
    return f"corrected on {corrected}, and unchanged for {days} days since"
