"""Open the files of a room that a message needs, step by step.

The steps are: mapping, gate, intent, the best file, a convention that it refers to, budget. In
main, which has no conventions, the project that the message names is opened besides the best file.
The trace records what each step did, what it refused, and why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from remem.disclose.gate_guard import GateGuard, gate_digest
from remem.disclose.get import read_resolved
from remem.disclose.open.fitting import fit_pages
from remem.disclose.open.intent import Keywords, SimilarityFunction, keywords_of, match_routes
from remem.disclose.open.result import (
    GatePage,
    LoadedFile,
    LoadingPlan,
    OpenResult,
    build_trace,
    fit_to_budget,
)
from remem.disclose.path_access import PathRefusal, resolve_path
from remem.disclose.start import group_budget
from remem.fast_dataclass import dataclass
from remem.files.layout import markdown_in
from remem.files.memory_files import hard_link_rule
from remem.files.safe_open import UnsafePath
from remem.files.start_files import gate_text
from remem.model.conversation import NO_GATE, Conversation, load_refusal, path_key
from remem.model.domain_routing import UNTRUSTED
from remem.model.gate import Route, read_gate_file
from remem.model.scope import Session
from remem.ports.models import TokenCounter
from remem.text.markdown import one_line
from remem.text.words import fold, has_grams, words

_CONVENTION: Final = re.compile(r"conventions/[^\s`|()\[\]<>\"'，。；：、（）]+?\.md", re.I)
_MAX_MESSAGE_LENGTH: Final = 4000
"""The rest of a longer message is ignored."""

_MAX_NAME_LENGTH: Final = 40
"""Longer names are cut in the answer, so that a name cannot use up a small budget."""

_DEFAULT_MAIN_ROUTES: Final = (
    Route("any work conversation: task, todo, status, blocker, next step", "attention.md", "P0"),
    Route("what lasts: long-term, preference, background", "longterm.md", "P1"),
    Route("recent days: yesterday, this week", "daily-synced.md", "P2"),
)
"""The routes of main if its gate has none."""


@dataclass(frozen=True, slots=True)
class OpenContext:
    """The dependencies of opening a room; `budget` is the configured number of tokens."""

    session: Session
    guard: GateGuard
    counter: TokenCounter
    budget: int
    similarity: SimilarityFunction

    @property
    def is_main(self) -> bool:
        return self.guard.scope.kind == "main"

    def load(self, file: str) -> LoadedFile | str:
        """Read a file by the name that a gate uses; return the reason if it cannot be loaded.

        The same access checks apply as to a file that is requested by path. The read is not
        recorded in the conversation yet.
        """
        path = self._path_of(file)
        resolved = resolve_path(self.session, path, self.guard.layout)
        if isinstance(resolved, PathRefusal):
            return f"{path}: {resolved.code}"
        if path_key(resolved.parts[-1]).startswith(UNTRUSTED):
            return f"{path}: untrusted entries are not opened; memory_get shows them fenced"
        try:
            content = read_resolved(resolved, hard_link_rule(self.guard.layout, self.guard.scope))
        except UnsafePath:
            return f"{path}: MEMORY_PATH_NOT_ALLOWED"
        except OSError as error:
            return f"{path}: {error.strerror or error}"
        if content is None:
            return f"{path}: does not exist yet"
        text = content.data.decode(errors="replace").removeprefix("\ufeff")
        return LoadedFile(resolved.path, self.guard.tier(resolved.path), text)

    def _path_of(self, file: str) -> str:
        inside = self.guard.relative_name(file)
        is_full_path = inside.startswith(("memory/", "/")) or inside == "MEMORY.md"
        return inside if is_full_path else f"{self.guard.folder}/{inside}"

    def projects_in(self, message: Keywords) -> list[str]:
        """Return the projects of main that a message mentions, longest name first."""
        folder = self.guard.layout.memory / "main" / "projects"
        projects = [
            name for name in markdown_in(folder) if _mentions(message, name.removesuffix(".md"))
        ]
        return [
            f"projects/{name}" for name in sorted(projects, key=lambda name: (-len(name), name))
        ]


def open_room(context: OpenContext, message: str) -> OpenResult:
    """Return the pages that a message needs, within the budget, and record them as read."""
    before = context.guard.conversations.current()
    plan = _plan(context, message[:_MAX_MESSAGE_LENGTH], before)
    budget = group_budget(plan.gate.file.budget, context.budget)
    room = one_line(context.guard.scope.name or "main", _MAX_NAME_LENGTH)

    def draft(tokens: int) -> OpenResult:
        pages, refused = fit_pages(plan, tokens, context.counter)
        trace = build_trace(
            plan, context.session, pages, refused, budget=budget, counter=context.counter
        )
        return OpenResult(room, tuple(pages), trace, 0, budget, 0, plan.gate.problems)

    answer = fit_to_budget(budget, context.counter, draft)
    _record(context, plan, answer)
    return answer


def _plan(context: OpenContext, message: str, before: Conversation) -> LoadingPlan:
    """Plan which files to load; without a gate, only main loads any."""
    gate = _read_gate(context, before)
    plan = LoadingPlan(message, gate, before.tokens)
    if gate.text is None and not context.is_main:
        return plan
    keywords = keywords_of(message)
    plan = replace(
        plan,
        intent=match_routes(message, gate.file.routes, context.similarity),
        projects=tuple(context.projects_in(keywords)[:1]) if context.is_main else (),
    )
    loaded, refused = _load(context, plan.files, before)
    plan = replace(plan, loaded=loaded, refused=refused)
    if context.is_main or not loaded:
        return plan
    return _with_convention(context, plan, keywords, before)


def _read_gate(context: OpenContext, before: Conversation) -> GatePage:
    problems: list[str] = []
    text = gate_text(context.guard.layout, context.guard.scope, problems)
    file = read_gate_file(text or "")
    if context.is_main and not file.routes:
        file = replace(file, routes=_DEFAULT_MAIN_ROUTES)
    already_read = text is not None and before.gate == gate_digest(text)
    return GatePage(context.guard.gate, text, file, already_read, tuple(problems))


def _load(
    context: OpenContext, files: Sequence[str], before: Conversation
) -> tuple[tuple[LoadedFile, ...], tuple[str, ...]]:
    """Load the best file that exists, and in main also the project that the message names.

    Loading stops when a limit refuses a file, so that no less relevant file takes its place.
    """
    loaded: list[LoadedFile] = []
    refused: list[str] = []
    for file in dict.fromkeys(files):
        if len(loaded) == (2 if context.is_main else 1):
            break
        result = context.load(file)
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
    context: OpenContext, plan: LoadingPlan, keywords: Keywords, before: Conversation
) -> LoadingPlan:
    """Load at most one convention, and only if the file refers to it."""
    (file,) = plan.loaded
    names = _conventions_in(file, keywords) if file.tier != "conventions" else []
    plan = replace(plan, conventions=tuple(names))
    if not names:
        return plan
    convention = context.load(names[0])
    if isinstance(convention, str):
        return replace(plan, conventions_not_loaded=(convention,))
    if reason := load_refusal(before, convention.path, convention.tier, main=False):
        return replace(plan, conventions_not_loaded=(f"{convention.path}: {reason}",))
    others = tuple(f"{name}: only one convention is loaded at a time" for name in names[1:])
    return replace(plan, convention=convention, conventions_not_loaded=others)


def _record(context: OpenContext, plan: LoadingPlan, answer: OpenResult) -> None:
    """Record in the conversation which pages the answer contains, and what it cost."""
    gate, received = plan.gate, {page.path for page in answer.pages}
    if gate.path is None:
        return

    def update(before: Conversation) -> Conversation:
        after = before
        if gate.text is None:
            after = after.with_gate(NO_GATE)
        elif gate.already_read or gate.path in received:
            after = after.with_gate(gate_digest(gate.text))
        for page in plan.pages:
            if page.path in received:
                after = after.with_file(page.path, page.tier)
        return after.with_tokens(answer.token_count)

    context.guard.conversations.change(update)


def _conventions_in(file: LoadedFile, message: Keywords) -> list[str]:
    """Return the conventions that a file refers to; those that the message is about come first."""
    names = dict.fromkeys(_CONVENTION.findall(file.text))
    return sorted(names, key=lambda name: -message.count_in(name.partition("/")[2][:-3]))


def _mentions(message: Keywords, stem: str) -> bool:
    """Return whether the words of a name occur in a message, next to each other and in order."""
    name = fold(stem.replace("-", " ").replace("_", " "))
    if has_grams(name):
        return name in message.text
    return _contains(words(message.text), words(name))


def _contains(text: Sequence[str], phrase: Sequence[str]) -> bool:
    """Return whether the words of a text contain those of a phrase, without others in between."""
    size = len(phrase)
    starts = range(len(text) - size + 1)
    return bool(phrase) and any(
        list(text[start : start + size]) == list(phrase) for start in starts
    )
