"""The files that a host loads at the start of a conversation, and how much of each.

The rules and limits, in characters, are those of OpenClaw. Other hosts load whole files; the part
that OpenClaw would cut is also reported for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from remem.fast_dataclass import dataclass

EVERY_CONVERSATION: Final = "every conversation"
ON_DEMAND: Final = "on demand"
CUT_BY_HOST: Final = "cut by the host's limit"

_FILE_LIMIT: Final = 20_000
_TOTAL_LIMIT: Final = 60_000
_HEAD_SHARE: Final = 0.75
MEMORY_MD: Final = "MEMORY.md"
CURATED_FILES: Final = ("USER.md", MEMORY_MD)
"""The files in which the owner and the agent keep what lasts."""
LOADS_MEMORY_MD: Final = {
    "claude-code": "Claude Code does not load it; it has CLAUDE.md and its own memory folder",
    "claude-desktop": "Claude Desktop does not load it",
    "gemini-cli": "Gemini CLI does not load it; it loads GEMINI.md",
    "cursor": "Cursor does not load it; it loads the AGENTS.md of the open project",
    "codex": "Codex does not load it; it loads the AGENTS.md of the current folder",
    "openclaw": "OpenClaw loads it in main until `remem activate` replaces it with the index",
}
NO_HOST: Final = (
    "no agent is connected yet: the tools and files are those that OpenClaw would load; connected "
    "agents start with the index too"
)
_REPLACED: Final = "OpenClaw loads the index instead, through the hook"
_START_HOOKS: Final = frozenset({"claude-code", "codex"})
"""Hosts whose hook adds the start text to every conversation, activated or not."""


@dataclass(frozen=True, slots=True)
class HostFile:
    """A file that a host loads at the start of every private conversation.

    `content` describes in a few words what it contains; `limit` is the number of characters that
    are loaded.
    """

    name: str
    content: str
    limit: int = _FILE_LIMIT


HOST_FILES: Final = (  # in the order in which they use up the total limit
    HostFile("AGENTS.md", "instructions"),
    HostFile("SOUL.md", "persona"),
    HostFile("TOOLS.md", "places and tools"),
    HostFile("IDENTITY.md", "persona"),
    HostFile("USER.md", "about the user", 4_000),
    HostFile("HEARTBEAT.md", "recurring tasks"),
    HostFile(MEMORY_MD, "curated memory"),
)


def loads_index(hosts: Iterable[str], *, is_activated: bool) -> bool:
    """Return whether conversations start with the index."""
    return is_activated or not _START_HOOKS.isdisjoint(hosts)


def loads_memory_md(hosts: Collection[str], *, is_activated: bool) -> bool:
    """Return whether conversations start with MEMORY.md.

    They do in OpenClaw before activation, and OpenClaw is assumed if no host is connected.
    """
    return not hosts or ("openclaw" in hosts and not is_activated)


def memory_md_loading(hosts: Iterable[str], *, is_activated: bool) -> list[str]:
    """Return a sentence for each of some hosts that says whether it loads MEMORY.md."""
    return [
        f"MEMORY.md: {_REPLACED if is_activated and host == 'openclaw' else LOADS_MEMORY_MD[host]}"
        for host in hosts
        if host in LOADS_MEMORY_MD
    ]


@dataclass(frozen=True, slots=True)
class OmittedPart:
    """The part of a text that is not loaded: the characters from index `head` up to `tail`."""

    head: int
    tail: int

    def middle(self, text: str) -> str:
        """Return the part of this text."""
        return text[self.head : self.tail]


def omitted_parts(lengths: dict[str, int]) -> dict[str, OmittedPart]:
    """Return the part that is not loaded of each file, by the lengths of all files.

    If a file is too long, three quarters of the limit are filled from its beginning and one quarter
    from its end.
    """
    room, result = _TOTAL_LIMIT, dict[str, OmittedPart]()
    for file in HOST_FILES:
        length = lengths.get(file.name, 0)
        limit = min(file.limit, room)
        if length <= limit:
            result[file.name] = OmittedPart(length, length)
        else:
            head = int(limit * _HEAD_SHARE)
            result[file.name] = OmittedPart(head, length - (limit - head))
        room -= min(length, limit)
    return result
