"""The index: the text that every conversation starts with.

It is made from entries alone: critical ones first, then the latest stored ones, then the owner's
statements of USER.md and MEMORY.md below their headings, then those of the pages in `memory/` if
there is room, within a token budget. The same entries give the same bytes, and what does not fit is
counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from remem.entries.index_evidence import latest_of_notes, shown_as, stated_on_pages
from remem.entries.index_headings import IndexSection, place_of, places_in, sections_of
from remem.entries.index_lines import MIGRATED_SOURCE, lines_of, section_order
from remem.entries.index_loaded import HostLoadedStatements
from remem.entries.index_page import DONE, IndexPage
from remem.entries.index_sections import (
    CHANNEL,
    channels_section,
    count_entries,
    domains_section,
    is_channel,
    is_foreign,
)
from remem.entries.index_selection import (
    Group,
    IndexCandidate,
    SelectionBonus,
    critical_sections,
    groups_of,
)
from remem.entries.index_shown import IndexLine, ShownLine
from remem.entries.index_tokens import CautiousCounter
from remem.entries.index_wording import LONG_LINE, SHORT_LINE, breaks_off, shortened
from remem.entries.verdicts import index_choices
from remem.fast_dataclass import dataclass
from remem.model.entry import CATEGORIES, Category, Entry
from remem.model.host_loading import CURATED_FILES
from remem.ports.records import Where
from remem.text.labels import label
from remem.text.language import language_of_long_text

if TYPE_CHECKING:
    from remem.model.verdict import IndexChoices
    from remem.ports.entries import Snapshot
    from remem.ports.models import TokenCounter

MAX_INDEX_TOKENS: Final = 2000
_STORED: Final[tuple[Category, ...]] = ("instruction", "preference", "person", "project")
_OWNERS: Final[tuple[Category, ...]] = ("fact", "decision", "insight")
"""In these categories, the index shows only what the owner stored; recall finds the rest."""

_MAX_ENTRIES: Final = 80
_MAX_STORED: Final = 20
_MAX_LEFT_OUT: Final = 50
_MAX_LONG_LINES: Final = 150
_NEUTRAL: Final = SelectionBonus()
_MIN_TOKENS: Final = 20
"""Tokens that a line needs; if fewer are left, no more entries are read."""

_MIN_PAGES, _MIN_FILLING = 0.5, -0.5
"""What lines of pages must be worth, because somebody keeps these files, but not for every
conversation; the second value is for lines that fill room that is left in the end."""

_MAX_MISSES: Final = 20
"""Stop after this many consecutive statements that do not fit."""

_CRITICAL_SHARE: Final = 0.5
_STORED_SHARE: Final = 0.25
_CHANNELS_SHARE: Final = 0.15
_PROJECTS_SHARE: Final = 0.2
_FIRST_SHARE: Final = 0.9
_NOTES_SHARE: Final = 0.08
"""The shares of the budget. Unused shares are passed on; critical and stored entries that did not
fit in their share are added last, if there is room."""

_RESERVE: Final = 8
"""Tokens for blank lines and headings that an empty page does not have."""


@dataclass(frozen=True, slots=True)
class Index:
    """The text that is always loaded, its tokens, its lines, and the ids of their entries.

    `pins_left_out` are pinned entries that did not fit; `left_out` are the other lines that did
    not fit, best first. `line_length` is about how many characters a line may have.
    """

    text: str
    tokens: int
    lines: tuple[IndexLine, ...] = ()
    pins_left_out: tuple[str, ...] = ()
    left_out: tuple[IndexLine, ...] = ()
    line_length: int = LONG_LINE

    @property
    def entries(self) -> frozenset[str]:
        return frozenset(line.entry for line in self.lines)


def make_index(snapshot: Snapshot, counter: TokenCounter, target: int) -> Index:
    """Make the index of a scope's entries, in at most `target` tokens however a host counts them.

    Lines are long if everything fits; otherwise they are shortened, so that more of them fit.
    """
    index = _make(snapshot, CautiousCounter(counter), target)
    return replace(index, tokens=counter.count(index.text))


def _make(snapshot: Snapshot, counter: TokenCounter, target: int) -> Index:
    statements = [
        entry for file in CURATED_FILES for entry in _stated_in(snapshot, file) if _is_worth(entry)
    ]
    pages = [entry for entry in stated_on_pages(snapshot) if _is_worth(entry)]
    if len(statements) <= _MAX_LONG_LINES:
        index, complete = _fill(snapshot, counter, target, statements, LONG_LINE, pages=pages)
        if complete:
            return index
    index, _ = _fill(snapshot, counter, target, statements, SHORT_LINE, pages=pages)
    loaded = HostLoadedStatements.select(statements, counter, target)
    most = loaded.worth_in(index.text)
    for bonus in loaded.bonuses():
        if most >= loaded.required_worth:
            break
        other, _ = _fill(
            snapshot, counter, target, statements, SHORT_LINE, pages=pages, bonus=bonus
        )
        if (worth := loaded.worth_in(other.text)) > most:
            index, most = other, worth
    return index


def _fill(
    snapshot: Snapshot,
    counter: TokenCounter,
    target: int,
    statements: Sequence[Entry],
    length: int,
    *,
    pages: Sequence[Entry],
    bonus: SelectionBonus = _NEUTRAL,
) -> tuple[Index, bool]:
    """Make the index with lines of at most `length` characters; return whether all of them fit."""
    choices = index_choices(snapshot)
    notes, earlier = latest_of_notes(snapshot)
    learned = [*notes, *earlier]
    language = language_of_long_text("\n".join(entry.content for entry in learned))
    recent = IndexSection("notes", (label("recent_days", language),))
    standing = IndexSection("notes", (label("rules", language),))
    page = IndexPage(
        counter,
        channels=channels_section(snapshot, counter, int(target * _CHANNELS_SHARE)),
        domains=domains_section(snapshot),
        critical=_count_stored(snapshot, Where(priority="critical"))
        - _count_stored(snapshot, Where(priority="critical", tag=CHANNEL)),
        projects=_count_stored(snapshot, Where(category="project", without_tag=DONE)),
        unshown_ids={statement.id for statement in statements if lines_of(statement)},
        choices=choices,
        length=length,
        sections=sections_of([*statements, *pages])
        | dict.fromkeys(map(place_of, earlier), standing)
        | dict.fromkeys(map(place_of, notes), recent),
    )
    budget = target - counter.count(page.text()) - _RESERVE
    critical, stored = _critical(snapshot), _stored(snapshot)
    pinned = [entry for entry in snapshot.find(choices.pins).values() if entry.live]
    in_order = sorted(pinned, key=lambda entry: choices.pins[entry.id].number)
    for entry in in_order:
        page.add_pinned(entry, budget)
    page.add_all(0, critical, int(budget * _CRITICAL_SHARE), "is marked as critical")
    page.add_all(1, stored, page.used + int(budget * _STORED_SHARE), "was stored recently")
    unfitting, rejected = _add_statements(page, statements, learned[: bonus.notes], budget, bonus)
    page.add_all(2, critical, budget, "is marked as critical")
    if budget - page.used >= _MIN_TOKENS:
        page.add_all(3, _more_stored(snapshot), budget, "was stored, and there is room for it")
    page.lengthen(target)
    if budget - page.used >= _MIN_TOKENS:
        _add_pages(page, pages, budget, _MIN_PAGES)
        page.add_all(4, learned[bonus.notes :], budget, "is from a note, and there is room for it")
        _add_pages(page, pages, budget, _MIN_FILLING)
    _add_rejected(page, rejected, target)
    page.describe_domains(domains_section(snapshot, tags=True), target)
    text, tokens = page.fit_to(target)
    pins_left_out = tuple(entry.id for entry in pinned if entry.id not in page.entries)
    left_out = map(_left_out, [*unfitting, *rejected][:_MAX_LEFT_OUT])
    omitted = (*left_out, *_dropped(snapshot, choices))
    return Index(text, tokens, tuple(page.lines), pins_left_out, omitted, length), not unfitting


def _count_stored(snapshot: Snapshot, where: Where) -> int:
    return count_entries(snapshot, replace(where, excluded_source=MIGRATED_SOURCE))


def _dropped(snapshot: Snapshot, choices: IndexChoices) -> Iterator[IndexLine]:
    """Yield the lines that verdicts have dropped permanently, each with its verdict."""
    entries = snapshot.find([id_ for id_, _line in choices.drops])
    for id_, line in choices.drops:
        reason = choices.explain(id_, line)
        if id_ in entries and reason:
            text = f"- {shortened(entries[id_].content)}"
            yield IndexLine(id_, text, 0, line is None, "", (reason,))


def _stated_in(snapshot: Snapshot, file: str) -> list[Entry]:
    """Return the owner's statements in a file, in the order of its lines."""
    entries = snapshot.select(Where(trust="owner", from_source=file), "position")
    places = [place for entry in entries for place in places_in(file, entry)]
    return sorted(places, key=lambda entry: entry.origins[0].position or 0)


def _add_statements(
    page: IndexPage,
    statements: Sequence[Entry],
    notes: Sequence[Entry],
    budget: int,
    bonus: SelectionBonus,
) -> tuple[list[IndexCandidate], list[IndexCandidate]]:
    """Add the statements in the owner's files, the best first; return those that are left over.

    The text shows them in the order of the files. The first list has those that did not fit, the
    second those that are worth too little. Projects get their share first. Some room is left for
    the latest of the notes, and after them for lists that lack little.
    """
    groups, rejected = groups_of(page, statements, bonus)
    page.lists.update(_omitted_procedures(page, rejected))
    for group in groups:
        page.lists[group.section] = page.lists.get(group.section, 0) + len(group.lines)
    page.context.update({group.section for group in groups} - critical_sections(groups))
    projects = [group for group in groups if group.is_project]
    omitted = _add_groups(page, projects, page.used + int(budget * _PROJECTS_SHARE))
    others = [group for group in groups if not group.is_project or group in omitted]
    omitted = _add_groups(page, others, int(budget * _FIRST_SHARE))
    page.add_all(4, notes, page.used + int(budget * _NOTES_SHARE), "is from one of the last notes")
    omitted.sort(key=lambda group: (page.missing_in(group.section), group.order))
    omitted = _add_groups(page, omitted, budget)
    omitted.sort(key=lambda group: group.order)
    return [line for group in omitted for line in group.lines], rejected


def _omitted_procedures(
    page: IndexPage, rejected: Sequence[IndexCandidate]
) -> Counter[IndexSection]:
    """Count the steps of procedures that are not shown, so that the page can name them."""
    sections = (page.section_of(line.entry) for line in rejected if not line.line.continues)
    return Counter(section for section in sections if section and section.is_procedure)


def _left_out(candidate: IndexCandidate) -> IndexLine:
    line = candidate.line
    return IndexLine(candidate.entry.id, f"- {line.text}", line.key, reasons=candidate.reasons)


def _add_rejected(page: IndexPage, candidates: Sequence[IndexCandidate], target: int) -> None:
    """Add lines that are worth only room that is left.

    The rest of statements that are shown comes first, then lines of USER.md, then the others.
    """
    shown = page.entries
    filling = [line for line in candidates if line.fills and not breaks_off(line.line.text)]
    filling.sort(key=lambda line: (line.entry.id not in shown, -line.worth, line.at, line.number))
    for candidate in filling:
        section = page.section_of(candidate.entry)
        if section is None or not section.is_procedure:
            page.add_if_room(_shown(page, candidate, section in page.context), target)


def _add_pages(page: IndexPage, statements: Sequence[Entry], budget: int, least: float) -> None:
    """Add the statements of the pages in `memory/` that are worth at least so much."""
    found, _ = groups_of(page, statements, _NEUTRAL)
    groups = [group for group in found if group.worth >= least]
    page.context.update({group.section for group in groups} - critical_sections(groups))
    _add_groups(page, groups, budget)


def _add_groups(page: IndexPage, groups: Sequence[Group], budget: int) -> list[Group]:
    """Add groups as long as there is room. Return those that did not fit."""
    misses, omitted_groups = 0, list[Group]()
    for group in groups:
        is_context = group.section in page.context
        shown_lines = [_shown(page, line, is_context) for line in group.lines]
        if is_context and page.length == SHORT_LINE:
            shown_lines = [line.in_short for line in shown_lines]
        if misses < _MAX_MISSES and page.add_group(shown_lines, budget, is_whole=group.is_whole):
            page.unshown_ids.difference_update(line.entry.id for line in group.lines)
            misses = 0
        else:
            misses += 1
            omitted_groups.append(group)
    return omitted_groups


def _shown(page: IndexPage, candidate: IndexCandidate, is_context: bool) -> ShownLine:
    entry = candidate.entry
    place = page.place_of(entry, (0, 0), candidate.number)
    kind = shown_as(entry, candidate.signals)
    return ShownLine(place, candidate.line, entry, candidate.reasons, kind, is_context)


def _is_worth(statement: Entry) -> bool:
    """Return whether a statement may be shown.

    Status and log lines, which have low priority, and lines of finished sections are not.
    """
    if statement.priority == "low" or is_channel(statement):
        return False
    return section_order(statement.context or "") is not None


def _critical(snapshot: Snapshot) -> list[Entry]:
    """Critical entries: the owner's first, and stored entries before statements from files."""
    entries = snapshot.select(Where(priority="critical"), "latest", _MAX_ENTRIES)
    return sorted(
        (entry for entry in entries if entry.source != MIGRATED_SOURCE and not is_channel(entry)),
        key=lambda entry: (entry.trust != "owner", CATEGORIES.index(entry.category)),
    )


def _stored(snapshot: Snapshot) -> list[Entry]:
    """Return the latest stored (not migrated) entries: the owner's, then those of high priority."""
    entries = [entry for kind in _STORED for entry in _latest(snapshot, kind, _MAX_STORED)]
    return sorted(entries, key=lambda entry: (entry.trust != "owner", entry.priority != "high"))


def _more_stored(snapshot: Snapshot) -> Iterator[Entry]:
    """More stored entries, category by category."""
    for kind in _STORED:
        yield from _latest(snapshot, kind, _MAX_ENTRIES)
    for kind in _OWNERS:
        for entry in _latest(snapshot, kind, _MAX_ENTRIES):
            if entry.trust == "owner":
                yield entry


def _latest(snapshot: Snapshot, category: Category, limit: int) -> list[Entry]:
    where = Where(category=category, without_tag=DONE, excluded_source=MIGRATED_SOURCE)
    entries = snapshot.select(where, "latest", limit)
    return [
        entry
        for entry in entries
        if entry.priority != "low" and not is_channel(entry) and not is_foreign(entry)
    ]
