"""What should be done about it? Each recommendation with what it saves, and at what risk.

What touches MEMORY.md drops only lines whose words stand elsewhere, or noise. Its saving is
counted on the file as it would be, by the audit's own counter.

What can only a person, or another command, do about it? Savings here are estimates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from remem.admin.audit.duplicates import redundant
from remem.admin.audit.findings import Findings, Plan, number_of
from remem.admin.audit.result import Action, Recommendation, Risk
from remem.admin.audit.sources import every_conversation, memory_costs
from remem.model.host_loading import CUT, MEMORY_MD
from remem.text.line_edits import Edit, edited
from remem.text.statements import Statement

START_LIMIT: Final = 2_000
"""No start of a conversation costs more, whatever the memory holds."""


def advice(found: Findings) -> Iterator[Plan]:
    yield from _migrate(found)
    yield from _shorten(found)
    yield from _merge(found)
    if found.clashes:
        pairs = number_of(len(found.clashes), "pair")
        text = f"say which one stands in {pairs} of lines: see contradictions"
        yield _by_hand("resolve_contradictions", text, 0, 0, "low")
    if found.stale:
        tokens = sum(stale.tokens for stale in found.stale)
        number = sum(stale.entries for stale in found.stale)
        text = f"look through the entries that nobody has seen for a month ({number}): see stale"
        yield _by_hand("review_stale", text, tokens, 0, "medium")


def _migrate(found: Findings) -> Iterator[Plan]:
    memory = [spent for spent in found.gathered.spent if spent.part == "memory_md"]
    saved = every_conversation(memory) - START_LIMIT
    if found.coverage and not found.coverage.migrated and saved > 0:
        left = number_of(len(found.coverage.missing), "line")
        text = (
            f"`remem migrate` makes entries of {left} of {MEMORY_MD} and leaves the file alone; "
            "after that a pointer can take their place"
        )
        yield _by_hand("migrate", text, saved, saved, "low")


def _shorten(found: Findings) -> Iterator[Plan]:
    for spent in found.gathered.spent:
        if spent.when == CUT:
            name = spent.source.partition(" ")[0]
            text = f"shorten {name}: a host with limits cuts its middle away unread"
            yield _by_hand("shorten", text, spent.tokens, 0, "low")


def _merge(found: Findings) -> Iterator[Plan]:
    """What every conversation pays for twice, and remem does not dare to drop."""
    ready = {id(statement) for statement in redundant(found.pairs, found.gathered)}
    pairs = [
        pair
        for pair in found.pairs
        if pair.a.always and pair.b.always and not {id(pair.a), id(pair.b)} & ready
    ]
    if pairs:
        tokens = sum(min(found.count(pair.a.text), found.count(pair.b.text)) for pair in pairs)
        number = number_of(len(pairs), "pair")
        text = f"merge by hand what is said twice in {number} of lines: see duplicates"
        yield _by_hand("merge_by_hand", text, tokens, tokens, "medium")


def _by_hand(action: Action, text: str, saving: int, at_start: int, risk: Risk) -> Plan:
    return Plan(Recommendation(action, text, saving, risk, 0, False, at_start))


def plans(found: Findings) -> list[Plan]:
    """What remem can do itself comes first, and what saves most; numbered from one."""
    ready = sorted(_edits(found), key=_saving, reverse=True)
    by_hand = sorted(advice(found), key=_saving, reverse=True)
    return [
        replace(plan, recommendation=replace(plan.recommendation, number=number))
        for number, plan in enumerate([*ready, *by_hand], 1)
    ]


def _saving(plan: Plan) -> int:
    return plan.recommendation.estimated_savings_tokens


def _edits(found: Findings) -> Iterator[Plan]:
    memory = found.gathered.host.get(MEMORY_MD)
    if memory is None or not _is_text(memory.data):
        return
    exact = redundant([pair for pair in found.pairs if pair.kind == "exact"], found.gathered)
    near = redundant([pair for pair in found.pairs if pair.kind == "near"], found.gathered)
    promoted = [noise.statement for noise in found.noise if noise.kind == "promoted" and noise.safe]
    status = [noise.statement for noise in found.noise if noise.report and not noise.safe]
    dropping: list[tuple[Action, Sequence[Statement], str, Risk]] = [
        ("remove_duplicates", exact, "said word for word elsewhere", "low"),
        ("remove_near_duplicates", near, "every word said in another line", "medium"),
        ("remove_promoted_noise", promoted, "promoted by the host and still in its notes", "low"),
        ("remove_status_lines", status, "reports of a moment", "medium"),
    ]
    for action, statements, what, risk in dropping:
        removable = [statement for statement in statements if _stands_alone(statement)]
        if removable:
            lines = number_of(len(removable), "line")
            text = f"drop {lines} of {MEMORY_MD}, {what}: {_places(removable)}"
            edit = Edit(
                frozenset(
                    n for statement in removable for n in range(statement.start, statement.end + 1)
                )
            )
            yield from _counted(found, action, text, risk, edit)
    if found.coverage and found.coverage.sections:
        names = ", ".join(found.coverage.sections[:5])
        more = len(found.coverage.sections) - 5
        text = (
            f"replace {len(found.coverage.sections)} sections of {MEMORY_MD}, whose every line is "
            f"an entry, by a pointer: {names}{f' and {more} more' if more > 0 else ''}"
        )
        yield from _counted(found, "point_to_entries", text, "medium", found.coverage.edit)


def _counted(found: Findings, action: Action, text: str, risk: Risk, edit: Edit) -> Iterator[Plan]:
    """The plan with its exact saving; one that saves nothing is none."""
    host = found.gathered.host
    others = {name: len(each.text) for name, each in host.items() if name != MEMORY_MD}
    before = memory_costs(host[MEMORY_MD].text, others, found.count)
    after_text = edited(host[MEMORY_MD].data, edit).decode()
    after = memory_costs(after_text, others, found.count)
    saved = sum(spent.tokens for spent in before) - sum(spent.tokens for spent in after)
    at_start = every_conversation(before) - every_conversation(after)
    if saved > 0:
        yield Plan(Recommendation(action, text, saved, risk, 0, True, at_start), edit)


def _stands_alone(statement: Statement) -> bool:
    """Whether it can go without taking another line's meaning with it."""
    return statement.leaf and (statement.kind == "bullet" or statement.parent is None)


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _places(statements: Sequence[Statement]) -> str:
    shown = ", ".join(f"L{statement.start}" for statement in statements[:8])
    return f"{shown} and {len(statements) - 8} more" if len(statements) > 8 else shown
