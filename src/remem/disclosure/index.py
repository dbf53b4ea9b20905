"""What belongs into every conversation? The index: what matters always, and where the rest is.

The same entries give the same bytes. What does not fit is counted, never dropped in silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from remem.core.entry import CATEGORIES, Category, Entry
from remem.core.homes import UNTRUSTED
from remem.core.standing import standing_of

if TYPE_CHECKING:
    from remem.ports import Snapshot, TokenCounter

LIMIT: Final = 2000
_MOST_LINES: Final = 80
_LONGEST_LINE: Final = 60
_LETTERS: Final[dict[Category, str]] = {
    "preference": "P",
    "instruction": "I",
    "fact": "F",
    "project": "J",
    "person": "H",
    "decision": "D",
    "insight": "L",
}
_CHANNEL: Final = "channel"
_DONE: Final = "done"
_SHARES: Final = {"critical": 0.5, "channels": 0.15, "projects": 0.15}


@dataclass(frozen=True, slots=True)
class Index:
    """The text that is always loaded, and what it costs."""

    text: str
    tokens: int


def make_index(snapshot: Snapshot, counter: TokenCounter, target: int) -> Index:
    """The sections of the index, each within its share of the target."""
    room = target
    while True:
        text = _text(snapshot, counter, room)
        tokens = counter.count(text)
        if tokens <= target or room < target // 2:
            return Index(text, tokens)
        room -= tokens - target


def _text(snapshot: Snapshot, counter: TokenCounter, room: int) -> str:
    sections = [
        _critical(snapshot, counter, int(room * _SHARES["critical"])),
        _channels(snapshot, counter, int(room * _SHARES["channels"])),
        _projects(snapshot, counter, int(room * _SHARES["projects"])),
    ]
    used = sum(counter.count(section) for section in sections)
    sections.append(_domains(snapshot, counter, max(0, room - used - 80)))
    body = "\n".join(section for section in sections if section)
    return f"# Memory Index\n\n{body or _EMPTY}\n{_legend(snapshot)}\n"


_EMPTY: Final = "Nothing is stored yet. `memory_store` keeps what should be remembered.\n"


def _critical(snapshot: Snapshot, counter: TokenCounter, room: int) -> str:
    entries, total = snapshot.top(priority="critical", limit=_MOST_LINES)
    entries = [each for each in entries if not _is_channel(each)]
    order = sorted(entries, key=lambda each: CATEGORIES.index(each.category))
    total -= _critical_channels(snapshot)
    more = 'memory_recall(query:"…", priority_min:"critical")'
    return _section(
        "## Critical (always relevant)",
        order,
        lambda e: f"[{_LETTERS[e.category]}] {_line(e)}",
        Room(counter, room, max(total, len(order)), more),
    )


def _critical_channels(snapshot: Snapshot) -> int:
    """How many critical entries stand in the line of channels instead."""
    return snapshot.top(priority="critical", tag=_CHANNEL, limit=1)[1]


def _projects(snapshot: Snapshot, counter: TokenCounter, room: int) -> str:
    """What is done is no active project, whether a tag says so or a mark in front."""
    found, total = snapshot.top(category="project", without_tag=_DONE, limit=_MOST_LINES)
    entries = [each for each in found if standing_of(each.content) != _DONE]
    total -= len(found) - len(entries)
    more = 'memory_recall(query:"…", categories:["project"])'
    return _section(
        '## Active Projects → `memory_recall(categories:["project"])`',
        entries,
        _line,
        Room(counter, room, total, more),
    )


def _channels(snapshot: Snapshot, counter: TokenCounter, room: int) -> str:
    """One line of names and ids: `cb-inbox:C0AAP72R7L5 | cb-ideas:…`."""
    entries, total = snapshot.top(tag=_CHANNEL, limit=_MOST_LINES)
    pieces: list[str] = []
    for entry in entries:
        piece = _line(entry)
        if counter.count(" | ".join([*pieces, piece])) + 30 > room:
            break
        pieces.append(piece)
    if not entries:
        return ""
    left = total - len(pieces)
    if left:
        pieces.append(f'+ {left} more: memory_recall(query:"…", tags:["{_CHANNEL}"])')
    return f"## Channels\n\n{' | '.join(pieces)}\n"


def _domains(snapshot: Snapshot, counter: TokenCounter, room: int) -> str:
    sizes: dict[str, int] = {}
    for home, _part, count, _tokens in snapshot.places():
        if home != UNTRUSTED:
            sizes[home] = sizes.get(home, 0) + count
    lines: list[str] = []
    for home, count in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        tags = snapshot.common_tags(home, 6)
        about = f": {', '.join(flat(tag, 24) for tag in tags)}" if tags else ""
        line = f"- [{home}] {count} {'entry' if count == 1 else 'entries'}{about}"
        if counter.count("\n".join([*lines, line])) > room:
            break
        lines.append(line)
    if not sizes:
        return ""
    left = len(sizes) - len(lines)
    if left:
        lines.append(f"- + {left} more domains: memory_index_status")
    return "## Domains (use memory_recall to load)\n\n" + "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Room:
    """How much a section may hold, how much there is, and how to see the rest."""

    counter: TokenCounter
    tokens: int
    total: int
    more: str


def _section(
    title: str, entries: Sequence[Entry], line_of: Callable[[Entry], str], room: Room
) -> str:
    if not entries:
        return ""
    left = room.tokens - room.counter.count(title) - 30
    lines: list[str] = []
    for entry in entries:
        line = f"- {line_of(entry)}"
        cost = room.counter.count(line) + 1
        if cost <= left:
            lines.append(line)
            left -= cost
    missing = room.total - len(lines)
    if missing > 0:
        lines.append(f"- + {missing} more: {room.more}")
    return f"{title}\n\n" + "\n".join(lines) + "\n"


def _line(entry: Entry) -> str:
    return flat(entry.content, 3 * _LONGEST_LINE)


def flat(text: str, longest: int) -> str:
    """One line that cannot break the Markdown around it."""
    line = re.sub(r"[\s\x00-\x1f\x7f]+", " ", text).strip().replace("<!--", "<! --")
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _is_channel(entry: Entry) -> bool:
    return any(tag.casefold() == _CHANNEL for tag in entry.tags)


def _legend(snapshot: Snapshot) -> str:
    shown, _ = snapshot.top(priority="critical", limit=_MOST_LINES)
    used = [each for each in CATEGORIES if any(entry.category == each for entry in shown)]
    letters = " ".join(f"[{_LETTERS[each]}]={each}" for each in used)
    return f"{letters}{' — ' if letters else ''}Full entries via memory_recall"
