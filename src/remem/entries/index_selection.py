"""Which statements of the owner's files the index shows, and in which order they are added.

The lines below one heading, or below the text that introduces them, are a list. A list is added
as a whole, in fewer words if necessary, or not at all: half a procedure misleads more than none,
and so does a permission without its prohibition. Only of a long list, single lines are added, the
best first. Of every project, the first line comes before details.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import filterfalse
from typing import Final

from remem.entries.index_among_others import (
    begins_project,
    chosen_of_biographies,
    latest_decisions,
    rank,
    replaced,
)
from remem.entries.index_evidence import RULES
from remem.entries.index_headings import IndexSection, place_of
from remem.entries.index_lines import EntryLine
from remem.entries.index_page import IndexPage
from remem.entries.index_wording import LONG_LINE, SHORT_LINE, breaks_off, max_length
from remem.extract.headings import announced_kind, names_projects
from remem.extract.judge import judge
from remem.extract.signals import count_labels, label_of
from remem.fast_dataclass import dataclass
from remem.model.entry import Entry
from remem.model.statement import Place

_MAX_STATED: Final = 600
_MIN_WORTH: Final = -2.0
_MIN_DATED: Final = 0.0
"""What a line must be worth in general, and in the section of a day, which is mostly a log."""

_MIN_FILLING: Final = -3.0
"""What a line must be worth without the costs of its length and its place to fill room."""

_OF_A_DAY: Final = ("dated_section", "stamped_section", "promoted", "event", "status", "past_day")

_STANDING: Final = RULES | {"schedule", "identity", "person", "active"}
"""Signals of lines that hold even if the heading above them has a date."""

_CRITICAL: Final = 3.0
_PROJECT: Final = 3.0
_BIOGRAPHY: Final = 2.0
"""What one line of each part of a biography gains: the one that holds today, or the first."""

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

_MAX_WHOLE: Final = 8
"""Lines of the longest list that is added as a whole."""

_MIN_SIBLING: Final = -4.0
"""What a line of a short list with rules must be worth if most of the other lines may be shown."""

_IN_LIST: Final = 0.5
"""What a list is worth less than its best stressed rule, at the most."""

_RULES: Final = frozenset({"rule", "label_instruction", "emphasis", "advice", "prohibition"})
_STRESS: Final = frozenset({"emphasis", "bold", "label_instruction"})
_CRITICAL_SIGNALS: Final = _RULES | {"preference", "label_preference", "identity", "person"}
_ABOUT_THINGS: Final = frozenset({"technical", "under_insight", "under_fact", "biography"})
_EXPLICIT: Final = frozenset(
    {"addressed", "prohibition", "label_instruction", "label_preference", "identity"}
)
_CRITICAL_KINDS: Final = ("instruction", "preference", "person")


@dataclass(frozen=True, slots=True)
class SelectionBonus:
    """Preferences in addition to the worth of lines.

    `length` is what a line of full length loses in worth, because two short ones would fit in its
    place; `beginning` is what the statements with `first_ids` gain. `notes` is the number of lines
    for the latest of the notes.
    """

    length: float = 0.5
    beginning: float = 0.0
    notes: int = 4
    first_ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class IndexCandidate:
    """A line of a statement, its worth, and the position of the statement in the files.

    `is_worth` says that it may be shown, `fills` that it may only fill room that is left. The
    first line about a project may be long.
    """

    entry: Entry
    line: EntryLine
    at: int
    number: int
    worth: float
    signals: frozenset[str]
    reasons: tuple[str, ...]
    is_worth: bool
    fills: bool = False

    @property
    def is_judged(self) -> bool:
        """Whether its worth decides, rather than somebody who wants to keep it."""
        return abs(self.worth) < _KEPT / 2

    @property
    def is_rule(self) -> bool:
        return self.is_judged and not self.signals.isdisjoint(_RULES)

    @property
    def is_stressed(self) -> bool:
        """Whether it says what must or must not be done, and does so with emphasis."""
        return "prohibition" in self.signals or (
            "rule" in self.signals and not self.signals.isdisjoint(_STRESS)
        )


@dataclass(frozen=True, slots=True)
class Group:
    """Lines of a list that are added together, and what they are worth."""

    section: IndexSection
    lines: Sequence[IndexCandidate]
    worth: float

    @property
    def order(self) -> tuple[float, int, int]:
        return -self.worth, self.lines[0].at, self.lines[0].number

    @property
    def is_project(self) -> bool:
        return any(map(names_projects, self.section.headings))

    @property
    def is_whole(self) -> bool:
        """Whether it is a list of rules or steps, none of which may be missing."""
        has_rules = any(line.is_rule for line in self.lines)
        return len(self.lines) > 1 and (has_rules or self.section.is_procedure)


def groups_of(
    page: IndexPage, statements: Sequence[Entry], bonus: SelectionBonus
) -> tuple[list[Group], list[IndexCandidate]]:
    """Return the groups of lines that may be shown, and the lines that are worth too little.

    Both are sorted, best first.
    """
    lists: dict[IndexSection, list[IndexCandidate]] = {}
    for candidate in _candidates(page, statements, bonus):
        lists.setdefault(page.sections[place_of(candidate.entry)], []).append(candidate)
    groups, rejected = list[Group](), list[IndexCandidate]()
    for section, lines in lists.items():
        may_be_shown = _may_be_shown(section, lines)
        groups += _groups_in(section, list(filter(may_be_shown, lines)))
        rejected += filterfalse(may_be_shown, lines)
    groups.sort(key=lambda group: group.order)
    return groups, sorted(rejected, key=lambda candidate: -candidate.worth)


def _may_be_shown(
    section: IndexSection, lines: Sequence[IndexCandidate]
) -> Callable[[IndexCandidate], bool]:
    """Return which lines of a list may be shown.

    If most of them are worth it, none is missing of a short list with rules. If most are not, only
    rules are, so that the page has no remains of lists; and of a procedure nothing.
    """
    first_parts = [line for line in lines if not line.line.continues]
    is_mostly_worth = 2 * sum(line.is_worth for line in first_parts) >= len(first_parts)
    if _is_biography(lines):
        return lambda line: line.is_worth
    if section.is_procedure and not is_mostly_worth:
        return lambda line: line.is_worth and not line.is_judged
    if not is_mostly_worth:
        return lambda line: line.is_worth and (line.is_rule or not line.is_judged)
    if _is_whole(section, lines) and any(line.is_rule for line in lines):
        return lambda line: line.is_worth or line.worth >= _MIN_SIBLING
    return lambda line: line.is_worth


def critical_sections(groups: Sequence[Group]) -> set[IndexSection]:
    """Return the sections about rules, wishes and people; the others are their context.

    Sections of one section stay together, unless the heading of one of them announces rules, or
    all of its lines are rules.
    """
    families: dict[tuple[str, ...], list[bool]] = {}
    sections: dict[IndexSection, list[bool]] = {}
    for group in groups:
        critical = list(map(_is_critical, group.lines))
        families.setdefault((group.section.file, *group.section.titles[:1]), []).extend(critical)
        sections.setdefault(group.section, []).extend(critical)
    return {
        section
        for section, critical in sections.items()
        if not section.titles
        or all(critical)
        or 2 * sum(family := families[section.file, section.titles[0]]) >= len(family)
        or any(announced_kind(title) in _CRITICAL_KINDS for title in section.titles)
    }


def _is_critical(line: IndexCandidate) -> bool:
    """Return whether a line states a rule or a wish, or is about a person.

    Settings, procedures and lessons often use the same words, so that they need emphasis, a label
    or an imperative.
    """
    if line.signals.isdisjoint(_ABOUT_THINGS):
        return not line.signals.isdisjoint(_CRITICAL_SIGNALS)
    return line.signals >= {"rule", "emphasis"} or not line.signals.isdisjoint(_EXPLICIT)


def _is_biography(lines: Sequence[IndexCandidate]) -> bool:
    return any("biography" in line.signals for line in lines)


def _is_whole(section: IndexSection, lines: Sequence[IndexCandidate]) -> bool:
    """Whether a list is added as a whole: a short one, and any procedure."""
    return len(lines) <= _MAX_WHOLE or section.is_procedure


def _groups_in(section: IndexSection, lines: Sequence[IndexCandidate]) -> Iterator[Group]:
    """Divide a list into groups: a short one is one group, of a long one every line is."""
    judged = [line for line in lines if line.is_judged]
    is_whole = _is_whole(section, judged) and not _is_biography(lines)
    if judged and is_whole:
        mean = sum(line.worth for line in judged) / len(judged)
        stressed = [line.worth - _IN_LIST for line in judged if line.is_stressed]
        yield Group(section, judged, max([mean, *stressed]))
    for line in lines:
        if not (is_whole and line.is_judged):
            yield Group(section, [line], line.worth)


def _candidates(
    page: IndexPage, statements: Sequence[Entry], bonus: SelectionBonus
) -> Iterator[IndexCandidate]:
    order = sorted(range(len(statements)), key=lambda at: rank(statements[at]))[:_MAX_STATED]
    alike = count_labels(
        (line.source, page.sections[place_of(statements[at])].headings)
        for at in order
        for line in page.lines_of(statements[at])
    )
    above: Counter[str | None] = Counter()
    first_ids, decided = bonus.first_ids, latest_decisions(statements)
    biography = chosen_of_biographies(statements)
    outdated = set(replaced(statements))
    for at in sorted(set(order) - outdated):
        entry = statements[at]
        section = page.sections[place_of(entry)]
        headings = section.headings
        begins = begins_project(headings, is_first=not above[entry.context])
        extra = {
            "is marked as critical": _CRITICAL if entry.priority == "critical" else 0.0,
            "is at the beginning of the file": bonus.beginning if entry.id in first_ids else 0.0,
            "is one of the latest decisions": max(decided.get(entry.id, 0.0), 0.0),
            "but there are later decisions": min(decided.get(entry.id, 0.0), 0.0),
            "says the most of its part of a biography": _BIOGRAPHY if at in biography else 0.0,
        }
        more = tuple(reason for reason, worth in extra.items() if worth)
        for number, line in enumerate(page.lines_of(entry)):
            same = alike.get(label_of(line.source), 1)
            labels = (line.lead,) if line.continues else ()
            path = entry.origins[0].source if entry.origins else ""
            place = Place(path, headings, labels, at / len(statements), same)
            texts = section.with_and_without_label(line.source or line.text)
            judged = max((judge(text, place) for text in texts), key=lambda one: one.worth)
            is_first_line = begins and not number
            worth = judged.worth + sum(extra.values()) - _cost_of(line, judged.signals, page.length)
            if is_first_line:
                worth += _PROJECT
            is_kept = page.choices.keeps_line(entry.id, line.key)
            worth -= _LATER * min(above[entry.context] + number, _MAX_LATER)
            if is_kept:
                worth += _KEPT
            size = len(line.text) / max_length(line.text, SHORT_LINE)
            least = _MIN_DATED if _is_of_a_day(judged.signals) else _MIN_WORTH
            preferred = 0.0 if is_first_line else bonus.length * size
            is_worth = worth - preferred >= least and (is_kept or not breaks_off(line.text))
            worth -= bonus.length * size
            first = ("is the first line about a project",) if is_first_line else ()
            reasons = more + first + judged.reasons
            fills = judged.worth >= _MIN_FILLING and judged.signals.isdisjoint(_OF_A_DAY)
            yield IndexCandidate(
                entry, line, at, number, worth, judged.signals, reasons, is_worth, fills
            )
        above[entry.context] += len(page.lines_of(entry))


def _is_of_a_day(signals: frozenset[str]) -> bool:
    """Whether a line reports what happened on a day, as far as its section tells."""
    return "dated_section" in signals or (
        "stamped_section" in signals and signals.isdisjoint(_STANDING)
    )


def _cost_of(line: EntryLine, signals: frozenset[str], length: int) -> float:
    if line.continues and signals.isdisjoint(RULES):
        return _CONTINUES if length == LONG_LINE else _NEVER
    return 0.0
