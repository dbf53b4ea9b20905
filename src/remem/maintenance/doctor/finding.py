"""What did the doctor find? One thing, how grave it is, what it means, and what mends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Severity = Literal["damage", "drift", "notice"]
"""damage: a record, or the way to it, is not sound. drift: something derived does not say what
the records say, and can be made anew. notice: nothing is wrong with the memory itself."""

REPAIR: Final = "`remem doctor --repair`"


@dataclass(frozen=True, slots=True)
class Finding:
    """`scope` is empty for what concerns the whole workspace; `repair` is what to do."""

    scope: str
    part: str
    severity: Severity
    what: str
    meaning: str
    repair: str
