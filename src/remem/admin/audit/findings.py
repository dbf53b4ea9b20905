"""What has an audit found, and what follows from it?

What has nobody looked at for a month? Entries, by their domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from remem.admin.audit.coverage import Coverage
from remem.admin.audit.duplicates import Pair
from remem.admin.audit.noise import Noise
from remem.admin.audit.result import Recommendation, Stale
from remem.admin.audit.sources import Count, Gathered
from remem.files.edit_journal import Change
from remem.model.contradictions import Clash
from remem.model.host_loading import MEMORY_MD
from remem.ports.entries import Snapshot
from remem.text.line_edits import Edit, edited
from remem.text.timestamps import parsed, stamp

UNUSED: Final = timedelta(days=30)


def stale(snapshot: Snapshot, now: str) -> list[Stale]:
    """Being listed in an answer counts as being seen; so does every change."""
    before = stamp(parsed(now) - UNUSED)
    found = [
        Stale(unseen.home, unseen.entries, unseen.tokens, unseen.last_access)
        for unseen in snapshot.unseen_since(before)
    ]
    return sorted(found, key=lambda each: -each.tokens)


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


def changed(found: Findings, plan: Plan) -> Change:
    """What a plan makes of MEMORY.md."""
    assert plan.edit is not None, "advice changes nothing"
    before = found.gathered.host[MEMORY_MD].data
    description = plan.recommendation.description
    return Change(MEMORY_MD, description, before, edited(before, plan.edit))
