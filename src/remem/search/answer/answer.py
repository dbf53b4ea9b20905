"""What does the asker receive? Entries within a budget that counts every character of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from remem.model.entry import is_entry_id
from remem.text.host_json import name_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from remem.model.entry import Entry
    from remem.ports.models import TokenCounter


_CHEAPEST: Final = 25
"""No entry with its field names costs fewer tokens: below this, nothing more fits."""
_ENTRIES: Final = '{"entries":['
"""How the text of an answer begins."""
_ATOMS: Final = frozenset({str, int, float, bool})
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


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


@dataclass(frozen=True, slots=True)
class Offer:
    """What may be told: how many tokens it takes at least, and how it would look. What cannot
    fit is not even written out."""

    least: int
    shown: Callable[[], Recalled]


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
    names, values_of = _reading(type(answer))
    return {
        name: value if type(value) in _ATOMS else _value(value)
        for name, value in zip(names, values_of(answer), strict=True)
        if value is not None
    }


@cache
def _reading(
    kind: type[DataclassInstance],
) -> tuple[tuple[str, ...], Callable[[DataclassInstance], tuple[Any, ...]]]:
    """What the fields are called in an answer, and how all are read; the same for every entry."""
    known = fields(kind)
    names = tuple(name_of(each) for each in known)
    if len(known) < 2:  # of one name an attrgetter gives the value itself
        return names, lambda answer: tuple(getattr(answer, each.name) for each in known)
    return names, attrgetter(*(each.name for each in known))


def pack(
    found: Iterable[Offer],
    budget: int,
    counter: TokenCounter,
    *,
    most: int | None = None,
    matched: int,
    notes: Sequence[str] = (),
) -> Answer:
    """What comes first, passing over what does not fit; never above the budget. What is taken is
    told best first.

    Pieces are counted alone while filling, the whole text at the end: joining pieces can
    cost a token more, and the last word has the text that is really sent.
    """
    room = budget - counter.count(answer_text(_counted([], budget, matched, notes, counter)))
    taken: list[tuple[Recalled, str]] = []
    for offer in found:
        if room < _CHEAPEST or len(taken) == most:
            break
        if offer.least > room:
            continue
        text = answer_text(recalled := offer.shown())
        cost = counter.count("," + text)
        if cost <= room:
            taken.append((recalled, text))
            room -= cost
    taken = _best_first(taken)
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


def _best_first(taken: Sequence[tuple[Recalled, str]]) -> list[tuple[Recalled, str]]:
    """The entries by their score. Passages and facts stay in their places: their scores cannot be
    compared with those of entries."""
    places = [i for i, (each, _) in enumerate(taken) if is_entry_id(each.id)]
    ordered = list(taken)
    best = sorted((taken[i] for i in places), key=lambda each: -each[0].score)
    for place, each in zip(places, best, strict=True):
        ordered[place] = each
    return ordered


def _counted(
    taken: Sequence[tuple[Recalled, str]],
    budget: int,
    matched: int,
    notes: Sequence[str],
    counter: TokenCounter,
) -> Answer:
    """The answer with its own cost in it; the cost's digits are part of the text. Each entry
    comes with what it looks like in there."""
    answer = Answer(
        entries=(),
        token_count=0,
        budget_remaining=budget,
        total_entries_matched=matched,
        left_out=max(0, matched - len(taken)),
        notes=tuple(notes),
    )
    entries = f"{_ENTRIES}{','.join(text for _, text in taken)}"
    count = 0
    for _ in range(4):
        around = answer_text(replace(answer, token_count=count, budget_remaining=budget - count))
        now = counter.count(entries + around.removeprefix(_ENTRIES))
        if now <= count:
            break
        count = now
    remaining = max(0, budget - count)
    return replace(
        answer,
        entries=tuple(each for each, _ in taken),
        token_count=count,
        budget_remaining=remaining,
    )


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
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_value(each) for each in value]
    return plain(value) if is_dataclass(value) and not isinstance(value, type) else value


def _compact(value: object) -> str:
    return _ENCODER.encode(value)
