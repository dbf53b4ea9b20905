"""How does a passage stand in a row, and which words is it found by?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from json.encoder import encode_basestring as quoted
from pathlib import PurePosixPath
from typing import Any, Final

from remem.core.annotations import without_annotations
from remem.core.passage import Passage, Source
from remem.core.words import search_text
from remem.stores.sqlite.rows import compact

COLUMNS: Final = (
    "start end text headings within source curated day importance triggers project".split()
)
SELECT: Final = "f.path, " + ", ".join(f"p.{column}" for column in COLUMNS)

FACET_SESSIONS: Final = 8
"""Beside a vector: the passage comes from a transcript."""


def passage_from(values: Sequence[Any]) -> Passage:
    """The inverse of path and `values_of`."""
    path, start, end, text, headings, within, source, curated, *rest = values
    return Passage(
        path, start, end, text, _texts(headings), _texts(within), source, bool(curated), *rest
    )


def values_of(passage: Passage) -> list[Any]:
    """The values of `COLUMNS`, in their order."""
    return [
        passage.start,
        passage.end,
        passage.text,
        _listed(passage.headings),
        _listed(passage.within),
        passage.source,
        int(passage.curated),
        passage.day,
        passage.importance,
        passage.triggers,
        passage.project,
    ]


def words_of(passage: Passage) -> tuple[str, str, str]:
    """The columns of the full text. A host's remarks are no words of the passage, but what it
    should be found by counts like a heading."""
    told = passage.context
    if passage.triggers or passage.project:
        told = "\n".join(part for part in (told, passage.triggers, passage.project) if part)
    return (
        search_text(without_annotations(passage.text)),
        _words_around(told),
        _words_of_path(passage.path),
    )


def likeness_of(passage: Passage) -> int:
    """One number for all that a vector depends on; equal ones need not be made again."""
    above = f"{_listed(passage.headings)},{_listed(passage.within)}"
    told = f"[{quoted(passage.text)},{above},{quoted(passage.source)}]"
    return int.from_bytes(blake2b(told.encode(), digest_size=8).digest(), signed=True)


def facets_of(source: Source) -> int:
    return FACET_SESSIONS if source == "sessions" else 0


# One after the other, the passages of a file stand under much the same.
_listed: Final = lru_cache(maxsize=1_000)(compact)
_words_around: Final = lru_cache(maxsize=1_000)(search_text)


@lru_cache(maxsize=100)
def _words_of_path(path: str) -> str:
    return search_text(_telling(path))


def _telling(path: str) -> str:
    """The words of a path that do not stand in every other path too."""
    place = PurePosixPath(path)
    folders = place.parts[1:-1] if place.parts[0] == "memory" else place.parts[:-1]
    return " ".join((*folders, place.stem))


def _texts(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))
