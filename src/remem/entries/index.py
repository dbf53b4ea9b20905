"""The index: the text that every conversation starts with.

It is made from entries alone: critical ones first, then the latest stored ones, then the owner's
statements of USER.md and MEMORY.md below their headings, within a token budget. The same entries
give the same bytes, and what does not fit is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from remem.entries.index_evidence import rules_of_notes, shown_as
from remem.entries.index_headings import Section, sections_of
from remem.entries.index_lines import MIGRATED_SOURCE, section_order
from remem.entries.index_page import DONE, IndexLine, Page, Shown
from remem.entries.index_sections import (
    CHANNEL,
    channels_section,
    count_entries,
    domains_section,
    is_channel,
    is_foreign,
)
from remem.entries.index_selection import Candidate, groups_of
from remem.entries.index_wording import LONG_LINE, SHORT_LINE, shortened
from remem.entries.verdicts import index_choices
from remem.extract.judge import judge
from remem.fast_dataclass import dataclass
from remem.model.entry import CATEGORIES, Category, Entry, headings_in
from remem.model.loaded_statements import LoadedText
from remem.model.statement import Place
from remem.ports.records import Where

if TYPE_CHECKING:
    from remem.model.verdict import IndexChoices
    from remem.ports.entries import Snapshot
    from remem.ports.models import TokenCounter

MAX_INDEX_TOKENS: Final = 2000
_FILES: Final = ("USER.md", "MEMORY.md")
_STORED: Final[tuple[Category, ...]] = ("instruction", "preference", "person", "project")
_OWNERS: Final[tuple[Category, ...]] = ("fact", "decision", "insight")
"""In these categories, the index shows only what the owner stored; recall finds the rest."""

_MAX_ENTRIES: Final = 80
_MAX_STORED: Final = 20
_MAX_LEFT_OUT: Final = 50
_MAX_LONG_LINES: Final = 150
_HEAD_BONUSES: Final = (1.0, 2.0, 4.0)
"""A conversation must not start with fewer of the owner's statements than if the files were cut off
at the size of the index. As long as it does, the statements at their beginning get more worth."""

_NOTES: Final = Section("notes", ("From daily notes",))
_BULLET_TOKENS: Final = 2
_MIN_TOKENS: Final = 20
"""Tokens that a line needs; if fewer are left, no more entries are read."""

_MAX_MISSES: Final = 20
"""Stop after this many consecutive statements that do not fit."""

_CRITICAL_SHARE: Final = 0.5
_STORED_SHARE: Final = 0.25
_CHANNELS_SHARE: Final = 0.15
"""The shares of the budget. Unused shares are passed on; critical and stored entries that did not
fit in their share are added last, if there is room."""

_RESERVE: Final = 8
"""Tokens for blank lines and headings that an empty page does not have."""


@dataclass(frozen=True, slots=True)
class Index:
    """The text that is always loaded, its tokens, its lines, and the ids of their entries.

    `unpinned` are pinned entries that did not fit; `left_out` are the other lines that did not fit,
    best first.
    """

    text: str
    tokens: int
    lines: tuple[IndexLine, ...] = ()
    unpinned: tuple[str, ...] = ()
    left_out: tuple[IndexLine, ...] = ()

    @property
    def entries(self) -> frozenset[str]:
        return frozenset(line.entry for line in self.lines)


def make_index(snapshot: Snapshot, counter: TokenCounter, target: int) -> Index:
    """Make the index of a scope's entries, in at most `target` tokens.

    Lines are long if everything fits; otherwise they are shortened, so that more of them fit.
    """
    stated = [entry for file in _FILES for entry in _stated_in(snapshot, file) if _is_worth(entry)]
    if len(stated) <= _MAX_LONG_LINES:
        index, complete = _fill(snapshot, counter, target, stated, LONG_LINE)
        if complete:
            return index
    index, _ = _fill(snapshot, counter, target, stated, SHORT_LINE)
    loaded = [entry for entry in stated if _is_worth_loading(entry)]
    head = _beginning(loaded, counter, target)
    for bonus in _HEAD_BONUSES:
        text = LoadedText(index.text)
        if sum(text.has(entry.content) for entry in loaded) >= len(head):
            break
        raised = dict.fromkeys(head, bonus)
        index, _ = _fill(snapshot, counter, target, stated, SHORT_LINE, bonus=raised)
    return index


def _is_worth_loading(entry: Entry) -> bool:
    path = entry.origins[0].source if entry.origins else ""
    return judge(entry.content, Place(path, headings_in(entry.context))).worth >= 0


def _beginning(stated: Iterable[Entry], counter: TokenCounter, target: int) -> list[str]:
    """Return the ids of the statements that a host would load if it cut the files off."""
    ids: list[str] = []
    used = 0
    for entry in stated:
        used += counter.count(entry.content) + _BULLET_TOKENS
        if used > target:
            break
        ids.append(entry.id)
    return ids


def _fill(
    snapshot: Snapshot,
    counter: TokenCounter,
    target: int,
    stated: Sequence[Entry],
    length: int,
    *,
    bonus: Mapping[str, float] = MappingProxyType({}),
) -> tuple[Index, bool]:
    """Make the index with lines of at most `length` characters.

    Return whether all of them fit. `bonus` is added to the worth of statements, given by their ids.
    """
    choices = index_choices(snapshot)
    page = Page(
        counter,
        channels=channels_section(snapshot, counter, int(target * _CHANNELS_SHARE)),
        domains=domains_section(snapshot),
        critical=count_entries(snapshot, Where(priority="critical"))
        - count_entries(snapshot, Where(priority="critical", tag=CHANNEL)),
        projects=count_entries(snapshot, Where(category="project", without_tag=DONE)),
        stated={statement.id for statement in stated},
        choices=choices,
        length=length,
        sections=sections_of(stated),
    )
    budget = target - counter.count(page.text()) - _RESERVE
    critical, stored = _critical(snapshot), _stored(snapshot)
    pinned = [entry for entry in snapshot.find(choices.pins).values() if entry.live]
    in_order = sorted(pinned, key=lambda entry: choices.pins[entry.id].number)
    for entry in in_order:
        page.add_pinned(entry, budget)
    page.add_all(0, critical, int(budget * _CRITICAL_SHARE), "is marked as critical")
    page.add_all(1, stored, page.used + int(budget * _STORED_SHARE), "was stored recently")
    left_out = _add_statements(page, stated, budget, bonus)
    page.add_all(2, critical, budget, "is marked as critical")
    if budget - page.used >= _MIN_TOKENS:
        page.add_all(3, _more_stored(snapshot), budget, "was stored, and there is room for it")
    if budget - page.used >= _MIN_TOKENS:
        rules = list(rules_of_notes(snapshot))
        page.sections |= dict.fromkeys((rule.id for rule in rules), _NOTES)
        page.add_all(4, rules, budget, "is labelled as a rule in a note")
    page.describe_domains(domains_section(snapshot, tags=True), target)
    text, tokens = page.fit_to(target)
    unpinned = tuple(entry.id for entry in pinned if entry.id not in page.entries)
    left = (*left_out[:_MAX_LEFT_OUT], *_dropped(snapshot, choices))
    return Index(text, tokens, tuple(page.lines), unpinned, left), not left_out


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
    return snapshot.select(Where(trust="owner", from_source=file), "position")


def _add_statements(
    page: Page, stated: Sequence[Entry], budget: int, bonus: Mapping[str, float]
) -> list[IndexLine]:
    """Add the statements in the owner's files, the best first; the text shows them in the
    order of the files. Return those that did not fit."""
    misses, left_out = 0, list[IndexLine]()
    for group in groups_of(page, stated, bonus):
        shown = [_shown(page, candidate) for candidate in group.lines]
        if misses < _MAX_MISSES and page.add_group(shown, budget):
            page.stated.difference_update(candidate.entry.id for candidate in group.lines)
            misses = 0
            continue
        misses += 1
        for line in shown:
            left = IndexLine(
                line.entry.id, f"- {line.line.text}", line.line.key, False, "", line.reasons
            )
            left_out.append(left)
    return left_out


def _shown(page: Page, candidate: Candidate) -> Shown:
    entry = candidate.entry
    place = page.place_of(entry, (0, 0), candidate.number)
    kind = shown_as(entry, candidate.signals)
    return Shown(place, candidate.line, entry, candidate.reasons, kind)


def _is_worth(stated: Entry) -> bool:
    """Return whether a statement may be shown.

    Status and log lines, which have low priority, and lines of finished sections are not.
    """
    if stated.priority == "low" or is_channel(stated):
        return False
    return section_order(stated.context or "") is not None


def _critical(snapshot: Snapshot) -> list[Entry]:
    """Critical entries: the owner's first, and stored entries before statements from files."""
    found = snapshot.select(Where(priority="critical"), "latest", _MAX_ENTRIES)
    return sorted(
        (entry for entry in found if entry.source != MIGRATED_SOURCE and not is_channel(entry)),
        key=lambda entry: (entry.trust != "owner", CATEGORIES.index(entry.category)),
    )


def _stored(snapshot: Snapshot) -> list[Entry]:
    """Return the latest stored (not migrated) entries: the owner's, then those of high priority."""
    found = [entry for kind in _STORED for entry in _latest(snapshot, kind, _MAX_STORED)]
    return sorted(found, key=lambda entry: (entry.trust != "owner", entry.priority != "high"))


def _more_stored(snapshot: Snapshot) -> Iterator[Entry]:
    """More stored entries, category by category."""
    for kind in _STORED:
        yield from _latest(snapshot, kind, _MAX_ENTRIES)
    for kind in _OWNERS:
        for entry in _latest(snapshot, kind, _MAX_ENTRIES):
            if entry.trust == "owner":
                yield entry


def _latest(snapshot: Snapshot, category: Category, limit: int) -> list[Entry]:
    where = Where(category=category, without_tag=DONE, without_source=MIGRATED_SOURCE)
    found = snapshot.select(where, "latest", limit)
    return [
        entry
        for entry in found
        if entry.priority != "low" and not is_channel(entry) and not is_foreign(entry)
    ]
