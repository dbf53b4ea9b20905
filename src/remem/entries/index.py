"""The index: the text that every conversation begins with.

It is made from entries alone. Critical ones come first, then what was stored last, then the
owner's own statements in the order of USER.md and MEMORY.md, as far as the budget goes. The same
entries give the same bytes, and what does not fit is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from remem.entries.index_lines import LONGEST, MIGRATED, standing_under
from remem.entries.index_page import DONE, Page
from remem.model.domain_routing import UNTRUSTED
from remem.model.entry import CATEGORIES, IMPORTED, Category, Entry
from remem.text.untrusted import flat

if TYPE_CHECKING:
    from remem.ports.entries import Snapshot
    from remem.ports.models import TokenCounter
    from remem.ports.records import Stated

LIMIT: Final = 2000
_FILES: Final = ("USER.md", "MEMORY.md")
_CHANNEL: Final = "channel"
_STORED: Final[tuple[Category, ...]] = ("instruction", "preference", "person", "project")
_OWNERS: Final[tuple[Category, ...]] = ("fact", "decision", "insight")
"""Of these kinds the index has what the owner stored; what an agent stored is for recall."""

_MOST_ENTRIES: Final = 80
_MOST_STORED: Final = 20
_BATCH: Final = 50
_WORTHWHILE: Final = 20
"""Tokens that a line needs: with less left, nothing more is read."""

_MISSES: Final = 20
"""After so many statements in a row that do not fit, none is tried any more."""

_CRITICAL_SHARE: Final = 0.5
_STORED_SHARE: Final = 0.25
_CHANNELS_SHARE: Final = 0.15
_DOMAINS_SHARE: Final = 0.12
"""How much these take while anything else waits. What they leave unspent is passed on, and the
critical and stored entries that found no room come last, if there is any."""

_MOST_TAGS: Final = 3
_LONGEST_TAG: Final = 24
_SPARE: Final = 8
"""Tokens for the blank lines and headings that an empty page does not have."""


@dataclass(frozen=True, slots=True)
class Index:
    """The text that is always loaded, what it costs, and the ids of the entries in it."""

    text: str
    tokens: int
    entries: frozenset[str] = frozenset()


def make_index(snapshot: Snapshot, counter: TokenCounter, target: int) -> Index:
    """The index of a scope's entries, within the target."""
    stated = [stated for file in _FILES for stated in snapshot.stated_in(file) if _is_worth(stated)]
    page = Page(
        counter,
        channels=_channels(snapshot, counter, int(target * _CHANNELS_SHARE)),
        domains=_domains(snapshot, counter, int(target * _DOMAINS_SHARE)),
        critical=snapshot.count_of(priority="critical")
        - snapshot.count_of(priority="critical", tag=_CHANNEL),
        projects=snapshot.count_of(category="project", without_tag=DONE),
        stated={each.row for each in stated},
    )
    room = target - counter.count(page.text()) - _SPARE
    critical, stored = _critical(snapshot), _stored(snapshot)
    page.add_all(0, critical, int(room * _CRITICAL_SHARE))
    page.add_all(1, stored, page.used + int(room * _STORED_SHARE))
    _add_statements(page, 2, stated, snapshot, room)
    page.add_all(3, [*critical, *stored], room)
    if room - page.used >= _WORTHWHILE:
        page.add_all(4, _more_stored(snapshot), room)
    text, tokens = page.within(target)
    return Index(text, tokens, page.entries)


def _add_statements(
    page: Page, rank: int, stated: Sequence[Stated], snapshot: Snapshot, most: int
) -> None:
    """Add what the owner's files state. Lines of deep and dated sections wait until the others
    are in; in the text, all of them are in the order of the files."""
    order = sorted(range(len(stated)), key=lambda at: _rank(stated[at]))
    misses = 0
    for start in range(0, len(order), _BATCH):  # most texts of a long file need not be read
        batch = order[start : start + _BATCH]
        entries = snapshot.locate(stated[at].row for at in batch)
        for at in batch:
            row = stated[at].row
            if row not in entries or page.add((rank, at), entries[row], most):
                page.stated.discard(row)
                misses = 0
            else:
                misses += 1
            if misses == _MISSES:
                return


def _is_worth(stated: Stated) -> bool:
    """Status and log lines of a file have low priority; finished sections have no standing."""
    return stated.priority != "low" and standing_under(stated.context) is not None


def _rank(stated: Stated) -> tuple[bool, int]:
    return stated.priority not in ("critical", "high"), standing_under(stated.context) or 0


def _critical(snapshot: Snapshot) -> list[Entry]:
    """Critical entries: the owner's first, and what was stored before what a file states."""
    found = snapshot.top(priority="critical", limit=_MOST_ENTRIES)
    return sorted(
        (entry for entry in found if _is_meant(entry) and not _is_channel(entry)),
        key=lambda each: (each.trust != "owner", *_line(each), CATEGORIES.index(each.category)),
    )


def _is_meant(entry: Entry) -> bool:
    """Whether someone called an entry critical. In a note that was migrated a word did, which
    may as well say that nothing critical was found."""
    return entry.source != MIGRATED or entry.trust == "owner"


def _line(entry: Entry) -> tuple[str, int]:
    """The line that a migrated entry was made from."""
    if entry.source != MIGRATED or not entry.origins:
        return "", 0
    return entry.origins[0].source, entry.origins[0].position or 0


def _stored(snapshot: Snapshot) -> list[Entry]:
    """What was stored last rather than migrated: the owner's first, then what is of high
    priority."""
    found = [entry for kind in _STORED for entry in _latest(snapshot, kind, _MOST_STORED)]
    return sorted(found, key=lambda each: (each.trust != "owner", each.priority != "high"))


def _more_stored(snapshot: Snapshot) -> Iterator[Entry]:
    """What else was stored, kind by kind."""
    for kind in _STORED:
        yield from _latest(snapshot, kind, _MOST_ENTRIES)
    for kind in _OWNERS:
        for entry in _latest(snapshot, kind, _MOST_ENTRIES):
            if entry.trust == "owner":
                yield entry


def _latest(snapshot: Snapshot, category: Category, limit: int) -> list[Entry]:
    found = snapshot.top(category=category, without_tag=DONE, without_source=MIGRATED, limit=limit)
    return [
        entry
        for entry in found
        if entry.priority != "low" and not _is_channel(entry) and not _is_foreign(entry)
    ]


def _channels(snapshot: Snapshot, counter: TokenCounter, room: int) -> str:
    """One line of names and ids: `cb-inbox:C0AAP72R7L5 | cb-ideas:…`."""
    found = snapshot.top(tag=_CHANNEL, limit=_MOST_ENTRIES)
    entries = [entry for entry in found if not _is_foreign(entry)]
    pieces: list[str] = []
    for entry in entries:
        piece = flat(entry.content, LONGEST)
        if counter.count(" | ".join([*pieces, piece])) + 30 > room:
            break
        pieces.append(piece)
    if not entries:
        return ""
    if left := snapshot.count_of(tag=_CHANNEL) - len(pieces):
        pieces.append(f'+ {left} more: memory_recall(query:"…", tags:["{_CHANNEL}"])')
    return f"## Channels\n\n{' | '.join(pieces)}\n"


def _domains(snapshot: Snapshot, counter: TokenCounter, room: int) -> str:
    """The domains with their size and commonest tags, without the tags where these do not fit."""
    sizes: dict[str, int] = {}
    for home, _part, count, _tokens in snapshot.places():
        if home != UNTRUSTED:
            sizes[home] = sizes.get(home, 0) + count
    lines: list[str] = []
    for home, count in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        bare = f"- [{home}] {count} {'entry' if count == 1 else 'entries'}"
        tags = [tag for tag in snapshot.common_tags(home, 6) if len(tag) <= _LONGEST_TAG]
        about = ", ".join(flat(tag, _LONGEST_TAG) for tag in tags[:_MOST_TAGS])
        for line in (f"{bare}: {about}" if about else bare, bare):
            if counter.count("\n".join([*lines, line])) <= room:
                lines.append(line)
                break
    if not sizes:
        return ""
    if left := len(sizes) - len(lines):
        lines.append(f"- + {left} more domains: memory_index_status")
    return "## Domains (use memory_recall to load)\n\n" + "\n".join(lines) + "\n"


def _is_channel(entry: Entry) -> bool:
    return any(tag.casefold() == _CHANNEL for tag in entry.tags)


def _is_foreign(entry: Entry) -> bool:
    """Whether a file that the owner did not vouch for brought the entry."""
    return entry.source == IMPORTED and entry.trust != "owner"
