"""Open the files of a room that a message needs, step by step.

The steps are: mapping, gate, intent, the best file, a convention it refers to, budget. Main has
no conventions: there the gate, the file that fits and the project that the message names are
opened. The trace records what each step did, what it refused, and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.disclose.gate_guard import GateGuard, gate_digest
from remem.disclose.open.fitting import fit_pages
from remem.disclose.open.intent import Keywords, SimilarityFunction, keywords_of, match_routes
from remem.disclose.open.reading import LoadedFile, ScopeReader, conventions_in
from remem.disclose.open.result import GatePage, OpenResult, Plan, build_trace, fit_to_budget
from remem.disclose.start import group_budget
from remem.files.start_files import gate_text
from remem.model.conversation import NO_GATE, Conversation, load_refusal
from remem.model.gate import Route, read_gate_file
from remem.model.scope import Session
from remem.ports.models import TokenCounter
from remem.text.markdown import one_line

_MAX_MESSAGE_LENGTH: Final = 4000
"""Characters of a message that are considered."""

_MAX_NAME_LENGTH: Final = 40
"""Characters of a room's name in an answer: a name must not use up a small budget."""

_DEFAULT_MAIN_ROUTES: Final = (
    Route("any work conversation: task, todo, status, blocker, next step", "attention.md", "P0"),
    Route("what lasts: long-term, preference, background", "longterm.md", "P1"),
    Route("recent days: yesterday, this week", "daily-synced.md", "P2"),
)
"""The routes of main if its gate has none."""


@dataclass(frozen=True, slots=True)
class OpenContext:
    """What opening a room needs; `budget` is the configured one."""

    session: Session
    guard: GateGuard
    counter: TokenCounter
    budget: int
    similarity: SimilarityFunction

    @property
    def is_main(self) -> bool:
        return self.guard.scope.kind == "main"


def open_room(context: OpenContext, message: str) -> OpenResult:
    """The pages that a message needs, within the budget; the conversation records them."""
    before = context.guard.conversations.now()
    plan = _plan(context, message[:_MAX_MESSAGE_LENGTH], before)
    budget = group_budget(plan.gate.file.budget, context.budget)
    room = one_line(context.guard.scope.name or "main", _MAX_NAME_LENGTH)

    def draft(tokens: int) -> OpenResult:
        pages, refused = fit_pages(plan, tokens, context.counter)
        trace = build_trace(
            plan, context.session, pages, refused, budget=budget, counter=context.counter
        )
        return OpenResult(room, tuple(pages), trace, 0, budget, 0, plan.gate.trouble)

    answer = fit_to_budget(budget, context.counter, draft)
    _record(context, plan, answer)
    return answer


def _plan(context: OpenContext, message: str, before: Conversation) -> Plan:
    """Plan what to load. A group without a gate loads nothing; a peer has no files."""
    gate = _read_gate(context, before)
    plan = Plan(message, gate, before.tokens)
    if gate.text is None and not context.is_main:
        return plan
    reader, keywords = ScopeReader(context.session, context.guard), keywords_of(message)
    plan = replace(
        plan,
        intent=match_routes(message, gate.file.routes, context.similarity),
        named=tuple(reader.projects_in(keywords)[:1]) if context.is_main else (),
    )
    loaded, refused = _load(context, reader, plan.files, before)
    plan = replace(plan, loaded=loaded, refused=refused)
    return (
        plan if context.is_main or not loaded else _with_convention(plan, reader, keywords, before)
    )


def _read_gate(context: OpenContext, before: Conversation) -> GatePage:
    trouble: list[str] = []
    text = gate_text(context.guard.layout, context.guard.scope, trouble)
    file = read_gate_file(text or "")
    if context.is_main and not file.routes:
        file = replace(file, routes=_DEFAULT_MAIN_ROUTES)
    known = text is not None and before.gate == gate_digest(text)
    return GatePage(context.guard.gate, text, file, known, tuple(trouble))


def _load(
    context: OpenContext, reader: ScopeReader, files: Sequence[str], before: Conversation
) -> tuple[tuple[LoadedFile, ...], tuple[str, ...]]:
    """Load the best file that exists, and in main also the named project.

    Loading stops at a limit: a file that fits less well must not take its place.
    """
    loaded: list[LoadedFile] = []
    refused: list[str] = []
    for file in dict.fromkeys(files):
        if len(loaded) == (2 if context.is_main else 1):
            break
        result = reader.load(file)
        if isinstance(result, str):
            refused.append(result)
        elif reason := load_refusal(before, result.path, result.tier, main=context.is_main):
            refused.append(f"{result.path}: {reason}")
            break
        else:
            loaded.append(result)
            before = before.with_file(result.path, result.tier)
    return tuple(loaded), tuple(refused)


def _with_convention(
    plan: Plan, reader: ScopeReader, keywords: Keywords, before: Conversation
) -> Plan:
    """Load at most one convention, and only if the file refers to it."""
    (file,) = plan.loaded
    names = conventions_in(file, keywords) if file.tier != "conventions" else []
    plan = replace(plan, referred=tuple(names))
    if not names:
        return plan
    convention = reader.load(names[0])
    if isinstance(convention, str):
        return replace(plan, not_referred=(convention,))
    if reason := load_refusal(before, convention.path, convention.tier, main=False):
        return replace(plan, not_referred=(f"{convention.path}: {reason}",))
    others = tuple(f"{name}: one convention at a time" for name in names[1:])
    return replace(plan, convention=convention, not_referred=others)


def _record(context: OpenContext, plan: Plan, answer: OpenResult) -> None:
    """Record what the caller really received, after cutting to the budget."""
    gate, received = plan.gate, {page.path for page in answer.pages}
    if gate.path is None:
        return

    def update(before: Conversation) -> Conversation:
        after = before
        if gate.text is None:
            after = after.with_gate(NO_GATE)
        elif gate.known or gate.path in received:
            after = after.with_gate(gate_digest(gate.text))
        for page in plan.pages:
            if page.path in received:
                after = after.with_file(page.path, page.tier)
        return after.with_tokens(answer.token_count)

    context.guard.conversations.change(update)
