"""Parse a question and the options of a recall.

Options are checked before anything is looked up; the question is split into terms, ids, names,
dates and categories.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import UTC, date, tzinfo
from typing import TYPE_CHECKING, Any, Final, TypedDict

from remem.errors import InvalidInput, quoted
from remem.fast_dataclass import dataclass
from remem.model.arguments import (
    MAX_BUDGET,
    MAX_ENTRIES,
    MIN_BUDGET,
    RECALL_FORMATS,
    RecallFormat,
    checked_list,
    checked_text,
    one_of,
    refuse_unknown,
    whole_number,
)
from remem.model.entry import CATEGORIES, ENTRY_ID, PRIORITIES, Category, Filter, Priority
from remem.text.language import language_of
from remem.text.timestamps import normalize_end_time
from remem.text.words import STOP_WORDS, fold, search_terms, stem_of

if TYPE_CHECKING:
    from remem.text.dates import DateRange

_NOT_NAMES: Final = STOP_WORDS | frozenset(
    """january february march april june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday show give list find i'm let's explain
    describe summarise summarize which""".split()
)
_LINE_RANGE: Final = re.compile(r"(?P<path>\S.*)#L(?P<start>\d{1,9})(?:-L?(?P<end>\d{1,9}))?")
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
_SYNONYMS: Final = {
    **dict.fromkeys(("top_k", "k", "n", "max_results", "max_entries", "count", "size"), "limit"),
    **dict.fromkeys(("budget", "max_tokens", "tokens"), "token_budget"),
    **dict.fromkeys(("kind", "kinds", "type", "types"), "categories"),
    **dict.fromkeys(("priority", "min_priority"), "priority_min"),
    **dict.fromkeys(("date", "at", "before"), "as_of"),
}
"""Parameter names of other memory tools, with the name to suggest instead."""


@dataclass(frozen=True, slots=True)
class LineRange:
    """A range of lines in a file, as in the id of a passage."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed question."""

    text: str
    ids: tuple[str, ...]
    lines: tuple[LineRange, ...]
    terms: tuple[str, ...]
    names: frozenset[str]
    windows: tuple[DateRange, ...]
    categories: frozenset[Category]
    stems: Mapping[str, str] = field(default_factory=dict)
    """The stems of terms in languages other than English, which the store stems itself."""
    corrections: Mapping[str, str] = field(default_factory=dict)
    """Spelling corrections: misspelt words of the question, with the spelling in the memory."""
    named_files: Mapping[str, str] = field(default_factory=dict)
    """The files that the question names, each with how: by its path, name or stem."""
    zone: tzinfo | None = UTC
    """The time zone of the days in `windows`; None is the machine's."""

    @property
    def corrected_text(self) -> str:
        """The question with corrected spelling."""
        text = self.text
        for wrong, right in self.corrections.items():
            text = re.sub(rf"\b{re.escape(wrong)}\b", right, text)
        return text


def parse_question(text: str, today: date, zone: tzinfo | None = UTC) -> Question:
    """Split a question into terms, ids, names, dates and categories.

    `today` is the day in `zone` from which words such as "yesterday" are counted.
    """
    from remem.text.dates import date_ranges  # lazy: a server lists its tools without it

    ids, lines = ids_and_lines(text)
    terms, language = search_terms(text), language_of(text)
    return Question(
        text=text,
        ids=ids,
        lines=lines,
        terms=tuple(terms),
        names=_names(text),
        windows=tuple(date_ranges(text, today)),
        categories=frozenset(name for name, pattern in _CATEGORIES if pattern.search(text)),
        stems={term: stem for term in terms if (stem := stem_of(term, language))},
        zone=zone,
    )


def ids_and_lines(text: str) -> tuple[tuple[str, ...], tuple[LineRange, ...]]:
    """Return the ids and line ranges of a question that consists of nothing else."""
    pieces = dict.fromkeys(text.replace(",", " ").split())
    ids = tuple(piece for piece in pieces if ENTRY_ID.fullmatch(piece))
    lines = tuple(line for piece in pieces if (line := _line_range(piece)))
    if len(ids) + len(lines) == len(pieces):
        return ids, lines
    single = _line_range(text.strip())  # a path may contain spaces
    return (), (single,) if single else ()


def _line_range(text: str) -> LineRange | None:
    match = _LINE_RANGE.fullmatch(text)
    if match is None:
        return None
    return LineRange(match["path"], int(match["start"]), int(match["end"] or match["start"]))


def _names(text: str) -> frozenset[str]:
    """Return the capitalised words, folded, except stop words, dates and request verbs."""
    names = {re.sub(r"['’]s$", "", match.group()) for match in _NAME.finditer(text)}
    return frozenset(fold(name) for name in names if fold(name) not in _NOT_NAMES)


class RecallOptions(TypedDict, total=False):
    """Options of a recall."""

    categories: Sequence[Category]
    priority_min: Priority | None
    token_budget: int
    include_context: bool
    format: RecallFormat
    limit: int | None
    tags: Sequence[str]
    include_archived: bool
    include_untrusted: bool
    why: bool
    as_of: str | None


RECALL_OPTIONS: Final = (*RecallOptions.__annotations__, "now")
"""All parameters of recall except the query."""


@dataclass(frozen=True, slots=True)
class Request:
    """A question with checked options."""

    query: str
    where: Filter = field(default_factory=Filter)
    token_budget: int = 3000
    limit: int | None = None
    include_context: bool = False
    format: RecallFormat = "brief"
    why: bool = False
    as_of: str | None = None
    """Answer with what was known at this time."""


def parse_request(query: str, options: RecallOptions) -> Request:
    """Check the options of a recall; an InvalidInput names the value that is wrong."""
    refuse_unknown(options, RECALL_OPTIONS, "recall", _SYNONYMS)
    limit, as_of = options.get("limit"), options.get("as_of")
    where = _filter(options)
    return Request(
        query="" if query == "" and where.is_selective else checked_text(query, "query"),
        where=where,
        token_budget=whole_number(
            options.get("token_budget", 3000), MIN_BUDGET, MAX_BUDGET, "token_budget"
        ),
        limit=None if limit is None else whole_number(limit, 1, MAX_ENTRIES, "limit"),
        include_context=_flag(options.get("include_context"), "include_context"),
        format=one_of(options.get("format", "brief"), RECALL_FORMATS, "format"),
        why=_flag(options.get("why"), "why"),
        as_of=normalize_end_time(as_of, "as_of") if as_of else None,
    )


def _filter(options: RecallOptions) -> Filter:
    minimum = options.get("priority_min")
    categories = checked_list(options.get("categories") or (), MAX_ENTRIES, "categories")
    tags = checked_list(options.get("tags") or (), MAX_ENTRIES, "tags")
    return Filter(
        categories=tuple(one_of(name, CATEGORIES, "category") for name in categories),
        priority_min=one_of(minimum, PRIORITIES, "priority_min") if minimum else None,
        tags=tuple(checked_text(tag, "tag") for tag in tags),
        include_archived=_flag(options.get("include_archived"), "include_archived"),
        include_untrusted=_flag(options.get("include_untrusted"), "include_untrusted"),
    )


def _flag(value: Any, name: str) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    raise InvalidInput(f"{name} must be true or false, not {quoted(value)}")
