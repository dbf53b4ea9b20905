"""What does a host receive for a search? Exactly the fields of its contract, and no others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from remem.core.corpus import CorpusOutcome
from remem.core.wire import called


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
