"""What a store had lost and got back from its files, as it is noted and reported.

A write-ahead log that is damaged or deleted takes the last commits along. Entries whose lines
are in a domain file come back from there; what was in neither is counted, not hidden.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Final

RECOVERY_NOTE: Final = "recovery"
_NEWS: Final = timedelta(days=1)
"""As long as this an answer mentions entries that came back."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """`restored` entries came back from files, `lowered` of them with less trust or authority;
    `missing` ones were acknowledged and are nowhere. `changes`: later changes are lost too."""

    at: str
    restored: int = 0
    lowered: int = 0
    missing: int = 0
    changes: bool = False

    def __add__(self, other: Recovery) -> Recovery:
        return Recovery(
            at=max(self.at, other.at),
            restored=self.restored + other.restored,
            lowered=self.lowered + other.lowered,
            missing=self.missing + other.missing,
            changes=self.changes or other.changes,
        )

    @property
    def sentences(self) -> list[str]:
        """What happened, for status, doctor and answers."""
        said = []
        if self.restored:
            lowered = (
                f"; {self.lowered} of them as the agent's, without authority, because the file "
                "does not prove that remem wrote them"
                if self.lowered
                else ""
            )
            said.append(
                f"{_memories(self.restored)} that the database had lost {_were(self.restored)} "
                f"restored from the domain files, without their history{lowered}"
            )
        if self.missing:
            said.append(
                f"{_memories(self.missing)} that had been acknowledged {_were(self.missing)} lost "
                "with the database's log, and no domain file holds them"
            )
        if self.changes and not said:
            said.append("the database's log was lost, and the latest changes with it")
        return said

    def is_news(self, now: str) -> bool:
        """Whether an answer given now should mention it: what is missing, always."""
        try:
            return bool(self.missing) or _moment(now) - _moment(self.at) < _NEWS
        except ValueError:
            return True


def recovery_from(note: str | None) -> Recovery | None:
    """The recovery that a note of a store tells of; none where it is settled or illegible."""
    try:
        said = json.loads(note or "null")
        return Recovery(**said) if said else None
    except (ValueError, TypeError):
        return None


def noted(recovery: Recovery) -> str:
    return json.dumps(asdict(recovery))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _memories(count: int) -> str:
    return f"{count} {'memory' if count == 1 else 'memories'}"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"
