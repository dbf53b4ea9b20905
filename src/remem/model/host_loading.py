"""What does a host load at the start of a conversation, and how much of it?

The rules and limits are those of OpenClaw, in characters. Other hosts load files whole; for
them the part that is cut counts too, and the answer names it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

EVERY: Final = "every conversation"
DEMAND: Final = "on demand"
CUT: Final = "cut by the host's limit"

_PER_FILE: Final = 20_000
_IN_ALL: Final = 60_000
_HEAD: Final = 0.75


@dataclass(frozen=True, slots=True)
class HostFile:
    """A file that a host loads whenever a private conversation begins."""

    name: str
    what: str
    limit: int = _PER_FILE


MEMORY_MD: Final = "MEMORY.md"
HOST_FILES: Final = (  # in the order in which they use up the room
    HostFile("AGENTS.md", "instructions"),
    HostFile("SOUL.md", "persona"),
    HostFile("TOOLS.md", "places and tools"),
    HostFile("IDENTITY.md", "persona"),
    HostFile("USER.md", "about the user", 4_000),
    HostFile("HEARTBEAT.md", "recurring tasks"),
    HostFile(MEMORY_MD, "curated memory"),
)


LOADS_MEMORY_MD: Final = {
    "claude-code": "Claude Code does not load it; it has CLAUDE.md and a memory folder of its own",
    "claude-desktop": "Claude Desktop does not load it",
    "cursor": "Cursor does not load it; it loads AGENTS.md of the project that is open",
    "codex": "Codex does not load it; it loads AGENTS.md of the folder that it runs in",
    "openclaw": "OpenClaw loads it in main, until `remem activate` puts the index in its place",
}
_REPLACED: Final = "OpenClaw loads the index in its place, put there by the hook"


def memory_md_in(hosts: Iterable[str], *, activated: bool) -> list[str]:
    """Whether the hosts that are connected load MEMORY.md, a sentence for each."""
    return [
        f"MEMORY.md: {_REPLACED if activated and host == 'openclaw' else LOADS_MEMORY_MD[host]}"
        for host in hosts
        if host in LOADS_MEMORY_MD
    ]


@dataclass(frozen=True, slots=True)
class Cut:
    """Which characters of a text are loaded: all before `head` and all from `tail` on."""

    head: int
    tail: int

    def middle(self, text: str) -> str:
        return text[self.head : self.tail]


def cuts(lengths: dict[str, int]) -> dict[str, Cut]:
    """How each file of these lengths is cut. One that is too long keeps its first three
    quarters and its last one, as far as the limit goes."""
    room, found = _IN_ALL, dict[str, Cut]()
    for file in HOST_FILES:
        length = lengths.get(file.name, 0)
        limit = min(file.limit, room)
        if length <= limit:
            found[file.name] = Cut(length, length)
        else:
            head = int(limit * _HEAD)
            found[file.name] = Cut(head, length - (limit - head))
        room -= min(length, limit)
    return found
