"""The tiers of a scope's files, and how many files a conversation may load.

The tier of a file is determined by the gate or, if the gate says nothing, by the file's name.

| tier        | in a group    | in main         | content                      |
|-------------|---------------|-----------------|------------------------------|
| P0          | attention.md  | attention.md    | tasks, blockers              |
| P1          | project.md    | longterm.md     | what lasts                   |
| P2          | experience.md | daily-synced.md | what was learned             |
| P3          | people.md     | projects/       | people; one project          |
| conventions | conventions/  |                 | details, only when referred to |

A conversation may load only a few files. Search and recall do not count, because they return lines
and not files.

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
IDLE_SECONDS: Final = 30 * 60
"""The number of seconds without a call after which a conversation is over."""
NO_GATE: Final = "-"
"""Recorded in place of the gate's digest if the conversation looked for a gate and found none."""
_MAIN_LIMIT: Final = 2
_LIMITS: Final = ((("P0", "P1", "P2"), 2), (("P3",), 1), (("conventions",), 1))
_HOW_TO_RESET: Final = "start a new conversation, or wait half an hour"


def tier_of(file: str, gate_tier: str = "") -> Tier:
    """Return the tier of a file, whose path is relative to its scope's folder.

    `gate_tier` is the tier that the gate gives it. Without that, a file with an unknown name is in
    P3. A file in conventions/ always has that tier, whatever the gate says.
    """
    name = path_key(file)
    if name.startswith(_CONVENTIONS):
        return "conventions"
    if gate_tier in TIERS and gate_tier != "conventions":
        return cast("Tier", gate_tier)
    return _BY_NAME.get(name, "P3")


def path_key(file: str) -> str:
    """Return a form of a path that is equal for paths that some file systems treat as the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", file).casefold())


@dataclass(frozen=True, slots=True)
class LoadedFileRecord:
    """A file that a conversation has loaded; the path is relative to the workspace."""

    path: str
    tier: Tier


@dataclass(frozen=True, slots=True)
class Conversation:
    """The files that a conversation has loaded so far.

    `gate` is the digest of the gate when the conversation read it, NO_GATE if there was none, or
    None if it was not read. `tokens` is the cost of all answers of `memory_open`.
    """

    gate: str | None = None
    files: tuple[LoadedFileRecord, ...] = ()
    tokens: int = 0

    def has_read_gate(self, present_digest: str) -> bool:
        """Return whether the gate was read.

        A gate that has changed since still counts as read, but not one that was created since.
        """
        return self.gate is not None and (self.gate != NO_GATE or present_digest == NO_GATE)

    def with_gate(self, digest: str) -> Conversation:
        """Return the conversation after it has read the gate."""
        return replace(self, gate=digest)

    def with_file(self, path: str, tier: Tier) -> Conversation:
        """Return the conversation after it has loaded a file, which counts only once."""
        return (
            self
            if self.has_loaded(path)
            else replace(self, files=(*self.files, LoadedFileRecord(path, tier)))
        )

    def with_tokens(self, tokens: int) -> Conversation:
        """Return the conversation after another answer of `memory_open`."""
        return replace(self, tokens=self.tokens + tokens)

    def has_loaded(self, path: str) -> bool:
        """Return whether the conversation has loaded a file."""
        return path_key(path) in {path_key(file.path) for file in self.files}


def load_refusal(conversation: Conversation, path: str, tier: Tier, *, main: bool) -> str | None:
    """Return why a conversation may not load a file; None if it may."""
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
