"""Which statements of the owner's files the index shows, and in which order they are added.

Statements are added by worth until the page is full. A list of rules is one group: it is added as a
whole, in fewer words if necessary, or not at all, because half a list of rules misleads more than
none. A list with a prohibition comes before the rest of its section, so that what is allowed is not
shown without what is forbidden. Of every project, the first line comes before details.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from remem.entries.index_evidence import RULES
from remem.entries.index_lines import Line, section_order
from remem.entries.index_page import Page
from remem.entries.index_wording import LONG_LINE, SHORT_LINE, max_length
from remem.extract.headings import names_projects
from remem.extract.judge import judge
from remem.extract.signals import count_labels, label_of
from remem.fast_dataclass import dataclass
from remem.model.entry import Entry
from remem.model.statement import Place

_MAX_STATED: Final = 600
_MIN_WORTH: Final = -2.0
_CRITICAL: Final = 3.0
_PROJECT: Final = 3.0
_LONGER: Final = 0.5
"""What a line of full length loses in worth, because two short ones would fit in its place."""

_LATER: Final = 0.05
_MAX_LATER: Final = 20
"""What each line of a section loses in worth for every line above it, so that a long section does
not take the place of all others."""

_CONTINUES: Final = 1.5
_NEVER: Final = 100.0
"""What a later sentence of a long statement loses in worth, unless it is a rule: a little if there
is room for long lines."""

_KEPT: Final = 100.0
"""What somebody decided to keep in the index comes before everything that is only judged."""

_RULES: Final = frozenset({"rule", "label_instruction", "emphasis", "advice", "prohibition"})
_LIST_SHARE: Final = 0.5
"""A section is a list of rules if at least this share of its lines are rules."""
_MAX_GROUP: Final = 8


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line of a statement, its worth, and the position of the statement in the files."""

    entry: Entry
    line: Line
    at: int
    number: int
    worth: float
    signals: frozenset[str]
    reasons: tuple[str, ...]

    @property
    def is_judged(self) -> bool:
        """Whether its worth decides, rather than somebody who wants to keep it."""
        return abs(self.worth) < _KEPT / 2

    @property
    def is_rule(self) -> bool:
        return self.is_judged and not self.signals.isdisjoint(_RULES)


@dataclass(frozen=True, slots=True)
class Group:
    """Lines that are added together, and what they are worth."""

    lines: Sequence[Candidate]
    worth: float

    @property
    def order(self) -> tuple[float, int, int]:
        return -self.worth, self.lines[0].at, self.lines[0].number


def groups_of(page: Page, stated: Sequence[Entry], bonus: Mapping[str, float]) -> list[Group]:
    """The groups of lines that may be shown, best first. `bonus` is added to the worth of
    statements, given by their ids."""
    sections: dict[str | None, dict[str, list[Candidate]]] = {}
    for candidate in _candidates(page, stated, bonus):
        lists = sections.setdefault(candidate.entry.context, {})
        lists.setdefault(page.sections[candidate.entry.id].label, []).append(candidate)
    groups = (
        group
        for lists in sections.values()
        for lines in lists.values()
        for group in _groups_in(lines, _best_of(lists))
    )
    worthy = [group for group in groups if group.worth >= _MIN_WORTH]
    return sorted(worthy, key=lambda group: group.order)


def _best_of(lists: Mapping[str, Sequence[Candidate]]) -> float:
    """The worth of the best line in a section that is not a rule."""
    others = (line for lines in lists.values() for line in lines if not line.is_rule)
    return max((line.worth for line in others if line.is_judged), default=_MIN_WORTH)


def _groups_in(lines: Sequence[Candidate], best: float) -> Iterator[Group]:
    """Divide a list into groups: its rules, if most of its lines are rules, and single lines. Rules
    with a prohibition are worth at least as much as the `best` of the other lines around them."""
    rules = [line for line in lines if line.is_rule]
    is_list = len(rules) >= _LIST_SHARE * len(lines)
    for start in range(0, len(rules), size := _MAX_GROUP if is_list else 1):
        group = rules[start : start + size]
        worth = sum(line.worth for line in group) / len(group)
        forbids = any("prohibition" in line.signals for line in group)
        yield Group(group, max(worth, best) if forbids else worth)
    for line in lines:
        if not line.is_rule:
            yield Group([line], line.worth)


def _candidates(
    page: Page, stated: Sequence[Entry], bonus: Mapping[str, float]
) -> Iterator[Candidate]:
    order = sorted(range(len(stated)), key=lambda at: _rank(stated[at]))[:_MAX_STATED]
    alike = count_labels(
        (line.source, page.sections[stated[at].id].headings)
        for at in order
        for line in page.lines_of(stated[at])
    )
    above: Counter[str | None] = Counter()
    for at in sorted(order):
        entry = stated[at]
        headings = page.sections[entry.id].headings
        begins = _begins_project(headings, is_first=not above[entry.context])
        extra = {
            "is marked as critical": _CRITICAL if entry.priority == "critical" else 0.0,
            "is at the beginning of the file": bonus.get(entry.id, 0.0),
            "is the first line about a project": _PROJECT if begins else 0.0,
        }
        more = tuple(reason for reason, worth in extra.items() if worth)
        for number, line in enumerate(page.lines_of(entry)):
            same = alike.get(label_of(line.source), 1)
            labels = (line.lead,) if line.continues else ()
            path = entry.origins[0].source if entry.origins else ""
            place = Place(path, headings, labels, at / len(stated), same)
            judged = judge(line.source or line.text, place)
            worth = judged.worth - _cost_of(line, judged.signals, page.length) + sum(extra.values())
            worth -= _LATER * min(above[entry.context] + number, _MAX_LATER)
            if page.choices.keeps_line(entry.id, line.key):
                worth += _KEPT
            reasons = more + judged.reasons
            yield Candidate(entry, line, at, number, worth, judged.signals, reasons)
        above[entry.context] += len(page.lines_of(entry))


def _cost_of(line: Line, signals: frozenset[str], length: int) -> float:
    cost = _LONGER * len(line.text) / max_length(line.text, SHORT_LINE)
    if line.continues and signals.isdisjoint(RULES):
        cost += _CONTINUES if length == LONG_LINE else _NEVER
    return cost


def _begins_project(headings: Sequence[str], *, is_first: bool) -> bool:
    """Whether a statement is the first one about a project: an item directly below a heading that
    announces projects, or the beginning of a section below it."""
    if not any(map(names_projects, headings)):
        return False
    return is_first or names_projects(headings[-1])


def _rank(stated: Entry) -> tuple[bool, int]:
    return stated.priority not in ("critical", "high"), section_order(stated.context or "") or 0
