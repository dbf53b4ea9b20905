"""Judge the items of a list together: which of them are kept, and in which category."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Final

from remem.extract.judge import NOTHING_SUGGESTS
from remem.model.entry import Category
from remem.model.statement import ExtractedStatement

_MAX_LIST: Final = 8
_WHY: Final = "most items of its list have this category"

_List = tuple[str | None, str | None]
"""The context and the label that the items of a list have in common."""


def with_whole_lists(
    statements: Sequence[ExtractedStatement], incidental: Set[tuple[int, ...]]
) -> list[ExtractedStatement]:
    """Keep all items of a short list if most are kept, or any if the list has a label.

    The third step of four is needed, even if it reads like a report. The lines in `incidental` are
    not needed.
    """
    lists: dict[_List, list[ExtractedStatement]] = defaultdict(list)
    for statement in statements:
        lists[_list_of(statement)].append(statement)
    complete = set[tuple[int, ...]]()
    for (_, label), members in lists.items():
        kept_count = sum(statement.noise is None for statement in members)
        if len(members) <= _MAX_LIST and kept_count > (0 if label else len(members) / 2):
            complete.update(statement.lines for statement in members)
    complete -= incidental
    return [
        replace(
            statement,
            noise=None,
            priority="medium" if statement.priority == "low" else statement.priority,
        )
        if statement.lines in complete
        else statement
        for statement in statements
    ]


def in_one_category(statements: Sequence[ExtractedStatement]) -> list[ExtractedStatement]:
    """Give the items of a list the category that most of them have.

    With a label ("When supporting Ana: …"), all items get it; without one, only those for which
    nothing suggests a category. A list that is divided over several domain files reads badly.
    """
    lists: dict[_List, Counter[Category]] = defaultdict(Counter)
    for statement in statements:
        if statement.noise is None:
            lists[_list_of(statement)][statement.category] += 1
    result: list[ExtractedStatement] = []
    for statement in statements:
        counts = lists.get(_list_of(statement), Counter())
        best, count = next(iter(counts.most_common(1)), (statement.category, 0))
        is_open = statement.why == NOTHING_SUGGESTS and 2 * count > counts.total()
        is_changed = best != statement.category and (statement.label or is_open)
        changed = replace(statement, category=best, why=_WHY)
        result.append(changed if is_changed else statement)
    return result


def _list_of(statement: ExtractedStatement) -> _List:
    return statement.context, statement.label
