"""The tiers of a scope's files, and how many of them a conversation may load.

The name of a file, or the gate, determines its tier.

| tier        | in a group    | in main         | what it holds                |
|-------------|---------------|-----------------|------------------------------|
| P0          | attention.md  | attention.md    | tasks, blockers              |
| P1          | project.md    | longterm.md     | what lasts                   |
| P2          | experience.md | daily-synced.md | what was learned             |
| P3          | people.md     | projects/       | people; one project          |
| conventions | conventions/  |                 | details, only when referred to |

A group's files are disclosed through its gate, a few in each conversation. Search and recall do
not count, because they return lines, not files.

| scope | files in one conversation                                        |
|-------|------------------------------------------------------------------|
| group | two of P0 to P2, one of P3, one of conventions/                  |
| main  | two through `memory_open`; reading by path does not count        |
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import Final, Literal, cast, get_args

from remem.fast_dataclass import dataclass

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


def tier_of(file: str, gate_tier: str = "") -> Tier:
    """Return the tier of a file, given relative to its scope's folder; `gate_tier` is the tier that
    the gate gives it.

    A file without a tier comes last. A file in conventions/ always has that tier, whatever a gate
    says.
    """
    name = path_key(file)
    if name.startswith(_CONVENTIONS):
        return "conventions"
    if gate_tier in TIERS and gate_tier != "conventions":
        return cast("Tier", gate_tier)
    return _BY_NAME.get(name, "P3")


def path_key(file: str) -> str:
    """Return a form that is equal for names that some file systems treat as the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", file).casefold())


IDLE: Final = 30 * 60
"""Seconds without a call after which a conversation is over."""

NO_GATE: Final = "-"
"""The digest for a missing gate, once the conversation has looked for it."""

_MAIN_LIMIT: Final = 2
_LIMITS: Final = ((("P0", "P1", "P2"), 2), (("P3",), 1), (("conventions",), 1))
_HOW_TO_RESET: Final = "start a new conversation, or wait half an hour"


@dataclass(frozen=True, slots=True)
class LoadedFileRecord:
    """A file that the conversation has loaded, by its path in the workspace."""

    path: str
    tier: Tier


@dataclass(frozen=True, slots=True)
class Conversation:
    """The files that a conversation has loaded so far.

    `gate` is the digest of the gate as it was read; None before that. `tokens` is the cost of
    all answers of `memory_open`.
    """

    gate: str | None = None
    files: tuple[LoadedFileRecord, ...] = ()
    tokens: int = 0

    def has_read_gate(self, now: str) -> bool:
        """Return whether the gate was read.

        A gate that was created later has not been read; one that has only changed has.
        """
        return self.gate is not None and (self.gate != NO_GATE or now == NO_GATE)

    def with_gate(self, digest: str) -> Conversation:
        return replace(self, gate=digest)

    def with_file(self, path: str, tier: Tier) -> Conversation:
        """Count a file, unless it was loaded before."""
        return (
            self
            if self.has_loaded(path)
            else replace(self, files=(*self.files, LoadedFileRecord(path, tier)))
        )

    def with_tokens(self, tokens: int) -> Conversation:
        return replace(self, tokens=self.tokens + tokens)

    def has_loaded(self, path: str) -> bool:
        return path_key(path) in {path_key(file.path) for file in self.files}


def load_refusal(conversation: Conversation, path: str, tier: Tier, *, main: bool) -> str | None:
    """Return why a conversation may not load another file; None if it may."""
    if conversation.has_loaded(path):
        return None
    if main:
        full = len(conversation.files) >= _MAIN_LIMIT
        return f"this conversation has already opened two files; {_HOW_TO_RESET}" if full else None
    tiers, limit = next((group, limit) for group, limit in _LIMITS if tier in group)
    loaded = [file.path for file in conversation.files if file.tier in tiers]
    if len(loaded) < limit:
        return None
    kind = "P0 to P2" if len(tiers) > 1 else tiers[0]
    count = f"{limit} file{'s' if limit > 1 else ''} of {kind}"
    return f"this conversation has already loaded {count} ({', '.join(loaded)}); {_HOW_TO_RESET}"
