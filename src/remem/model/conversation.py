"""In which order are a scope's files disclosed? Each has a tier, by its name or its gate.

| tier        | in a group    | in main         | what it holds                |
|-------------|---------------|-----------------|------------------------------|
| P0          | attention.md  | attention.md    | tasks, blockers              |
| P1          | project.md    | longterm.md     | what lasts                   |
| P2          | experience.md | daily-synced.md | what was learned             |
| P3          | people.md     | projects/       | people; one project          |
| conventions | conventions/  |                 | details, only when referred to |

What has a conversation read already, and what may it still read?

A group's files are disclosed through its gate, a few to a conversation. Search and recall do
not count: they bring lines, not files.

| scope | files in one conversation                                        |
|-------|------------------------------------------------------------------|
| group | two of P0 to P2, one of P3, one of conventions/                  |
| main  | two that `memory_open` brings; what is read by its path is free  |
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import Final, Literal, cast, get_args

Tier = Literal["P0", "P1", "P2", "P3", "conventions"]
TIERS: Final[tuple[Tier, ...]] = get_args(Tier)

_BY_NAME: Final[dict[str, Tier]] = {
    "attention.md": "P0",
    "project.md": "P1",
    "longterm.md": "P1",
    "experience.md": "P2",
    "daily-synced.md": "P2",
    "people.md": "P3",
}
_CONVENTIONS: Final = "conventions/"


def tier_of(file: str, said: str = "") -> Tier:
    """The tier of a file, named from its scope's folder; `said` is what the gate calls it.

    A file that nobody gave a tier comes last. A convention is one whatever a gate says.
    """
    name = same_file(file)
    if name.startswith(_CONVENTIONS):
        return "conventions"
    if said in TIERS and said != "conventions":
        return cast("Tier", said)
    return _BY_NAME.get(name, "P3")


def same_file(file: str) -> str:
    """What two names of a file have in common on some disk: no case, one spelling."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", file).casefold())


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
        return same_file(path) in {same_file(file.path) for file in self.files}


def why_not(conversation: Conversation, path: str, tier: Tier, *, main: bool) -> str | None:
    """Why one more file is too much for a conversation; None if it is not."""
    if conversation.holds(path):
        return None
    if main:
        full = len(conversation.files) >= _MAIN
        return f"two files were opened in this conversation; {_ANEW}" if full else None
    tiers, most = next((some, most) for some, most in _LIMITS if tier in some)
    taken = [file.path for file in conversation.files if file.tier in tiers]
    if len(taken) < most:
        return None
    kind = "P0 to P2" if len(tiers) > 1 else tiers[0]
    count = f"{most} file{'s' if most > 1 else ''} of {kind}"
    return f"this conversation has had its {count} ({', '.join(taken)}); {_ANEW}"
