"""Is this a question that can be asked? Checks every wish before anything is looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypedDict

from remem.core.entry import CATEGORIES, PRIORITIES
from remem.core.filter import Filter
from remem.core.moments import end_of
from remem.core.recall_limits import (
    LARGEST_BUDGET,
    MOST_ENTRIES,
    RECALL_FORMATS,
    SMALLEST_BUDGET,
    RecallFormat,
)
from remem.core.values import checked_text, one_of, refuse_unknown, whole_number
from remem.errors import InvalidInput, shown


class Wishes(TypedDict, total=False):
    """What may be said beside the question itself."""

    categories: Sequence[str]
    priority_min: str | None
    token_budget: int
    include_context: bool
    format: str
    limit: int | None
    tags: Sequence[str]
    include_archived: bool
    include_untrusted: bool
    why: bool
    as_of: str | None


WISHES: Final = (*Wishes.__annotations__, "now")
"""Everything that recall takes beside the query."""

_SYNONYMS: Final = {
    **dict.fromkeys(("top_k", "k", "n", "max_results", "max_entries", "count", "size"), "limit"),
    **dict.fromkeys(("budget", "max_tokens", "tokens"), "token_budget"),
    **dict.fromkeys(("kind", "kinds", "type", "types"), "categories"),
    **dict.fromkeys(("priority", "min_priority"), "priority_min"),
    **dict.fromkeys(("date", "at", "before"), "as_of"),
}
"""What other memories call it."""


@dataclass(frozen=True, slots=True)
class Request:
    """A question and what the asker wants to see of the answer."""

    query: str
    where: Filter = field(default_factory=Filter)
    token_budget: int = 3000
    limit: int | None = None
    include_context: bool = False
    format: RecallFormat = "brief"
    why: bool = False
    as_of: str | None = None
    """The moment of which only is told what was so then."""


def request(query: str, wishes: Wishes) -> Request:
    """The question with its wishes checked; raises InvalidInput with the value and its name."""
    refuse_unknown(wishes, WISHES, "recall", _SYNONYMS)
    limit, as_of = wishes.get("limit"), wishes.get("as_of")
    where = _filter(wishes)
    return Request(
        query="" if query == "" and where.narrow else checked_text(query, "query"),
        where=where,
        token_budget=whole_number(
            wishes.get("token_budget", 3000), SMALLEST_BUDGET, LARGEST_BUDGET, "token_budget"
        ),
        limit=None if limit is None else whole_number(limit, 1, MOST_ENTRIES, "limit"),
        include_context=_flag(wishes.get("include_context"), "include_context"),
        format=one_of(wishes.get("format", "brief"), RECALL_FORMATS, "format"),
        why=_flag(wishes.get("why"), "why"),
        as_of=end_of(as_of, "as_of") if as_of else None,
    )


def _filter(wishes: Wishes) -> Filter:
    minimum = wishes.get("priority_min")
    return Filter(
        categories=tuple(
            one_of(each, CATEGORIES, "category") for each in wishes.get("categories") or ()
        ),
        priority_min=one_of(minimum, PRIORITIES, "priority_min") if minimum else None,
        tags=tuple(checked_text(tag, "tag") for tag in wishes.get("tags") or ()),
        include_archived=_flag(wishes.get("include_archived"), "include_archived"),
        include_untrusted=_flag(wishes.get("include_untrusted"), "include_untrusted"),
    )


def _flag(value: Any, name: str) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    raise InvalidInput(f"{name} must be true or false, not {shown(value)}")
