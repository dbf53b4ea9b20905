"""What does the asker receive? Entries within a budget that counts every character of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from remem.core.entry import Entry
from remem.core.wire import name_of
from remem.ports import TokenCounter

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


_CHEAPEST: Final = 25
"""No entry with its field names costs fewer tokens: below this, nothing more fits."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """One entry of an answer; what is None is left out of the text."""

    id: str
    category: str
    content: str
    priority: str
    score: float
    stored_at: str
    tags: tuple[str, ...] = ()
    context: str | None = None
    trust: str | None = None
    truncated: bool | None = None
    archived: bool | None = None
    superseded_by: str | None = None
    version: int | None = None
    updated_at: str | None = None
    expires_at: str | None = None
    related_to: tuple[str, ...] | None = None
    source: str | None = None
    why: dict[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a recall; `left_out` counts what matched and did not fit or was cut."""

    entries: tuple[Recalled, ...]
    token_count: int
    budget_remaining: int
    total_entries_matched: int
    left_out: int = 0
    notes: tuple[str, ...] = field(default=())


def answer_text(answer: DataclassInstance) -> str:
    """An answer as the model receives it: compact JSON, without what is not there.

    A result that follows a host's contract says itself that it is written in lines.
    """
    indent = getattr(answer, "indent", None)
    if indent is not None:
        return json.dumps(plain(answer), ensure_ascii=False, indent=indent)
    return _compact(plain(answer))


def plain(answer: DataclassInstance) -> dict[str, Any]:
    """A dataclass as JSON values, without what is None."""
    return {
        name: _value(value)
        for name, field_ in _names(type(answer))
        if (value := getattr(answer, field_)) is not None
    }


@cache
def _names(kind: type[DataclassInstance]) -> tuple[tuple[str, str], ...]:
    """What each field is called in an answer, and in the class; the same for every entry."""
    return tuple((name_of(each), each.name) for each in fields(kind))


def pack(
    found: Iterable[Recalled],
    budget: int,
    counter: TokenCounter,
    *,
    most: int | None = None,
    matched: int,
    notes: Sequence[str] = (),
) -> Answer:
    """Best first, passing over what does not fit; never above the budget.

    Pieces are counted alone while filling, the whole text at the end: joining pieces can
    cost a token more, and the last word has the text that is really sent.
    """
    room = budget - counter.count(answer_text(_counted([], budget, matched, notes, counter)))
    taken: list[Recalled] = []
    for each in found:
        if room < _CHEAPEST or len(taken) == most:
            break
        cost = counter.count("," + answer_text(each))
        if cost <= room:
            taken.append(each)
            room -= cost
    while True:
        answer = _counted(taken, budget, matched, notes, counter)
        if answer.token_count <= budget:
            return answer
        if taken:
            taken.pop()
        elif notes:
            notes = ()
        else:
            return answer


def _counted(
    taken: Sequence[Recalled],
    budget: int,
    matched: int,
    notes: Sequence[str],
    counter: TokenCounter,
) -> Answer:
    """The answer with its own cost in it; the cost's digits are part of the text."""
    answer = Answer(
        entries=tuple(taken),
        token_count=0,
        budget_remaining=budget,
        total_entries_matched=matched,
        left_out=max(0, matched - len(taken)),
        notes=tuple(notes),
    )
    count = 0
    for _ in range(4):
        text = answer_text(replace(answer, token_count=count, budget_remaining=budget - count))
        now = counter.count(text)
        if now <= count:
            break
        count = now
    return replace(answer, token_count=count, budget_remaining=max(0, budget - count))


def with_details(recalled: Recalled, entry: Entry) -> Recalled:
    """The fields that only the detailed format shows."""
    return replace(
        recalled,
        version=entry.version,
        updated_at=entry.updated_at,
        expires_at=entry.expires_at,
        related_to=entry.related_to or None,
        source=None if entry.trust == "untrusted" else entry.source,
        trust=entry.trust,
    )


def _value(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):  # most are, and this is quick
        return value
    if isinstance(value, list | tuple):
        return [_value(each) for each in value]
    return plain(value) if is_dataclass(value) and not isinstance(value, type) else value


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
