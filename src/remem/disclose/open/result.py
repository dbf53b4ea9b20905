"""The answer to `memory_open`: pages, and a trace of the steps, together within the budget.

A `LoadingPlan` is made once for a message; the answer built from it is then cut to the budget.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Final

from remem.disclose.open.intent import MatchedRoutes
from remem.fast_dataclass import dataclass
from remem.model.conversation import Tier
from remem.model.gate import GateFile
from remem.model.scope import Session
from remem.ports.models import TokenCounter
from remem.search.answer.answer import answer_text
from remem.text.markdown import one_line

_TRACE_LENGTHS: Final = (200, 80, 30, 0)
"""Maximum lengths of each text in a step, tried from the longest to the shortest."""
_MAX_ATTEMPTS: Final = 6
_NO_FILES: Final = "this chat has no files; use memory_recall"
_NO_GATE: Final = "there is none yet; memory_flush creates it"


@dataclass(frozen=True, slots=True)
class GatePage:
    """The gate of a scope, with its rules and routes in `file`.

    `path` is None for a peer, which has no gate; `text` is None if the gate does not exist yet.
    `already_read` means that the conversation has read the current text before.
    """

    path: str | None
    text: str | None
    file: GateFile
    already_read: bool
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A file that was read; `path` is relative to the workspace."""

    path: str
    tier: Tier
    text: str


@dataclass(frozen=True, slots=True)
class LoadingPlan:
    """The decisions of each step, and the files that it loaded.

    `tokens_spent` counts the tokens that the conversation has already received. `projects` are
    those that the message names, `conventions` those that the loaded file refers to. `refused` and
    `conventions_not_loaded` list what was not loaded, and why.
    """

    message: str
    gate: GatePage
    tokens_spent: int = 0
    intent: MatchedRoutes | None = None
    projects: tuple[str, ...] = ()
    loaded: tuple[LoadedFile, ...] = ()
    refused: tuple[str, ...] = ()
    conventions: tuple[str, ...] = ()
    convention: LoadedFile | None = None
    conventions_not_loaded: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that may be loaded, best first."""
        matches = self.intent.matches if self.intent else ()
        return (*self.projects, *(match.route.file for match in matches))

    @property
    def pages(self) -> tuple[LoadedFile, ...]:
        """The files to be shown in addition to the gate."""
        return (*self.loaded, *([self.convention] if self.convention else []))


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """A file, or the most relevant parts of it that fit; `tier` is `gate` for the gate."""

    path: str
    tier: str
    text: str
    truncated: bool | None = None


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step: its input, outcome and cost, and what was refused and why."""

    step: str
    outcome: str
    input: str | None = None
    tokens: int | None = None
    refused: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class OpenResult:
    """The answer to `memory_open`; `room` is the name of the group or peer, or `main`."""

    room: str
    pages: tuple[LoadedPage, ...]
    trace: tuple[TraceStep, ...]
    token_count: int
    budget: int
    budget_remaining: int
    notes: tuple[str, ...] = field(default=())


DraftAnswer = Callable[[int], OpenResult]
"""Builds an answer whose pages have at most the given number of tokens."""


def fit_to_budget(budget: int, counter: TokenCounter, draft: DraftAnswer) -> OpenResult:
    """Return the fullest answer within the budget, counted on the text that is sent.

    Pages are cut first, then the texts of the trace; its steps are dropped only if nothing else
    helps.
    """
    for max_length in _TRACE_LENGTHS:
        available = budget
        for _ in range(_MAX_ATTEMPTS):
            answer = _with_cost(_shorten_trace(draft(max(0, available)), max_length), counter)
            if answer.token_count <= budget:
                return answer
            if available <= 0:
                break
            available -= max(answer.token_count - budget, 8)
    bare = replace(answer, pages=(), notes=())
    for trace in (bare.trace, bare.trace[-1:], ()):
        answer = _with_cost(replace(bare, trace=trace), counter)
        if answer.token_count <= budget:
            break
    return answer


def encoded_cost(text: str, counter: TokenCounter) -> int:
    """Return the cost of a text inside an answer, where line ends and quotes are escaped."""
    return counter.count(json.dumps(text, ensure_ascii=False))


def _shorten_trace(answer: OpenResult, max_length: int) -> OpenResult:
    return replace(answer, trace=tuple(_shorten(step, max_length) for step in answer.trace))


def _shorten(step: TraceStep, max_length: int) -> TraceStep:
    if not max_length:
        return TraceStep(step.step, one_line(step.outcome, 24), tokens=step.tokens)
    refused = tuple(one_line(reason, max_length) for reason in step.refused or ()) or None
    with_input = step.input and max_length > _TRACE_LENGTHS[2]
    return replace(
        step,
        outcome=one_line(step.outcome, max_length),
        input=one_line(step.input, max_length) if step.input and with_input else None,
        refused=refused,
    )


def _with_cost(answer: OpenResult, counter: TokenCounter) -> OpenResult:
    """Return the answer with its own cost filled in.

    The digits of the cost are part of the text, so it is counted until it no longer grows.
    """
    count = 0
    for _ in range(4):
        remaining = max(0, answer.budget - count)
        answer = replace(answer, token_count=count, budget_remaining=remaining)
        new_count = counter.count(answer_text(answer))
        if new_count <= count:
            break
        count = new_count
    return replace(answer, token_count=count, budget_remaining=max(0, answer.budget - count))


def build_trace(
    plan: LoadingPlan,
    session: Session,
    pages: Sequence[LoadedPage],
    refusals: Sequence[str],
    *,
    budget: int,
    counter: TokenCounter,
) -> tuple[TraceStep, ...]:
    """Return the steps that were taken; `refusals` lists the pages that did not fit."""
    costs = {page.path: counter.count(page.text) for page in pages}
    steps = [TraceStep("mapping", str(session.scope), session.key), _gate_step(plan, costs)]
    if plan.intent is not None:
        steps += [_intent_step(plan), _file_step(plan, costs)]
    if plan.loaded and plan.loaded[0].path in costs and session.kind == "group":
        steps.append(_convention_step(plan, costs))
    cut = bool(refusals) or any(page.truncated for page in pages)
    outcome = "stopped: parts are left out" if cut else "not reached"
    used = f", in addition to {plan.tokens_spent} already used" if plan.tokens_spent else ""
    limit = f"{budget} tokens{used}"
    steps.append(TraceStep("budget", outcome, limit, refused=tuple(refusals) or None))
    return tuple(steps)


def _gate_step(plan: LoadingPlan, costs: dict[str, int]) -> TraceStep:
    gate = plan.gate
    if gate.path is None:
        return TraceStep("gate", _NO_FILES)
    if gate.text is None:
        return TraceStep("gate", _NO_GATE, gate.path)
    if gate.already_read:
        return TraceStep("gate", "read before in this conversation", gate.path)
    outcome = f"rules: {len(gate.file.rules)}, routes: {len(gate.file.routes)}"
    return TraceStep("gate", outcome, gate.path, costs.get(gate.path))


def _intent_step(plan: LoadingPlan) -> TraceStep:
    assert plan.intent is not None
    sources = [f"{name} (named)" for name in plan.projects]
    sources += [f"{match.route.file} ({match.why})" for match in plan.intent.matches[:1]]
    outcome = ", ".join(sources) or "no route fits; nothing is loaded"
    if plan.intent.fallback_reason:
        outcome += f" [by words only: {plan.intent.fallback_reason}]"
    return TraceStep("intent", outcome, plan.message)


def _file_step(plan: LoadingPlan, costs: dict[str, int]) -> TraceStep:
    received = [file for file in plan.loaded if file.path in costs]
    outcome = ", ".join(map(_describe_loaded, received)) or "nothing is loaded"
    tokens = sum(costs[file.path] for file in received) or None
    first_file = plan.files[0] if plan.files else None
    return TraceStep("file", outcome, first_file, tokens, plan.refused or None)


def _convention_step(plan: LoadingPlan, costs: dict[str, int]) -> TraceStep:
    if not plan.conventions:
        return TraceStep("conventions", "the file refers to none")
    received = plan.convention is not None and plan.convention.path in costs
    outcome = (
        _describe_loaded(plan.convention) if plan.convention and received else "none is loaded"
    )
    tokens = costs.get(plan.convention.path) if plan.convention else None
    not_loaded = plan.conventions_not_loaded or None
    return TraceStep("conventions", outcome, plan.conventions[0], tokens, not_loaded)


def _describe_loaded(file: LoadedFile) -> str:
    return f"loaded {file.path} ({file.tier})"
