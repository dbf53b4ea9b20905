"""The record of entries that a store lost and restored from its files.

A write-ahead log that is damaged or deleted loses the last commits. Entries whose lines are in a
domain file are restored from there; those that are in no domain file are counted.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from remem.errors import counted
from remem.fast_dataclass import dataclass

_MENTION_PERIOD: Final = timedelta(days=1)
"""For how long answers mention restored entries."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """How many entries one or more recoveries have restored, and how many are lost.

    `restored` entries came back from files, `lowered` of them with less trust or authority.
    `missing` entries had been acknowledged and are lost. `changes` says that later changes to
    entries are lost too.
    """

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
        """Sentences for status, doctor and answers about what was restored and what is lost."""
        result = []
        if self.restored:
            lowered = (
                f"; {self.lowered} of them with the agent's trust and no privileges, because the "
                "proof that remem wrote their file is missing or wrong"
                if self.lowered
                else ""
            )
            result.append(
                f"{counted(self.restored, 'lost memory was', 'lost memories were')} restored from "
                f"the domain files, without history{lowered}"
            )
        if self.missing:
            result.append(
                f"{counted(self.missing, 'stored memory was', 'stored memories were')} lost "
                "with the database's log, and no domain file contains them"
            )
        if self.changes and not result:
            result.append("the database's log was lost, and the latest changes with it")
        return result

    def is_recent(self, now: str) -> bool:
        """Return whether answers should mention it: for a day, or if entries are lost."""
        try:
            return bool(self.missing) or (
                datetime.fromisoformat(now) - datetime.fromisoformat(self.at) < _MENTION_PERIOD
            )
        except ValueError:
            return True
