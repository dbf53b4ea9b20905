"""What has an audit found, and what follows from it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from remem.audit.duplicates import Pair
from remem.audit.edits import Edit
from remem.audit.migrated import Coverage
from remem.audit.noise import Noise
from remem.audit.result import Recommendation, Stale
from remem.audit.sources import Count, Gathered
from remem.core.clashes import Clash


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that an audit has found; `coverage` is None where there is no MEMORY.md."""

    gathered: Gathered
    pairs: Sequence[Pair]
    clashes: Sequence[Clash]
    noise: Sequence[Noise]
    stale: Sequence[Stale]
    coverage: Coverage | None
    count: Count


@dataclass(frozen=True, slots=True)
class Plan:
    """A recommendation; with an edit if remem can carry it out."""

    recommendation: Recommendation
    edit: Edit | None = None


def number_of(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
