"""What does the asker receive? The pages, and what each step did; together within the budget."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from remem.core.fence import flat

if TYPE_CHECKING:
    from remem.ports import TokenCounter

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
        "pages": [_plain(each, ("path", "tier", "text", "truncated")) for each in answer.pages],
        "trace": [
            _plain(each, ("step", "outcome", "input", "tokens", "refused")) for each in answer.trace
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
