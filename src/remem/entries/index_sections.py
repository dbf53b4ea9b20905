"""The sections of the index that are made from all entries: channels and domains."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from remem.entries.index_wording import SHORT_LINE
from remem.fast_dataclass import dataclass
from remem.model.domain_routing import UNTRUSTED
from remem.model.entry import IMPORTED, Entry
from remem.model.project import without_projects
from remem.ports.records import Where
from remem.text.labels import label
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
    """Return the number of entries that meet a condition."""
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
    if omitted := count_entries(snapshot, Where(tag=CHANNEL)) - len(pieces):
        pieces.append(f'+ {omitted} more: memory_recall(query:"…", tags:["{CHANNEL}"])')
    return " | ".join(pieces)


@dataclass(frozen=True, slots=True)
class IndexDomain:
    """A domain file: its stem, the number of its entries, and their most common tags."""

    stem: str
    count: int
    tags: tuple[str, ...] = ()


def domains_section(snapshot: Snapshot, *, tags: bool = False) -> list[IndexDomain]:
    """Return the domains, the largest first; with `tags`, each with its most common tags."""
    sizes: dict[str, int] = {}
    for file_key, tally in snapshot.tally("home", Where(state="current")).items():
        stem = file_key.rpartition(":")[0]
        if stem != UNTRUSTED:
            sizes[stem] = sizes.get(stem, 0) + tally.entries
    domains: list[IndexDomain] = []
    for stem, count in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        can_list = tags and len(domains) < _MAX_DOMAINS
        common = islice(snapshot.tally("tag", Where(stem=stem)), 6) if can_list else ()
        short = [tag for tag in without_projects(common) if len(tag) <= _MAX_TAG_LENGTH][:_MAX_TAGS]
        domains.append(
            IndexDomain(stem, count, tuple(one_line(tag, _MAX_TAG_LENGTH) for tag in short))
        )
    return domains


def domain_lines(domains: Sequence[IndexDomain], language: str) -> list[str]:
    """Return a line for each of the largest domains, and the number of the others.

    Without tags, they are on one line.
    """
    lines: list[str] = []
    for domain in domains[:_MAX_DOMAINS]:
        key = "one_entry" if domain.count == 1 else "entries"
        size = label(key, language, "texts").format(count=domain.count)
        about = f": {', '.join(domain.tags)}" if domain.tags else ""
        lines.append(f"[{domain.stem}] {size}{about}")
    omitted = len(domains) - len(lines)
    if lines and not any(domain.tags for domain in domains):
        lines = [", ".join(lines)]
    lines = [f"- {line}" for line in lines]
    if omitted:
        lines.append(
            f"- + {omitted} {label('more_entries', language, 'texts')}: memory_index_status"
        )
    return lines


def is_channel(entry: Entry) -> bool:
    """Return whether an entry describes a channel, according to its tags."""
    return any(tag.casefold() == CHANNEL for tag in entry.tags)


def is_foreign(entry: Entry) -> bool:
    """Return whether the entry comes from an import that the owner did not vouch for."""
    return entry.source == IMPORTED and entry.trust != "owner"
