"""What is shown of a passage? The lines that answer, within the host's limit, with their source."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from remem.core.annotations import without_annotations
from remem.core.fence import fenced
from remem.core.passage import Passage
from remem.core.wire import cut, units
from remem.core.words import search_text
from remem.recall.found import Hit, Provenance
from remem.recall.passages import Scored
from remem.recall.terms import Term

LIMIT: Final = 700
_LEAST: Final = 120
"""So much is shown of the text even where a path leaves no room for it."""
_FENCE: Final = units(fenced("", "0" * 12))


def hit_of(scored: Scored, terms: Sequence[Term], nonce: str, *, cited: bool) -> Hit:
    """One result. A transcript holds what anybody said, so its words come fenced as data."""
    passage = scored.passage
    talk = passage.is_talk
    citation = passage.citation if cited else None
    source = f"\n\nSource: {citation}" if citation else ""
    room = max(_LEAST, LIMIT - units(source))
    text = without_annotations(passage.text).strip("\n")
    shown = _fenced_within(text, terms, nonce, room) if talk else excerpt(text, terms, room)
    return Hit(
        path=passage.path,
        start_line=passage.start,
        end_line=passage.end,
        score=round(scored.score, 4),
        text_score=round(scored.text, 4),
        vector_score=None if scored.vector is None else round(min(1.0, max(0.0, scored.vector)), 4),
        snippet=shown + source,
        source=passage.source,
        importance=passage.importance,
        triggers=passage.triggers,
        project_key=passage.project,
        provenance=_provenance(passage),
        corpus=passage.source,
        citation=citation,
    )


def excerpt(text: str, terms: Sequence[Term], room: int) -> str:
    """The text, or as much of it as fits around the line that says most of the question."""
    if units(text) <= room:
        return text
    lines = text.split("\n")
    best = max(range(len(lines)), key=lambda i: (_says(lines[i], terms), -i))
    first = last = best
    used = units(lines[best])
    while used <= room:
        wider = [i for i in (last + 1, first - 1) if 0 <= i < len(lines)]
        fitting = [i for i in wider if used + 1 + units(lines[i]) <= room]
        if not fitting:
            break
        used += 1 + units(lines[fitting[0]])
        first, last = min(first, fitting[0]), max(last, fitting[0])
    if used <= room:
        return "\n".join(lines[first : last + 1])
    return _around_the_words(lines[best], terms, room)


def _fenced_within(text: str, terms: Sequence[Term], nonce: str, room: int) -> str:
    """Escapes make a text longer, so the fence is put around what then still fits."""
    inside = room - _FENCE
    while True:
        shown = fenced(excerpt(text, terms, inside), nonce)
        over = units(shown) - room
        if over <= 0 or inside <= 0:
            return shown
        inside -= max(over // 8, 1)


def _around_the_words(line: str, terms: Sequence[Term], room: int) -> str:
    """A piece of one long line, beginning a little before the first word that was asked for."""
    low = line.lower()
    places = [low.find(term.text.lower()) for term in terms]
    found = [place for place in places if place >= 0]
    start = max(0, min(found) - room // 4) if found else 0
    return cut(line[start:], room)


def _says(line: str, terms: Sequence[Term]) -> int:
    plain = search_text(line).lower()
    return sum(1 for term in terms if term.text.lower() in plain)


def _provenance(passage: Passage) -> Provenance:
    if passage.is_talk:
        return Provenance("untrusted", "interactive", _milliseconds(passage.day))
    return Provenance("agent", "unknown", _milliseconds(passage.day))


def _milliseconds(day: str | None) -> int | None:
    try:
        when = datetime.fromisoformat(day or "").replace(tzinfo=UTC)
    except ValueError:
        return None
    return int(when.timestamp() * 1000)
