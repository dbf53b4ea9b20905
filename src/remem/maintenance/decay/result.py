"""What did decay do, or would it do? Every entry with its reason."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Reinforced:
    """A memory that still matters. `revived`: it had faded, and stands again; `stale_on`: the
    day on which it would be archived if nobody needs it until then, None for never."""

    id: str
    strength: int
    uses: int
    revived: bool
    stale_on: str | None


@dataclass(frozen=True, slots=True)
class Faint:
    """A low memory and what is left of it; `idle_since` is the day that counts."""

    id: str
    category: str
    content: str
    idle_since: str
    reinforced: int
    retention: float
    stale_on: str
    reason: str


@dataclass(frozen=True, slots=True)
class Decayed:
    """What a run archived, or would archive. `upcoming` (only when asked to explain) are the
    low memories that are not stale yet; `kept` counts those that never are, by their reason."""

    scope: str
    at: str
    dry_run: bool
    archived: tuple[Faint, ...]
    revived: int = 0
    uses_found: int = 0
    notice: str | None = None
    upcoming: tuple[Faint, ...] = ()
    kept: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Undone:
    """The memories that stand again, of the run that archived them last."""

    scope: str
    run: str | None
    revived: tuple[str, ...]
