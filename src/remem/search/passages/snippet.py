"""What is shown of a passage? The lines that answer, within the host's limit, with their source.

What does a host receive for a search? Exactly the fields of its contract, and no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import ClassVar, Final

from remem.model.arguments import CorpusOutcome
from remem.model.passage import Passage
from remem.search.passages.ranking import Scored
from remem.search.query.terms import Term
from remem.text.host_json import called, cut, units
from remem.text.line_status import without_annotations
from remem.text.untrusted import fenced
from remem.text.words import search_text


@dataclass(frozen=True, slots=True)
class Provenance:
    """Whose words they are, as far as a file can tell."""

    origin_class: str = field(metadata=called("originClass"))
    session_kind: str = field(metadata=called("sessionKind"))
    observed_at: int | None = field(default=None, metadata=called("observedAt"))


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage; what it does not have is left out."""

    path: str
    start_line: int = field(metadata=called("startLine"))
    end_line: int = field(metadata=called("endLine"))
    score: float
    text_score: float | None = field(default=None, metadata=called("textScore"))
    vector_score: float | None = field(default=None, metadata=called("vectorScore"))
    snippet: str = ""
    source: str = "memory"
    importance: int | None = None
    triggers: str | None = None
    project_key: str | None = field(default=None, metadata=called("projectKey"))
    provenance: Provenance | None = None
    corpus: str = "memory"
    citation: str | None = None


@dataclass(frozen=True, slots=True)
class Debug:
    """How the search went; times in milliseconds."""

    backend: str
    effective_mode: str | None = field(default=None, metadata=called("effectiveMode"))
    manager_ms: int | None = field(default=None, metadata=called("managerMs"))
    search_ms: int | None = field(default=None, metadata=called("searchMs"))
    hits: int | None = None
    candidate_hits: int | None = field(default=None, metadata=called("candidateHits"))
    withheld_hits: int | None = field(default=None, metadata=called("withheldHits"))
    search_window: int | None = field(default=None, metadata=called("searchWindow"))
    tool_ms: int | None = field(default=None, metadata=called("toolMs"))
    outside_search_ms: int | None = field(default=None, metadata=called("outsideSearchMs"))
    warning: str | None = None
    action: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a search. Nothing found is an answer; only `unavailable` is none."""

    indent: ClassVar[int] = 2

    results: tuple[Hit, ...]
    provider: str | None = None
    model: str | None = None
    fallback: str | None = None
    citations: str | None = None
    mode: str | None = None
    disabled: bool | None = None
    unavailable: bool | None = None
    timed_out: bool | None = field(default=None, metadata=called("timedOut"))
    timeout_ms: int | None = field(default=None, metadata=called("timeoutMs"))
    partial: bool | None = None
    stale: bool | None = None
    error: str | None = None
    warning: str | None = None
    action: str | None = None
    corpora: tuple[CorpusOutcome, ...] | None = None
    debug: Debug | None = None


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
