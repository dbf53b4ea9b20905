"""What does a text state? Single statements with their lines, and why each was judged so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from remem.core.entry import Category, Priority
from remem.core.standing import Standing


@dataclass(frozen=True, slots=True)
class Document:
    """A memory file as an extractor reads it.

    Every content line of a `curated` file counts; of others only what lasts. Nothing in it
    was said after `today`.
    """

    path: str
    text: str
    today: str
    curated: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a text says, readable on its own.

    `lines` are the lines that it holds, the first one first. `noise` is the reason why it
    does not last; None if it does. `day` is when it was said, as far as the text tells.
    `topic` is what the headings add to the words of the lines. `why` names the rule that
    decided on the category.
    """

    content: str
    lines: tuple[int, ...]
    category: Category
    why: str
    priority: Priority = "medium"
    tags: tuple[str, ...] = ()
    context: str | None = None
    topic: str | None = None
    day: str | None = None
    standing: Standing = "current"
    noise: str | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """All statements of a document, and why the other lines are in none of them."""

    statements: tuple[Statement, ...]
    left: Mapping[int, str]


PATH: Final = " › "
"""What stands between the headings of a path."""


def headings_in(context: str | None) -> tuple[str, ...]:
    """The headings above a statement, from the context of its entry: `MEMORY.md › A › B`."""
    return tuple((context or "").split("\n", 1)[0].split(PATH)[1:])
