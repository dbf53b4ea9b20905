"""The recommendations that follow from the findings of an audit, with their savings and risks.

An edit to MEMORY.md removes only noise and lines repeated elsewhere; its saving is measured on the
edited file. For recommendations that need a person or another command, the saving is an estimate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.admin.audit.coverage import MemoryMdCoverage
from remem.admin.audit.duplicates import DuplicatePair, redundant_lines
from remem.admin.audit.noise import Noise
from remem.admin.audit.result import Action, Recommendation, Risk, StaleEntries
from remem.admin.audit.sources import Count, Sources, memory_costs, tokens_at_start
from remem.errors import counted, listed
from remem.files.edit_journal import FileChange
from remem.model.contradictions import StatementContradiction
from remem.model.host_loading import CUT_BY_HOST, MEMORY_MD
from remem.text.line_edits import LineEdit, apply_edit
from remem.text.statements import TextStatement

_REMOVE_REPEATED: Final[tuple[Action, ...]] = ("remove_duplicates", "remove_near_duplicates")
"""Actions that remove only lines repeated by another line that conversations load."""
START_LIMIT: Final = 2_000
"""The maximum number of tokens that `remem start` prints."""


@dataclass(frozen=True, slots=True)
class AuditFindings:
    """Everything that an audit has found; `coverage` is None without a MEMORY.md."""

    sources: Sources
    pairs: Sequence[DuplicatePair]
    contradictions: Sequence[StatementContradiction]
    noise: Sequence[Noise]
    stale: Sequence[StaleEntries]
    coverage: MemoryMdCoverage | None
    count: Count


@dataclass(frozen=True, slots=True)
class RecommendationPlan:
    """A recommendation, with the edit of MEMORY.md if remem can apply it."""

    recommendation: Recommendation
    edit: LineEdit | None = None


def planned_change(findings: AuditFindings, plan: RecommendationPlan) -> FileChange:
    """Return the change to MEMORY.md that a plan with an edit makes."""
    assert plan.edit is not None, "a manual plan has no edit"
    before = findings.sources.host[MEMORY_MD].data
    description = plan.recommendation.description
    return FileChange(MEMORY_MD, description, before, apply_edit(before, plan.edit))


def make_plans(findings: AuditFindings) -> list[RecommendationPlan]:
    """Return all plans, numbered from one.

    Those that remem can apply come first; both kinds are sorted by their saving, largest first.
    """
    edits = sorted(_edit_plans(findings), key=_saving, reverse=True)
    manual = sorted(_manual_plans(findings), key=_saving, reverse=True)
    return [
        replace(plan, recommendation=replace(plan.recommendation, number=number))
        for number, plan in enumerate([*edits, *manual], 1)
    ]


def _saving(plan: RecommendationPlan) -> int:
    return plan.recommendation.estimated_savings_tokens


def _manual_plans(findings: AuditFindings) -> Iterator[RecommendationPlan]:
    """Yield the plans that only a person, or another command, can carry out."""
    yield from _migrate_plan(findings)
    yield from _shorten_plans(findings)
    yield from _merge_plan(findings)
    if findings.contradictions:
        count = len(findings.contradictions)
        decision = (
            "2 lines contradict each other: decide which is right"
            if count == 1
            else f"{count} pairs of lines contradict each other: decide which line of each is right"
        )
        text = f"{decision} (listed under “contradictions”)"
        yield _manual_plan("resolve_contradictions", text, 0, 0, "low")
    if outdated := [line.statement for line in findings.noise if line.kind == "stale"]:
        lines = counted(len(outdated), "outdated line")
        text = f"correct or remove {lines} (listed under “noise”)"
        tokens = sum(findings.count(statement.text) for statement in outdated)
        yield _manual_plan("review_lines", text, tokens, tokens, "medium")
    if findings.stale:
        tokens = sum(stale.tokens for stale in findings.stale)
        entries = counted(sum(stale.entries for stale in findings.stale), "entry", "entries")
        text = f"review {entries} that nobody has seen for a month (listed under “stale”)"
        yield _manual_plan("review_stale", text, tokens, 0, "medium")


def _migrate_plan(findings: AuditFindings) -> Iterator[RecommendationPlan]:
    memory = [cost for cost in findings.sources.costs if cost.part == "memory_md"]
    saving = tokens_at_start(memory) - START_LIMIT
    if findings.coverage and not findings.coverage.is_migrated and saving > 0:
        missing = counted(len(findings.coverage.missing), "line")
        text = (
            f"`remem migrate` stores {missing} of {MEMORY_MD} as entries and does not change the "
            "file; after `remem activate`, a pointer can replace the lines that the index shows"
        )
        yield _manual_plan("migrate", text, saving, saving, "low")


def _shorten_plans(findings: AuditFindings) -> Iterator[RecommendationPlan]:
    for cost in findings.sources.costs:
        if cost.when == CUT_BY_HOST:
            name = cost.source.partition(" ")[0]
            text = f"shorten {name}: hosts with a size limit drop its middle"
            yield _manual_plan("shorten", text, cost.tokens, 0, "low")


def _merge_plan(findings: AuditFindings) -> Iterator[RecommendationPlan]:
    """Yield a plan to merge duplicates that every conversation loads and remem cannot remove."""
    removable = {id(statement) for statement in redundant_lines(findings.pairs, findings.sources)}
    pairs = [
        pair
        for pair in findings.pairs
        if pair.a.always_loaded
        and pair.b.always_loaded
        and not {id(pair.a), id(pair.b)} & removable
    ]
    if pairs:
        tokens = sum(
            min(findings.count(pair.a.text), findings.count(pair.b.text)) for pair in pairs
        )
        pair_count = counted(len(pairs), "pair")
        text = f"merge {pair_count} of duplicate lines by hand (listed under “duplicates”)"
        yield _manual_plan("merge_by_hand", text, tokens, tokens, "medium")


def _manual_plan(
    action: Action, text: str, saving: int, at_start: int, risk: Risk
) -> RecommendationPlan:
    return RecommendationPlan(
        Recommendation(action, text, saving, risk, 0, applies=False, at_start=at_start)
    )


def _edit_plans(findings: AuditFindings) -> Iterator[RecommendationPlan]:
    memory = findings.sources.host.get(MEMORY_MD)
    if memory is None or not _is_text(memory.data) or not _is_memory_md_loaded(findings):
        return
    exact = redundant_lines(
        [pair for pair in findings.pairs if pair.kind == "exact"], findings.sources
    )
    nearly_equal = redundant_lines(
        [pair for pair in findings.pairs if pair.kind == "near"], findings.sources
    )
    promoted = [
        noise.statement for noise in findings.noise if noise.kind == "promoted" and noise.is_in_note
    ]
    status = [
        noise.statement for noise in findings.noise if noise.is_report and not noise.is_in_note
    ]
    groups: list[tuple[Action, Sequence[TextStatement], str, Risk]] = [
        ("remove_duplicates", exact, "repeated word for word elsewhere", "low"),
        (
            "remove_near_duplicates",
            nearly_equal,
            "whose words all appear in another line",
            "medium",
        ),
        (
            "remove_promoted_noise",
            promoted,
            "promoted by the host from a note with the same words",
            "low",
        ),
        ("remove_status_lines", status, "with only a status report", "medium"),
    ]
    for action, statements, reason, risk in groups:
        removable = [
            statement
            for statement in statements
            if statement.removable
            and (action in _REMOVE_REPEATED or not _is_needed(statement, findings.coverage))
        ]
        if removable:
            lines = counted(len(removable), "line")
            text = f"drop {lines} of {MEMORY_MD} {reason}: {_line_numbers(removable)}"
            edit = LineEdit(
                frozenset(
                    n for statement in removable for n in range(statement.start, statement.end + 1)
                )
            )
            yield from _measured_plan(findings, action, text, risk, edit)
    if findings.coverage and findings.coverage.sections:
        names = listed(findings.coverage.sections, 5)
        count = len(findings.coverage.sections)
        replacement = (
            "with a pointer, because all its" if count == 1 else "with pointers, because all their"
        )
        text = (
            f"replace {counted(count, 'section')} of {MEMORY_MD} {replacement} lines are stored "
            f"as entries: {names}"
        )
        yield from _measured_plan(
            findings, "point_to_entries", text, "medium", findings.coverage.edit
        )


def _is_memory_md_loaded(findings: AuditFindings) -> bool:
    """Return whether conversations start with MEMORY.md; otherwise, an edit saves nothing."""
    memory = [cost for cost in findings.sources.costs if cost.part == "memory_md"]
    return tokens_at_start(memory) > 0


def _is_needed(statement: TextStatement, coverage: MemoryMdCoverage | None) -> bool:
    """Return whether a statement is about a rule, preference or person and loaded nowhere else."""
    lines = range(statement.start, statement.end + 1)
    return coverage is not None and not coverage.needed.isdisjoint(lines)


def _measured_plan(
    findings: AuditFindings, action: Action, text: str, risk: Risk, edit: LineEdit
) -> Iterator[RecommendationPlan]:
    """Yield the plan for an edit, with the exact saving, unless it saves nothing."""
    host = findings.sources.host
    others = {name: len(file.text) for name, file in host.items() if name != MEMORY_MD}
    before = memory_costs(host[MEMORY_MD].text, others, findings.count)
    after_text = apply_edit(host[MEMORY_MD].data, edit).decode()
    after = memory_costs(after_text, others, findings.count)
    saving = sum(cost.tokens for cost in before) - sum(cost.tokens for cost in after)
    at_start = tokens_at_start(before) - tokens_at_start(after)
    if saving > 0:
        yield RecommendationPlan(
            Recommendation(action, text, saving, risk, 0, applies=True, at_start=at_start), edit
        )


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _line_numbers(statements: Sequence[TextStatement]) -> str:
    return listed([f"L{statement.start}" for statement in statements], 8)
