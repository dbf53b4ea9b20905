"""Incoming verdicts: their shape, and the items that they name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from remem.errors import InvalidInput, quoted
from remem.model.arguments import one_of, refuse_unknown
from remem.model.entry import CATEGORIES, Category
from remem.model.verdict import GIVEN_ANSWERS, Answer

THE_REST: Final = "*"
"""The item that means every line of the page that no other verdict names."""
FIELDS: Final = ("answer", "items", "text", "category", "into", "why")
_MAX_TEXT_LENGTH: Final = 400


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer about one item, before it has been applied.

    `named` is the item as it was given. If several lines are merged, the first one is reworded and
    `merged` names the others, which are dropped; each of these names the first one in `within`.
    """

    item: str
    answer: Answer
    text: str | None = None
    category: Category | None = None
    into: str | None = None
    why: str | None = None
    merged: tuple[str, ...] = ()
    within: str | None = None
    named: str = ""


def read_answers(values: Sequence[Mapping[str, Any]]) -> list[GivenAnswer]:
    """Return the answers in a list of verdicts, one for each item; invalid verdicts raise."""
    return [answer for value in values for answer in _read(value)]


def with_items(answers: Sequence[GivenAnswer], item_of: Callable[[str], str]) -> list[GivenAnswer]:
    """Return the answers with names replaced by items; the answer about the page comes last."""
    resolved = [
        replace(
            given,
            item=item_of(given.item),
            named=given.item,
            merged=tuple(map(item_of, given.merged)),
            within=item_of(given.within) if given.within else None,
        )
        for given in answers
    ]
    return sorted(resolved, key=lambda given: given.item == THE_REST)


def _read(value: Mapping[str, Any]) -> Iterator[GivenAnswer]:
    refuse_unknown(value, FIELDS, "a verdict", {"item": "items", "ids": "items"}, noun="field")
    answer = one_of(value.get("answer"), GIVEN_ANSWERS, "answer")
    items = value.get("items")
    if not isinstance(items, list) or not items or not all(isinstance(item, str) for item in items):
        raise InvalidInput(
            f"items {quoted(items)} is not a list of items", hint='write "items": ["mem-…"]'
        )
    if THE_REST in items and answer != "keep":
        raise InvalidInput(f"{answer} takes no {THE_REST}", hint="name the lines")
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
    if text is None or (isinstance(text, str) and 0 < len(text.strip()) <= _MAX_TEXT_LENGTH):
        return text.strip() if text is not None else None
    raise InvalidInput(f"{name} {quoted(text)} must be text of 1 to {_MAX_TEXT_LENGTH} characters")
