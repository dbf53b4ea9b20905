"""What did each step do? Its input and outcome, what it cost, what it refused and why.

What is to be shown for a message? Decided once, before it is cut to the budget.

What does the asker receive? The pages, and what each step did; together within the budget.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from remem.disclose.open.intent import Intent
from remem.disclose.open.reading import Sheet
from remem.model.gate import GateFile
from remem.model.scope import Session
from remem.ports.models import TokenCounter
from remem.text.untrusted import flat


@dataclass(frozen=True, slots=True)
class GatePage:
    """The gate of a scope: a peer has no `path`, a new group no `text`.

    `known` means that the conversation has read it as it is now.
    """

    path: str | None
    text: str | None
    file: GateFile
    known: bool
    trouble: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What each step came to; `refused` and `not_referred` say what was not loaded, and why.

    `named` are projects that the message names, `referred` the conventions that the file names.
    """

    message: str
    gate: GatePage
    spent: int = 0
    """Tokens that the conversation has had before."""
    intent: Intent | None = None
    named: tuple[str, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    refused: tuple[str, ...] = ()
    referred: tuple[str, ...] = ()
    convention: Sheet | None = None
    not_referred: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that may be loaded, the best first."""
        matches = self.intent.matches if self.intent else ()
        return (*self.named, *(match.route.file for match in matches))

    @property
    def pages(self) -> tuple[Sheet, ...]:
        """Everything to be shown besides the gate."""
        return (*self.sheets, *([self.convention] if self.convention else []))


_SHORT: Final = (200, 80, 30, 0)
"""Characters of a step's texts, from a full trace to a bare one."""
_ATTEMPTS: Final = 6


@dataclass(frozen=True, slots=True)
class Page:
    """A file, or the parts of it that matter and fit; `tier` is `gate` for the gate."""

    path: str
    tier: str
    text: str
    truncated: bool | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what went in, what came of it, what it cost, and what was refused and why."""

    step: str
    outcome: str
    input: str | None = None
    tokens: int | None = None
    refused: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Disclosed:
    """The answer of `memory_open`."""

    room: str
    pages: tuple[Page, ...]
    trace: tuple[Step, ...]
    token_count: int
    budget: int
    budget_remaining: int
    notes: tuple[str, ...] = field(default=())


Draft = Callable[[int], Disclosed]
"""The answer, with so many tokens of room for its pages."""


def within(budget: int, counter: TokenCounter, draft: Draft) -> Disclosed:
    """The fullest answer that costs no more than the budget, counted as the text that is sent.

    Pages give way first, then the words of the trace; its steps stay.
    """
    for longest in _SHORT:
        room = budget
        for _ in range(_ATTEMPTS):
            answer = _counted(_shortened(draft(max(0, room)), longest), counter)
            if answer.token_count <= budget:
                return answer
            if room <= 0:
                break
            room -= max(answer.token_count - budget, 8)
    bare = replace(answer, pages=(), notes=())
    for trace in (bare.trace, bare.trace[-1:], ()):
        answer = _counted(replace(bare, trace=trace), counter)
        if answer.token_count <= budget:
            break
    return answer


def cost(text: str, counter: TokenCounter) -> int:
    """What a text costs inside an answer, where line ends and quotes are escaped."""
    return counter.count(json.dumps(text, ensure_ascii=False))


def _shortened(answer: Disclosed, longest: int) -> Disclosed:
    return replace(answer, trace=tuple(_short(step, longest) for step in answer.trace))


def _short(step: Step, longest: int) -> Step:
    if not longest:
        return Step(step.step, flat(step.outcome, 24), tokens=step.tokens)
    refused = tuple(flat(each, longest) for each in step.refused or ()) or None
    given = flat(step.input, longest) if step.input and longest > _SHORT[2] else None
    return replace(step, outcome=flat(step.outcome, longest), input=given, refused=refused)


def _counted(answer: Disclosed, counter: TokenCounter) -> Disclosed:
    """With its own cost in it; the cost's digits are part of the text."""
    count = 0
    for _ in range(4):
        left = max(0, answer.budget - count)
        answer = replace(answer, token_count=count, budget_remaining=left)
        now = counter.count(_text(answer))
        if now <= count:
            break
        count = now
    return replace(answer, token_count=count, budget_remaining=max(0, answer.budget - count))


def _text(answer: Disclosed) -> str:
    """Exactly what every surface sends."""
    told = {
        "room": answer.room,
        "pages": [_plain(page, ("path", "tier", "text", "truncated")) for page in answer.pages],
        "trace": [
            _plain(step, ("step", "outcome", "input", "tokens", "refused")) for step in answer.trace
        ],
        "token_count": answer.token_count,
        "budget": answer.budget,
        "budget_remaining": answer.budget_remaining,
        "notes": list(answer.notes),
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def _plain(part: Page | Step, names: Sequence[str]) -> dict[str, object]:
    values = ((name, getattr(part, name)) for name in names)
    return {name: value for name, value in values if value is not None}


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
    shown = [sheet for sheet in plan.sheets if sheet.path in paid]
    outcome = ", ".join(map(_loaded, shown)) or "nothing is loaded"
    tokens = sum(paid[sheet.path] for sheet in shown) or None
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
