"""What did each step do? Its input and outcome, what it cost, what it refused and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from remem.core.scope import Session
from remem.disclosure.open.plan import Plan
from remem.disclosure.open.reading import Sheet
from remem.disclosure.open.result import Page, Step
from remem.ports import TokenCounter

_NO_FILES: Final = "this chat has no files of its own; memory_recall has what it knows"
_NO_GATE: Final = "there is none yet; memory_flush makes it of what the conversation teaches"


def trace_of(
    plan: Plan,
    session: Session,
    pages: Sequence[Page],
    refused: Sequence[str],
    *,
    budget: int,
    counter: TokenCounter,
) -> tuple[Step, ...]:
    """Every step that was taken; `refused` is what had no room."""
    paid = {page.path: counter.count(page.text) for page in pages}
    steps = [Step("mapping", str(session.scope), session.key), _gate(plan, paid)]
    if plan.intent is not None:
        steps += [_intent(plan), _file(plan, paid)]
    if plan.sheets and plan.sheets[0].path in paid and session.kind == "group":
        steps.append(_convention(plan, paid))
    cut = bool(refused) or any(page.truncated for page in pages)
    outcome = "stopped: parts are left out" if cut else "not reached"
    given = f"{budget} tokens" + (f", after {plan.spent} before" if plan.spent else "")
    steps.append(Step("budget", outcome, given, refused=tuple(refused) or None))
    return tuple(steps)


def _gate(plan: Plan, paid: dict[str, int]) -> Step:
    gate = plan.gate
    if gate.path is None:
        return Step("gate", _NO_FILES)
    if gate.text is None:
        return Step("gate", _NO_GATE, gate.path)
    if gate.known:
        return Step("gate", "read before in this conversation", gate.path)
    told = f"rules: {len(gate.file.rules)}, routes: {len(gate.file.routes)}"
    return Step("gate", told, gate.path, paid.get(gate.path))


def _intent(plan: Plan) -> Step:
    assert plan.intent is not None
    told = [f"{each} (named)" for each in plan.named]
    told += [f"{match.route.file} ({match.why})" for match in plan.intent.matches[:1]]
    outcome = ", ".join(told) or "no route fits; nothing is loaded"
    if plan.intent.without:
        outcome += f" [by words only: {plan.intent.without}]"
    return Step("intent", outcome, plan.message)


def _file(plan: Plan, paid: dict[str, int]) -> Step:
    shown = [each for each in plan.sheets if each.path in paid]
    outcome = ", ".join(map(_loaded, shown)) or "nothing is loaded"
    tokens = sum(paid[each.path] for each in shown) or None
    wanted = plan.files[0] if plan.files else None
    return Step("file", outcome, wanted, tokens, plan.refused or None)


def _convention(plan: Plan, paid: dict[str, int]) -> Step:
    if not plan.referred:
        return Step("conventions", "the file refers to none")
    shown = plan.convention is not None and plan.convention.path in paid
    outcome = _loaded(plan.convention) if plan.convention and shown else "none is loaded"
    tokens = paid.get(plan.convention.path) if plan.convention else None
    return Step("conventions", outcome, plan.referred[0], tokens, plan.not_referred or None)


def _loaded(sheet: Sheet) -> str:
    return f"loaded {sheet.path} ({sheet.tier})"
