"""What stays of a fact that was erased? Its id, when, what took its place, and hashes of its words.

It stands where the fact stood, with the fields that readers of facts look for: an empty `fact`, and
a `status` that is not `active`. What a field could tell of the words is left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from remem.core.likeness import wording
from remem.core.moments import moment
from remem.core.words import fold
from remem.errors import InvalidInput

ERASED: Final = "erased"
_WORDINGS: Final = "wordings"
_BY: Final = "supersededBy"
_BITS: Final = 64
_HASH: Final = re.compile(r"[0-9a-f]{16}")
_ONE_WORD: Final = re.compile(r"[\w-]{1,30}")


@dataclass(frozen=True, slots=True)
class Gone:
    """The tombstone of a fact; `number` is its place in its file, `at` when it was erased."""

    id: str
    at: str = ""
    entity: str = ""
    path: str = ""
    category: str = ""
    timestamp: str = ""
    superseded_by: str | None = None
    wordings: frozenset[int] = frozenset()
    number: int = 0

    @property
    def since(self) -> str | None:
        """When the fact began, in UTC: what it replaced ended then."""
        return _moment(self.timestamp)


def is_tombstone(value: Any) -> bool:
    return isinstance(value, Mapping) and fold(str(value.get("status", ""))) == ERASED


def gone_of(value: Any, *, entity: str, path: str, number: int) -> Gone | None:
    """The tombstone that a JSON value is; None where it is none."""
    if not is_tombstone(value):
        return None
    hashes = value.get(_WORDINGS)
    by = value.get(_BY)
    return Gone(
        id=str(value.get("id", "")),
        at=str(value.get(ERASED, "")),
        entity=entity,
        path=path,
        category=str(value.get("category", "")),
        timestamp=str(value.get("timestamp", "")),
        superseded_by=str(by) if by else None,
        wordings=frozenset(_numbers(hashes if isinstance(hashes, list) else ())),
        number=number,
    )


def tombstone(value: Mapping[str, Any], at: str, wordings: Collection[int]) -> dict[str, Any]:
    """What takes the place of a fact. A category or a source of one word sorts facts; more words
    may say what the fact said."""
    kept: dict[str, Any] = {"id": value.get("id"), "fact": ""}
    for name in ("category", "source"):
        if isinstance(said := value.get(name), str) and _ONE_WORD.fullmatch(said):
            kept[name] = said
    if isinstance(when := value.get("timestamp"), str) and _moment(when):
        kept["timestamp"] = when
    kept |= {"status": ERASED, ERASED: at}
    if _BY in value:
        kept[_BY] = value[_BY]
    kept[_WORDINGS] = [f"{each % (1 << _BITS):016x}" for each in sorted(wordings)]
    return kept


def is_buried(text: str, gone: Iterable[Gone]) -> bool:
    """Whether one of these facts was worded so."""
    number = wording(text)
    return any(number in each.wordings for each in gone)


def _numbers(hashes: Iterable[Any]) -> Iterable[int]:
    """As `wording` gives them: signed, because databases keep them so."""
    for each in hashes:
        if isinstance(each, str) and _HASH.fullmatch(each):
            number = int(each, 16)
            yield number - (1 << _BITS) if number >> (_BITS - 1) else number


def _moment(text: str) -> str | None:
    try:
        return moment(text, "timestamp")
    except InvalidInput:
        return None
