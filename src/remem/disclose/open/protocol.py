"""What does a message need of its room's memory? The steps of the protocol, in their order.

mapping → gate → intent → the one best file → a convention it refers to → stop at the budget.
Main has three layers and no conventions: its gate, the file that fits, and the project that
the message names. Each step says in the trace what it did, and what it refused and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.disclose.gate_guard import Entry, digest_of
from remem.disclose.open.fitting import fitted
from remem.disclose.open.intent import Sense, Telling, intent_of, telling
from remem.disclose.open.reading import Reader, Sheet, conventions_in
from remem.disclose.open.result import Disclosed, GatePage, Plan, trace_of, within
from remem.disclose.start import group_budget
from remem.files.start_files import gate_text
from remem.model.conversation import NO_GATE, Conversation, why_not
from remem.model.gate import Route, read_gate_file
from remem.model.scope import Session
from remem.ports.models import TokenCounter
from remem.text.untrusted import flat

_LONGEST: Final = 4000
"""Characters of a message that are looked at."""

_LONGEST_NAME: Final = 40
"""Characters of a room's name in an answer: a name must not use up a small budget."""

_MAINS: Final = (
    Route("any work conversation: task, todo, status, blocker, next step", "attention.md", "P0"),
    Route("what lasts: long-term, preference, background", "longterm.md", "P1"),
    Route("recent days: yesterday, this week", "daily-synced.md", "P2"),
)
"""The layers of main, where its gate does not say."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Whose memory is opened, and with what; `budget` is the configured one."""

    session: Session
    entry: Entry
    counter: TokenCounter
    budget: int
    sense: Sense

    @property
    def is_main(self) -> bool:
        return self.entry.scope.kind == "main"


def open_room(how: Opening, message: str) -> Disclosed:
    """The pages that a message needs, never above the budget; what it received is noted."""
    before = how.entry.conversations.now()
    plan = _plan(how, message[:_LONGEST], before)
    budget = group_budget(plan.gate.file.budget, how.budget)
    room = flat(how.entry.scope.name or "main", _LONGEST_NAME)

    def draft(tokens: int) -> Disclosed:
        pages, refused = fitted(plan, tokens, how.counter)
        trace = trace_of(plan, how.session, pages, refused, budget=budget, counter=how.counter)
        return Disclosed(room, tuple(pages), trace, 0, budget, 0, plan.gate.trouble)

    answer = within(budget, how.counter, draft)
    _note(how, plan, answer)
    return answer


def _plan(how: Opening, message: str, before: Conversation) -> Plan:
    """What the message needs. Without a gate a group loads nothing; a peer has no files."""
    gate = _read_gate(how, before)
    plan = Plan(message, gate, before.tokens)
    if gate.text is None and not how.is_main:
        return plan
    reader, asked = Reader(how.session, how.entry), telling(message)
    plan = replace(
        plan,
        intent=intent_of(message, gate.file.routes, how.sense),
        named=tuple(reader.projects_in(asked)[:1]) if how.is_main else (),
    )
    sheets, refused = _load(how, reader, plan.files, before)
    plan = replace(plan, sheets=sheets, refused=refused)
    return plan if how.is_main or not sheets else _with_convention(plan, reader, asked, before)


def _read_gate(how: Opening, before: Conversation) -> GatePage:
    trouble: list[str] = []
    text = gate_text(how.entry.layout, how.entry.scope, trouble)
    file = read_gate_file(text or "")
    if how.is_main and not file.routes:
        file = replace(file, routes=_MAINS)
    known = text is not None and before.gate == digest_of(text)
    return GatePage(how.entry.gate, text, file, known, tuple(trouble))


def _load(
    how: Opening, reader: Reader, files: Sequence[str], before: Conversation
) -> tuple[tuple[Sheet, ...], tuple[str, ...]]:
    """The best file that is there; in main the named project, too. A limit ends it: what fits
    less well must not come in its place."""
    sheets: list[Sheet] = []
    refused: list[str] = []
    for file in dict.fromkeys(files):
        if len(sheets) == (2 if how.is_main else 1):
            break
        sheet = reader.sheet(file)
        if isinstance(sheet, str):
            refused.append(sheet)
        elif reason := why_not(before, sheet.path, sheet.tier, main=how.is_main):
            refused.append(f"{sheet.path}: {reason}")
            break
        else:
            sheets.append(sheet)
            before = before.with_file(sheet.path, sheet.tier)
    return tuple(sheets), tuple(refused)


def _with_convention(plan: Plan, reader: Reader, asked: Telling, before: Conversation) -> Plan:
    """At most one, and only if the file refers to it."""
    (sheet,) = plan.sheets
    named = conventions_in(sheet, asked) if sheet.tier != "conventions" else []
    plan = replace(plan, referred=tuple(named))
    if not named:
        return plan
    found = reader.sheet(named[0])
    if isinstance(found, str):
        return replace(plan, not_referred=(found,))
    if reason := why_not(before, found.path, found.tier, main=False):
        return replace(plan, not_referred=(f"{found.path}: {reason}",))
    others = tuple(f"{each}: one convention at a time" for each in named[1:])
    return replace(plan, convention=found, not_referred=others)


def _note(how: Opening, plan: Plan, answer: Disclosed) -> None:
    """Only what the asker really received counts."""
    gate, received = plan.gate, {page.path for page in answer.pages}
    if gate.path is None:
        return

    def noted(before: Conversation) -> Conversation:
        now = before
        if gate.text is None:
            now = now.with_gate(NO_GATE)
        elif gate.known or gate.path in received:
            now = now.with_gate(digest_of(gate.text))
        for sheet in plan.pages:
            if sheet.path in received:
                now = now.with_file(sheet.path, sheet.tier)
        return now.with_tokens(answer.token_count)

    how.entry.conversations.change(noted)
