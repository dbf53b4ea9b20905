"""What is said twice? Word for word, nearly so, or (by its meaning) in other words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from remem.audit.look_alike import (
    same_context,
    same_order,
    signs,
    substance_differs,
    telling,
    turning,
)
from remem.audit.result import Likeness
from remem.audit.statements import Statement
from remem.core.likeness import SIMILAR, overlap

_Key = tuple[int, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements that say the same; `a` stands first in the list they came from."""

    a: Statement
    b: Statement
    similarity: float
    kind: Likeness


def lexical(said: Sequence[Statement], library: Sequence[Statement] = ()) -> list[Pair]:
    """Exact and near duplicates in what is said, and between that and a library, which is
    not compared with itself. A statement is only compared with those that share a part of
    its words, which all that are similar do."""
    found = _Seen()
    for statement in library:
        if telling(statement):
            found.add(statement)
    pairs: list[Pair] = []
    for statement in said:
        if telling(statement):
            pairs += found.compare(statement)
    return pairs


class _Seen:
    """What was read so far: each wording once, findable by parts of its words and its numbers.

    Without the latter a list of a thousand items that only differ in a number would be
    compared item by item.
    """

    def __init__(self) -> None:
        self._same: dict[int, list[Statement]] = {}
        self._parts: dict[_Key, list[Statement]] = {}

    def compare(self, statement: Statement) -> Iterator[Pair]:
        known = self._same.get(statement.print_.same, ())
        twins = [each for each in known if same_context(each, statement)]
        if twins:  # rather one that every conversation loads
            yield Pair(max(twins, key=lambda each: each.always), statement, 1.0, "exact")
        else:
            yield from self._near(statement)
        self.add(statement)

    def add(self, statement: Statement) -> None:
        known = self._same.setdefault(statement.print_.same, [])
        if not any(
            each.always >= statement.always for each in known if same_context(each, statement)
        ):
            known.append(statement)
            for key in _keys(statement, statement.print_.parts):
                self._parts.setdefault(key, []).append(statement)

    def _near(self, statement: Statement) -> Iterator[Pair]:
        print_ = statement.print_
        looked_at: set[int] = set()
        for key in _keys(statement, print_.sought):
            for other in self._parts.get(key, ()):
                if id(other) in looked_at:
                    continue
                looked_at.add(id(other))
                if print_.may_be_similar(other.print_.size, other.print_.sketch):
                    share = overlap(statement.vocabulary, other.vocabulary)
                    if share >= SIMILAR and near(other, statement):
                        yield Pair(other, statement, round(min(share, 0.99), 2), "near")


def _keys(statement: Statement, parts: Sequence[int]) -> list[_Key]:
    fixed = turning(statement.vocabulary)
    return [(part, fixed) for part in parts]


def near(a: Statement, b: Statement) -> bool:
    """Whether two statements that share most words also say the same."""
    return (
        same_context(a, b)
        and not substance_differs(a.vocabulary, b.vocabulary)
        and signs(a.said) == signs(b.said)
        and same_order(a.words, b.words)
        and a.print_.same != b.print_.same
    )
