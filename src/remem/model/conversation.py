"""What has a conversation read already, and what may it still read?

A group's files are disclosed through its gate, a few to a conversation. Search and recall do
not count: they bring lines, not files.

| scope | files in one conversation                                        |
|-------|------------------------------------------------------------------|
| group | two of P0 to P2, one of P3, one of conventions/                  |
| main  | two that `memory_open` brings; what is read by its path is free  |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from remem.core.tiers import Tier, same_file

IDLE: Final = 30 * 60
"""Seconds of silence after which a conversation is over."""

NO_GATE: Final = "-"
"""Stands for the gate of a scope that has none: that was looked at, too."""

_MAIN: Final = 2
_LIMITS: Final = ((("P0", "P1", "P2"), 2), (("P3",), 1), (("conventions",), 1))
_ANEW: Final = "a new conversation, or half an hour of silence, begins anew"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file that the conversation has received, named from the workspace."""

    path: str
    tier: Tier


@dataclass(frozen=True, slots=True)
class Conversation:
    """`gate` is the digest of the gate as it was read; None before that. `tokens` is what the
    answers of `memory_open` have cost."""

    gate: str | None = None
    files: tuple[Loaded, ...] = ()
    tokens: int = 0

    def has_read_gate(self, now: str) -> bool:
        """Whether the gate was read. A gate that came into being since was not; one that has
        only changed was."""
        return self.gate is not None and (self.gate != NO_GATE or now == NO_GATE)

    def with_gate(self, digest: str) -> Conversation:
        return replace(self, gate=digest)

    def with_file(self, path: str, tier: Tier) -> Conversation:
        """Reading a file again is no further file."""
        return self if self.holds(path) else replace(self, files=(*self.files, Loaded(path, tier)))

    def with_tokens(self, tokens: int) -> Conversation:
        return replace(self, tokens=self.tokens + tokens)

    def holds(self, path: str) -> bool:
        return same_file(path) in {same_file(each.path) for each in self.files}


def why_not(conversation: Conversation, path: str, tier: Tier, *, main: bool) -> str | None:
    """Why one more file is too much for a conversation; None if it is not."""
    if conversation.holds(path):
        return None
    if main:
        full = len(conversation.files) >= _MAIN
        return f"two files were opened in this conversation; {_ANEW}" if full else None
    tiers, most = next((some, most) for some, most in _LIMITS if tier in some)
    taken = [each.path for each in conversation.files if each.tier in tiers]
    if len(taken) < most:
        return None
    kind = "P0 to P2" if len(tiers) > 1 else tiers[0]
    count = f"{most} file{'s' if most > 1 else ''} of {kind}"
    return f"this conversation has had its {count} ({', '.join(taken)}); {_ANEW}"
