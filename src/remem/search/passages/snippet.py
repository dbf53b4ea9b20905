"""Search results in the format that hosts expect, with snippets within their length limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import ClassVar, Final

from remem.model.arguments import CorpusOutcome, cut_utf16, named_in_json, utf16_length
from remem.model.passage import Passage
from remem.search.passages.selection import ScoredResult
from remem.search.query.terms import Term
from remem.text.line_status import without_annotations
from remem.text.untrusted import fence_untrusted
from remem.text.words import search_text

SNIPPET_LIMIT: Final = 700
_MIN_TEXT: Final = 120
"""The minimum length of the text, even if a long path leaves less space."""
_FENCE_LENGTH: Final = utf16_length(fence_untrusted("", "0" * 12))


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the text of a hit comes from, as far as known."""

    origin_class: str = field(metadata=named_in_json("originClass"))
    session_kind: str = field(metadata=named_in_json("sessionKind"))
    observed_at: int | None = field(default=None, metadata=named_in_json("observedAt"))


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage; fields that are None are omitted."""

    path: str
    start_line: int = field(metadata=named_in_json("startLine"))
    end_line: int = field(metadata=named_in_json("endLine"))
    score: float
    text_score: float | None = field(default=None, metadata=named_in_json("textScore"))
    vector_score: float | None = field(default=None, metadata=named_in_json("vectorScore"))
    snippet: str = ""
    source: str = "memory"
    importance: int | None = None
    triggers: str | None = None
    project_key: str | None = field(default=None, metadata=named_in_json("projectKey"))
    provenance: Provenance | None = None
    corpus: str = "memory"
    earlier: bool | None = None
    """Whether a newer result speaks of the same thing."""
    citation: str | None = None


@dataclass(frozen=True, slots=True)
class Debug:
    """Diagnostics of a search; times in milliseconds."""

    backend: str
    effective_mode: str | None = field(default=None, metadata=named_in_json("effectiveMode"))
    manager_ms: int | None = field(default=None, metadata=named_in_json("managerMs"))
    search_ms: int | None = field(default=None, metadata=named_in_json("searchMs"))
    hits: int | None = None
    candidate_hits: int | None = field(default=None, metadata=named_in_json("candidateHits"))
    withheld_hits: int | None = field(default=None, metadata=named_in_json("withheldHits"))
    pending_vectors: int | None = field(default=None, metadata=named_in_json("pendingVectors"))
    search_window: int | None = field(default=None, metadata=named_in_json("searchWindow"))
    tool_ms: int | None = field(default=None, metadata=named_in_json("toolMs"))
    outside_search_ms: int | None = field(default=None, metadata=named_in_json("outsideSearchMs"))
    warning: str | None = None
    action: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search; an empty one is valid unless it is `unavailable`."""

    indent: ClassVar[int] = 2  # hosts expect this answer as indented JSON

    results: tuple[Hit, ...]
    provider: str | None = None
    model: str | None = None
    fallback: str | None = None
    citations: str | None = None
    mode: str | None = None
    disabled: bool | None = None
    unavailable: bool | None = None
    timed_out: bool | None = field(default=None, metadata=named_in_json("timedOut"))
    timeout_ms: int | None = field(default=None, metadata=named_in_json("timeoutMs"))
    partial: bool | None = None
    stale: bool | None = None
    error: str | None = None
    warning: str | None = None
    action: str | None = None
    corpora: tuple[CorpusOutcome, ...] | None = None
    debug: Debug | None = None


def hit_of(
    found: ScoredResult,
    terms: Sequence[Term],
    nonce: str,
    *,
    cited: bool,
    min_score: float | None = None,
) -> Hit:
    """Return one result; the text of a transcript is fenced, because anybody may have said it.

    Its score is at least `min_score`, which it has passed by its relevance.
    """
    passage, meaning = found.ranked.passage, found.ranked.candidate.meaning
    is_transcript = passage.is_talk
    citation = passage.citation if cited else None
    source = f"\n\nSource: {citation}" if citation else ""
    max_length = max(_MIN_TEXT, SNIPPET_LIMIT - utf16_length(source))
    text = without_annotations(passage.text).strip("\n")
    lines = (
        _fenced_excerpt(text, terms, nonce, max_length)
        if is_transcript
        else excerpt(text, terms, max_length)
    )
    return Hit(
        path=passage.path,
        start_line=passage.start,
        end_line=passage.end,
        score=round(max(found.ranked.score, min(1.0, min_score or 0.0)), 4),
        text_score=round(found.words, 4),
        vector_score=None if meaning is None else round(min(1.0, max(0.0, meaning)), 4),
        snippet=lines + source,
        source=passage.source,
        importance=passage.importance,
        triggers=passage.triggers,
        project_key=passage.project,
        provenance=_provenance(passage),
        corpus=passage.source,
        earlier=True if found.ranked.earlier else None,
        citation=citation,
    )


def excerpt(text: str, terms: Sequence[Term], max_length: int) -> str:
    """Return the text, or what fits around the line that has the most words of the question."""
    if utf16_length(text) <= max_length:
        return text
    lines = text.split("\n")
    best = max(range(len(lines)), key=lambda i: (_matching_terms(lines[i], terms), -i))
    first = last = best
    used = utf16_length(lines[best])
    while used <= max_length:
        wider = [i for i in (last + 1, first - 1) if 0 <= i < len(lines)]
        fitting = [i for i in wider if used + 1 + utf16_length(lines[i]) <= max_length]
        if not fitting:
            break
        used += 1 + utf16_length(lines[fitting[0]])
        first, last = min(first, fitting[0]), max(last, fitting[0])
    if used <= max_length:
        return "\n".join(lines[first : last + 1])
    return _window_of_line(lines[best], terms, max_length)


def _fenced_excerpt(text: str, terms: Sequence[Term], nonce: str, max_length: int) -> str:
    """Return a fenced excerpt; escaping makes it longer, so it is shortened until it fits."""
    inside = max_length - _FENCE_LENGTH
    while True:
        fenced = fence_untrusted(excerpt(text, terms, inside), nonce)
        excess = utf16_length(fenced) - max_length
        if excess <= 0 or inside <= 0:
            return fenced
        inside -= max(excess // 8, 1)


def _window_of_line(line: str, terms: Sequence[Term], max_length: int) -> str:
    """Return the part of a long line that starts shortly before the first word of the question."""
    lowered = line.lower()
    positions = [lowered.find(term.text.lower()) for term in terms]
    matches = [position for position in positions if position >= 0]
    start = max(0, min(matches) - max_length // 4) if matches else 0
    return cut_utf16(line[start:], max_length)


def _matching_terms(line: str, terms: Sequence[Term]) -> int:
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
