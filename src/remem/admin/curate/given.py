"""Incoming verdicts: their shape, and the items that they name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from remem.errors import InvalidInput, shown
from remem.model.arguments import one_of, refuse_unknown
from remem.model.entry import CATEGORIES, Category
from remem.model.verdict import GIVEN_ANSWERS, Answer

THE_REST: Final = "*"
"""The item that means every line of the batch that the same call does not name."""
FIELDS: Final = ("answer", "items", "text", "category", "into", "why")
_MAX_TEXT: Final = 400


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer about one item, before it has been applied.

    If several lines are merged, the first one is reworded and `merged` names the others, which are
    dropped; each of these names the first one in `within`.
    """

    item: str
    answer: Answer
    text: str | None = None
    category: Category | None = None
    into: str | None = None
    why: str | None = None
    merged: tuple[str, ...] = ()
    within: str | None = None


def read_answers(values: Sequence[Mapping[str, Any]]) -> list[GivenAnswer]:
    """Return the answers in a list of verdicts, one for each item; invalid verdicts raise."""
    return [given for value in values for given in _read(value)]


def expand_names(
    answers: Sequence[GivenAnswer], batch: Sequence[str], names: Mapping[str, str]
) -> list[GivenAnswer]:
    """Return the answers with short names replaced by their items, and `*` by the lines of the
    batch that no other answer names."""
    resolved = [
        replace(
            given,
            item=names.get(given.item, given.item),
            merged=tuple(names.get(item, item) for item in given.merged),
            within=names.get(given.within or "", given.within),
        )
        for given in answers
    ]
    named = {given.item for given in resolved}
    rest = [item for item in batch if item not in named]
    return [
        replace(given, item=item)
        for given in resolved
        for item in (rest if given.item == THE_REST else [given.item])
    ]


def _read(value: Mapping[str, Any]) -> Iterator[GivenAnswer]:
    refuse_unknown(value, FIELDS, "a verdict", {"item": "items", "ids": "items"}, noun="field")
    answer = one_of(value.get("answer"), GIVEN_ANSWERS, "answer")
    items = value.get("items")
    if not isinstance(items, list) or not items or not all(isinstance(one, str) for one in items):
        raise InvalidInput(
            f"items {shown(items)} is not a list of items", hint='write "items": ["mem-…"]'
        )
    text, into, why = (_text(value, name) for name in ("text", "into", "why"))
    if answer == "reword" and (text is None or len(items) > 1):
        raise InvalidInput(
            "reword needs a text and exactly one item",
            hint='write "text": "…"; merge takes several lines and one text',
        )
    category = value.get("category")
    if answer == "recategorise" and category is None:
        raise InvalidInput(
            "recategorise needs a category", hint=f"use one of: {', '.join(CATEGORIES)}"
        )
    checked = one_of(category, CATEGORIES, "category") if category is not None else None
    if answer == "merge" and text is not None and len(items) > 1:
        first, *others = items
        yield GivenAnswer(first, "reword", text, checked, why=why, merged=tuple(others))
        for item in others:
            yield GivenAnswer(item, "drop", why=why, within=first)
        return
    for item in items:
        yield GivenAnswer(item, answer, text, checked, into, why)


def _text(value: Mapping[str, Any], name: str) -> str | None:
    text = value.get(name)
    if text is None or (isinstance(text, str) and 0 < len(text.strip()) <= _MAX_TEXT):
        return text.strip() if text is not None else None
    raise InvalidInput(f"{name} {shown(text)} must be text of 1 to {_MAX_TEXT} characters")
