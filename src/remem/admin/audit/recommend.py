"""What should be done about it? Each recommendation with what it saves, and at what risk.

What touches MEMORY.md drops only lines whose words stand elsewhere, or noise. Its saving is
counted on the file as it would be, by the audit's own counter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from remem.audit.advice import advice
from remem.audit.edits import Edit, edited
from remem.audit.findings import Findings, Plan, number_of
from remem.audit.load_rules import MEMORY_MD
from remem.audit.redundant import redundant
from remem.audit.result import Action, Recommendation, Risk
from remem.audit.sources import every_conversation, memory_costs
from remem.audit.statements import Statement


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
    exact = redundant([each for each in found.pairs if each.kind == "exact"], found.gathered)
    near = redundant([each for each in found.pairs if each.kind == "near"], found.gathered)
    promoted = [each.statement for each in found.noise if each.kind == "promoted" and each.safe]
    status = [each.statement for each in found.noise if each.report and not each.safe]
    dropping: list[tuple[Action, Sequence[Statement], str, Risk]] = [
        ("remove_duplicates", exact, "said word for word elsewhere", "low"),
        ("remove_near_duplicates", near, "every word said in another line", "medium"),
        ("remove_promoted_noise", promoted, "promoted by the host and still in its notes", "low"),
        ("remove_status_lines", status, "reports of a moment", "medium"),
    ]
    for action, statements, what, risk in dropping:
        removable = [each for each in statements if _stands_alone(each)]
        if removable:
            lines = number_of(len(removable), "line")
            text = f"drop {lines} of {MEMORY_MD}, {what}: {_places(removable)}"
            edit = Edit(frozenset(n for each in removable for n in range(each.start, each.end + 1)))
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
    saved = sum(each.tokens for each in before) - sum(each.tokens for each in after)
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
    shown = ", ".join(f"L{each.start}" for each in statements[:8])
    return f"{shown} and {len(statements) - 8} more" if len(statements) > 8 else shown
