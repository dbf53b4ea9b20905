"""Build the answer to a recall within a token budget, which covers the whole text of the answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, fields, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from remem.fast_dataclass import dataclass
from remem.model.arguments import json_name

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from remem.model.entry import Entry
    from remem.ports.models import TokenCounter


_MIN_ENTRY_COST: Final = 25
"""An entry costs at least this many tokens, including field names; with fewer, nothing fits."""
_ANSWER_START: Final = '{"entries":['
"""The beginning of every answer."""
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Recalled:
    """One entry of an answer; fields that are None are omitted from the text."""

    id: str
    category: str
    content: str
    priority: str
    score: float
    stored_at: str
    tags: tuple[str, ...] = ()
    project: str | None = None
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
    earlier: bool | None = None
    """Whether a newer statement in this answer speaks of the same thing."""
    possibly_outdated: str | None = None
    """The id of a replaced memory that this one builds on."""
    why: dict[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a recall; `left_out` counts matches that did not fit or exceeded the limit."""

    entries: tuple[Recalled, ...]
    token_count: int
    budget_remaining: int
    total_entries_matched: int
    left_out: int = 0
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class EntryOffer:
    """A possible entry of an answer; `render` is called only if `min_cost` fits."""

    min_cost: int
    render: Callable[[], Recalled]


def answer_text(answer: DataclassInstance) -> str:
    """Return an answer as the model receives it: compact JSON without missing values.

    A result type that hosts expect as indented JSON has an attribute `indent`; one that they expect
    in another form has a method `as_text`.
    """
    if as_text := getattr(answer, "as_text", None):
        return str(as_text())
    indent = getattr(answer, "indent", None)
    if indent is not None:
        return json.dumps(plain(answer), ensure_ascii=False, indent=indent)
    return _ENCODER.encode(plain(answer))


def plain(answer: DataclassInstance) -> dict[str, Any]:
    """Return a dataclass as JSON values, without fields that are None."""
    return {
        json_key: _value(value)
        for name, json_key in _field_names(type(answer))
        if (value := getattr(answer, name)) is not None
    }


@cache
def _field_names(kind: type[DataclassInstance]) -> tuple[tuple[str, str], ...]:
    """Return the names of a class's fields, each with its name in JSON."""
    return tuple((column.name, json_name(column)) for column in fields(kind))


def pack(
    offers: Iterable[EntryOffer],
    budget: int,
    counter: TokenCounter,
    *,
    limit: int | None = None,
    match_count: int,
    notes: Sequence[str] = (),
) -> Answer:
    """Fill an answer in the given order, skip what does not fit, and sort the result best first.

    Entries are counted one by one while filling, and the whole text at the end, because joining
    them can cost a token more. The answer never exceeds the budget.
    """
    available = budget - counter.count(
        answer_text(_build_answer([], budget, match_count, notes, counter))
    )
    chosen_results: list[tuple[Recalled, str]] = []
    for offer in offers:
        if available < _MIN_ENTRY_COST or len(chosen_results) == limit:
            break
        if offer.min_cost > available:
            continue
        text = answer_text(recalled := offer.render())
        cost = counter.count("," + text)
        if cost <= available:
            chosen_results.append((recalled, text))
            available -= cost
    chosen_results.sort(key=lambda pair: -pair[0].score)
    while True:
        answer = _build_answer(chosen_results, budget, match_count, notes, counter)
        if answer.token_count <= budget:
            return answer
        if chosen_results:
            chosen_results.pop()
        elif notes:
            notes = ()
        else:
            return answer


def _build_answer(
    chosen_entries: Sequence[tuple[Recalled, str]],
    budget: int,
    match_count: int,
    notes: Sequence[str],
    counter: TokenCounter,
) -> Answer:
    """Build the answer with its own token count; the digits of the count are part of the text.

    `chosen_entries` holds each entry with its JSON text.
    """
    answer = Answer(
        entries=(),
        token_count=0,
        budget_remaining=budget,
        total_entries_matched=match_count,
        left_out=max(0, match_count - len(chosen_entries)),
        notes=tuple(notes),
    )
    entries = f"{_ANSWER_START}{','.join(text for _, text in chosen_entries)}"
    count = 0
    for _ in range(4):
        rest = answer_text(replace(answer, token_count=count, budget_remaining=budget - count))
        total = counter.count(entries + rest.removeprefix(_ANSWER_START))
        if total <= count:
            break
        count = total
    remaining = max(0, budget - count)
    return replace(
        answer,
        entries=tuple(recalled for recalled, _ in chosen_entries),
        token_count=count,
        budget_remaining=remaining,
    )


def with_details(recalled_entry: Recalled, entry: Entry) -> Recalled:
    """Add the fields that only the detailed format shows."""
    return replace(
        recalled_entry,
        version=entry.version,
        updated_at=entry.updated_at,
        expires_at=entry.expires_at,
        related_to=entry.related_to or None,
        source=None if entry.trust == "untrusted" else entry.source,
        trust=entry.trust,
    )


def _value(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_value(item) for item in value]
    return plain(value) if is_dataclass(value) and not isinstance(value, type) else value
