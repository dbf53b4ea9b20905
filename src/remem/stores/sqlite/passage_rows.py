"""How does a passage stand in a row, and which words is it found by?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
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
        compact(passage.headings),
        compact(passage.within),
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
    told = (passage.context, passage.triggers, passage.project)
    return (
        search_text(without_annotations(passage.text)),
        search_text("\n".join(part for part in told if part)),
        search_text(_telling(passage.path)),
    )


def likeness_of(passage: Passage) -> int:
    """One number for all that a vector depends on; equal ones need not be made again."""
    told = compact([passage.text, passage.headings, passage.within, passage.source])
    return int.from_bytes(blake2b(told.encode(), digest_size=8).digest(), signed=True)


def facets_of(source: Source) -> int:
    return FACET_SESSIONS if source == "sessions" else 0


def _telling(path: str) -> str:
    """The words of a path that do not stand in every other path too."""
    place = PurePosixPath(path)
    folders = place.parts[1:-1] if place.parts[0] == "memory" else place.parts[:-1]
    return " ".join((*folders, place.stem))


def _texts(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))
