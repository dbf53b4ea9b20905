"""The findings of an audit, and the plans that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from remem.admin.audit.coverage import Coverage
from remem.admin.audit.duplicates import Pair
from remem.admin.audit.noise import Noise
from remem.admin.audit.result import Recommendation, Stale
from remem.admin.audit.sources import Count, Sources
from remem.files.edit_journal import Change
from remem.model.contradictions import Clash
from remem.model.host_loading import MEMORY_MD
from remem.ports.entries import Snapshot
from remem.text.line_edits import Edit, apply_edit
from remem.text.timestamps import format_time, parse_time

STALE_AFTER: Final = timedelta(days=30)


def stale_entries(snapshot: Snapshot, now: str) -> list[Stale]:
    """Return the entries that nobody has seen for a month, by domain.

    Being listed in an answer counts as being seen, and so does every change.
    """
    seen_before = format_time(parse_time(now) - STALE_AFTER)
    stale = [
        Stale(group.home, group.entries, group.tokens, group.last_access)
        for group in snapshot.unseen_since(seen_before)
    ]
    return sorted(stale, key=lambda group: -group.tokens)


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that an audit has found; `coverage` is None without a MEMORY.md."""

    sources: Sources
    pairs: Sequence[Pair]
    clashes: Sequence[Clash]
    noise: Sequence[Noise]
    stale: Sequence[Stale]
    coverage: Coverage | None
    count: Count


@dataclass(frozen=True, slots=True)
class Plan:
    """A recommendation, with an edit if remem can apply it."""

    recommendation: Recommendation
    edit: Edit | None = None


def pluralize(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def planned_change(findings: Findings, plan: Plan) -> Change:
    """Return the change of MEMORY.md that a plan makes."""
    assert plan.edit is not None, "a manual plan has no edit"
    before = findings.sources.host[MEMORY_MD].data
    description = plan.recommendation.description
    return Change(MEMORY_MD, description, before, apply_edit(before, plan.edit))
