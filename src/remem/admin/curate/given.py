"""Read the verdicts that somebody gives, and find the items that they name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from remem.errors import InvalidInput, quoted
from remem.model.arguments import one_of, refuse_unknown
from remem.model.entry import CATEGORIES, Category
from remem.model.verdict import GIVEN_ANSWERS, Answer

THE_REST: Final = "*"
"""The item that stands for every line of the page that no other verdict names."""
FIELDS: Final = ("answer", "items", "text", "category", "into", "why")
_MAX_TEXT_LENGTH: Final = 400


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer about one item, before it has been applied.

    `given_item` is the item as it was named. If several lines are merged, the first one is reworded
    and has the others as its `merged_items`; the others are dropped, and have the first one as
    their `merge_target`. `into` is the entry that remains when two entries are merged.
    """

    item: str
    answer: Answer
    text: str | None = None
    category: Category | None = None
    into: str | None = None
    why: str | None = None
    merged_items: tuple[str, ...] = ()
    merge_target: str | None = None
    given_item: str = ""


def read_answers(values: Sequence[Mapping[str, Any]]) -> list[GivenAnswer]:
    """Return the answers in a list of verdicts, one for each item.

    Raise InvalidInput if a verdict is invalid.
    """
    return [answer for value in values for answer in _read_answer(value)]


def with_items(answers: Sequence[GivenAnswer], item_of: Callable[[str], str]) -> list[GivenAnswer]:
    """Return answers with items instead of names; an answer about the rest comes last."""
    resolved = [
        replace(
            given,
            item=item_of(given.item),
            given_item=given.item,
            merged_items=tuple(map(item_of, given.merged_items)),
            merge_target=item_of(given.merge_target) if given.merge_target else None,
        )
        for given in answers
    ]
    return sorted(resolved, key=lambda given: given.item == THE_REST)


def _read_answer(value: Mapping[str, Any]) -> Iterator[GivenAnswer]:
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
    new_category = one_of(category, CATEGORIES, "category") if category is not None else None
    if answer == "merge" and text is not None and len(items) > 1:
        first, *others = items
        yield GivenAnswer(first, "reword", text, new_category, why=why, merged_items=tuple(others))
        for item in others:
            yield GivenAnswer(item, "drop", why=why, merge_target=first)
        return
    for item in items:
        yield GivenAnswer(item, answer, text, new_category, into, why)


def _text(value: Mapping[str, Any], name: str) -> str | None:
    text = value.get(name)
    if text is None or (isinstance(text, str) and 0 < len(text.strip()) <= _MAX_TEXT_LENGTH):
        return text.strip() if text is not None else None
    raise InvalidInput(f"{name} {quoted(text)} must be text of 1 to {_MAX_TEXT_LENGTH} characters")
