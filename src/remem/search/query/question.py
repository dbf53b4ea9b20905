"""Is this a question that can be asked? Checks every wish before anything is looked up.

What is being asked? Words, ids, names, days and categories of a question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, TypedDict

from remem.errors import InvalidInput, shown
from remem.model.arguments import (
    LARGEST_BUDGET,
    MOST_ENTRIES,
    RECALL_FORMATS,
    SMALLEST_BUDGET,
    RecallFormat,
    checked_text,
    one_of,
    refuse_unknown,
    whole_number,
)
from remem.model.entry import CATEGORIES, ENTRY_ID, PRIORITIES, Category, Filter
from remem.text.dates import Window, windows
from remem.text.language import language_of
from remem.text.timestamps import end_of
from remem.text.words import STOP_WORDS, fold, search_terms, stem_of

_NO_NAMES: Final = STOP_WORDS | frozenset(
    """january february march april june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday show give list find i'm let's explain
    describe summarise summarize which""".split()
)
_PLACE: Final = re.compile(r"(?P<path>\S.*)#L(?P<start>\d{1,9})(?:-L?(?P<end>\d{1,9}))?")
_NAME: Final = re.compile(r"\b[A-Z][\w’'-]*\b")
_CATEGORY_WORDS: Final[dict[Category, str]] = {
    "preference": r"\bprefer(?:s|red|ences?)?\b|\bfavou?rites?\b|\blikes?\b|喜欢|偏好|好み|선호",
    "instruction": r"\brules?\b|\binstructions?\b|\bpolic(?:y|ies)\b|规则|指示|ルール|규칙",
    "project": r"\bprojects?\b|\bworking on\b|项目|プロジェクト|프로젝트",
    "person": r"\bwho\b|\bcontacts?\b|谁|誰|누구",
    "decision": r"\bdeci(?:de[ds]?|sions?)\b|\bchose\b|\bwhy did we\b|决定|決定|결정",
    "insight": r"\blearn(?:ed|t)\b|\blessons?\b|\binsights?\b|教训|教訓|교훈",
}
_CATEGORIES: Final = tuple(
    (category, re.compile(pattern, re.IGNORECASE)) for category, pattern in _CATEGORY_WORDS.items()
)


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file, as a passage's id names them."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question, taken apart once."""

    text: str
    ids: tuple[str, ...]
    places: tuple[Place, ...]
    terms: tuple[str, ...]
    names: frozenset[str]
    windows: tuple[Window, ...]
    categories: frozenset[Category]
    stems: Mapping[str, str] = field(default_factory=dict)
    """Of the terms, in the question's language; English ones are the store's business."""
    mended: Mapping[str, str] = field(default_factory=dict)
    """How the memory spells words of the question that it does not know so."""

    @property
    def as_spelled(self) -> str:
        """The question in the memory's spelling."""
        text = self.text
        for wrong, right in self.mended.items():
            text = re.sub(rf"\b{re.escape(wrong)}\b", right, text)
        return text


def understand(text: str, today: date) -> Question:
    ids, places = _named(text)
    terms, language = search_terms(text), language_of(text)
    return Question(
        text=text,
        ids=ids,
        places=places,
        terms=tuple(terms),
        names=_names(text),
        windows=tuple(windows(text, today)),
        categories=frozenset(kind for kind, words in _CATEGORIES if words.search(text)),
        stems={term: stem for term in terms if (stem := stem_of(term, language))},
    )


def _named(text: str) -> tuple[tuple[str, ...], tuple[Place, ...]]:
    """The ids and places that a question consists of; none where it says anything else."""
    pieces = dict.fromkeys(text.replace(",", " ").split())
    ids = tuple(piece for piece in pieces if ENTRY_ID.fullmatch(piece))
    places = tuple(place for piece in pieces if (place := _place(piece)))
    if len(ids) + len(places) == len(pieces):
        return ids, places
    one = _place(text.strip())  # a path may hold spaces
    return (), (one,) if one else ()


def _place(text: str) -> Place | None:
    match = _PLACE.fullmatch(text)
    if match is None:
        return None
    return Place(match["path"], int(match["start"]), int(match["end"] or match["start"]))


def _names(text: str) -> frozenset[str]:
    """Capitalised words; the first word of the text only if it says something itself."""
    found = {re.sub(r"['’]s$", "", match.group()) for match in _NAME.finditer(text)}
    return frozenset(fold(name) for name in found if fold(name) not in _NO_NAMES)


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
