"""The sections of the index that are made from all entries: channels and domains."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from remem.entries.index_wording import SHORT_LINE
from remem.model.domain_routing import UNTRUSTED
from remem.model.entry import IMPORTED, Entry
from remem.model.project import without_projects
from remem.ports.records import Where
from remem.text.markdown import one_line

if TYPE_CHECKING:
    from remem.ports.entries import Snapshot
    from remem.ports.models import TokenCounter

CHANNEL: Final = "channel"
_MAX_DOMAINS: Final = 12
_MAX_TAGS: Final = 3
_MAX_TAG_LENGTH: Final = 24
_MAX_CHANNELS: Final = 80


def count_entries(snapshot: Snapshot, where: Where) -> int:
    return sum(tally.entries for tally in snapshot.tally("all", where).values())


def channels_section(snapshot: Snapshot, counter: TokenCounter, budget: int) -> str:
    """Return one line of names and ids: `cb-inbox:C0AAP72R7L5 | cb-ideas:…`."""
    found = snapshot.select(Where(tag=CHANNEL), "latest", _MAX_CHANNELS)
    entries = [entry for entry in found if not is_foreign(entry)]
    pieces: list[str] = []
    for entry in entries:
        piece = one_line(entry.content, SHORT_LINE)
        if counter.count(" | ".join([*pieces, piece])) + 30 > budget:
            break
        pieces.append(piece)
    if not entries:
        return ""
    if left := count_entries(snapshot, Where(tag=CHANNEL)) - len(pieces):
        pieces.append(f'+ {left} more: memory_recall(query:"…", tags:["{CHANNEL}"])')
    return " | ".join(pieces)


def domains_section(snapshot: Snapshot, *, tags: bool = False) -> str:
    """Return the domains with their sizes, and with their most common tags."""
    sizes: dict[str, int] = {}
    for file_key, tally in snapshot.tally("home", Where(state="current")).items():
        stem = file_key.rpartition(":")[0]
        if stem != UNTRUSTED:
            sizes[stem] = sizes.get(stem, 0) + tally.entries
    if not sizes:
        return ""
    lines: list[str] = []
    for stem, count in sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:_MAX_DOMAINS]:
        common = islice(snapshot.tally("tag", Where(stem=stem)), 6) if tags else ()
        short = [tag for tag in without_projects(common) if len(tag) <= _MAX_TAG_LENGTH][:_MAX_TAGS]
        about = ", ".join(one_line(tag, _MAX_TAG_LENGTH) for tag in short)
        line = f"- [{stem}] {count} {'entry' if count == 1 else 'entries'}"
        lines.append(f"{line}: {about}" if about else line)
    if left := len(sizes) - len(lines):
        lines.append(f"- + {left} more domains: memory_index_status")
    return "\n".join(lines)


def is_channel(entry: Entry) -> bool:
    return any(tag.casefold() == CHANNEL for tag in entry.tags)


def is_foreign(entry: Entry) -> bool:
    """Return whether the entry comes from an import that the owner did not vouch for."""
    return entry.source == IMPORTED and entry.trust != "owner"
