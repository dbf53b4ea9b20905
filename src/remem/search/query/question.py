"""What is being asked? Words, ids, names, days and categories of a question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from remem.core.entry import Category
from remem.core.ids import ENTRY_ID
from remem.core.language import language_of
from remem.core.words import STOP_WORDS, fold, search_terms, stem_of
from remem.recall.dates import Window, windows

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
