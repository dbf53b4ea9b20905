"""Search for a host, in the format that it expects, even if parts of the search do not work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from time import perf_counter
from typing import Any, Final

from remem.errors import InvalidInput, NotAllowed, RememError
from remem.model.arguments import (
    DEFAULT_RESULTS,
    NO_WIKI,
    SEARCH_CORPORA,
    WIKI_OUTCOME,
    Corpus,
    CorpusOutcome,
    Outcome,
    checked_corpus,
    checked_text,
    positive_integer,
)
from remem.model.passage import Source
from remem.search.answer.facts import dedupe_facts
from remem.search.passages.search import MODEL_TIMEOUT_SECONDS, ScopeSearch, SearchFindings
from remem.search.passages.selection import choose
from remem.search.passages.snippet import Debug, SearchResult, hit_of

_MAX_MERGED: Final = 10
"""Maximum number of results of a search over all corpora."""
_MAX_RESULTS: Final = 1000
_BACKEND: Final = "remem"
NO_TRANSCRIPTS: Final = "Session transcript search is not enabled."
_ALLOW_TRANSCRIPTS: Final = "Name this scope in `transcripts` of .remem/config.toml."


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Checked options of a search; `min_score` is None for the default."""

    query: str
    limit: int
    min_score: float | None
    corpus: Corpus | None


def parse_options(query: Any, max_results: Any, min_score: Any, corpus: Any) -> SearchOptions:
    """Check the options of a search; errors use the wording that hosts expect."""
    if not isinstance(query, str) or not query.strip():
        raise InvalidInput("query required")
    limit = DEFAULT_RESULTS if max_results is None else positive_integer(max_results, "maxResults")
    return SearchOptions(
        checked_text(query.strip(), "query"),
        min(limit, _MAX_RESULTS),
        None if min_score is None else _finite(min_score),
        checked_corpus(corpus, SEARCH_CORPORA),
    )


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise InvalidInput("minScore must be a finite number")
    return float(value)


@dataclass(frozen=True, slots=True)
class MemorySearch:
    """Searches the files of one scope for a host.

    `citations` is the setting. `direct` says whether this is a one-to-one chat, `transcripts`
    whether the conversations of this scope may be searched.
    """

    search: ScopeSearch
    citations: str
    direct: bool
    transcripts: bool

    def __call__(self, options: SearchOptions, now: str, nonce: str) -> SearchResult:
        started = perf_counter()
        if options.corpus == "wiki":
            return self._without_wiki(options)
        if options.corpus == "sessions" and not self.transcripts:
            raise NotAllowed(NO_TRANSCRIPTS, hint=_ALLOW_TRANSCRIPTS)
        sources = self._sources(options.corpus)
        limit = min(options.limit, _MAX_MERGED) if options.corpus == "all" else options.limit
        findings = self.search(options.query, sources, now, limit)
        result = self._result(findings, options, limit, nonce)
        result = _with_warnings(result, findings)
        if options.corpus == "all":
            result = replace(result, corpora=_corpora(sources, result))
        return _with_timing(result, started)

    def _sources(self, corpus: Corpus | None) -> tuple[Source, ...]:
        if corpus == "sessions":
            return ("sessions",)
        both = self.transcripts and corpus != "memory"
        return ("memory", "sessions") if both else ("memory",)

    @property
    def _cited(self) -> bool:
        return self.citations == "on" or (self.citations == "auto" and self.direct)

    def _result(
        self, findings: SearchFindings, options: SearchOptions, limit: int, nonce: str
    ) -> SearchResult:
        results = findings.above(options.min_score)
        shown_results = [
            result
            for result in results
            if not _is_withheld(result.ranked.passage.source, findings, options)
        ]
        chosen_results = choose(dedupe_facts(shown_results), limit)
        hits = tuple(
            hit_of(result, findings.terms, nonce, cited=self._cited, min_score=options.min_score)
            for result in chosen_results
        )
        mode = "hybrid" if findings.model else "keyword"
        fallback_reason = findings.fallback_reason
        return SearchResult(
            results=hits,
            provider=_BACKEND if findings.model else "none",
            model=findings.model,
            fallback=f"keyword only: {fallback_reason}" if fallback_reason else None,
            citations=self.citations,
            mode=mode,
            debug=Debug(
                backend=_BACKEND,
                effective_mode=mode,
                hits=len(hits),
                candidate_hits=len(findings.results),
                withheld_hits=len(results) - len(shown_results),
                pending_vectors=findings.pending or None,
                search_window=limit,
            ),
        )

    def _without_wiki(self, options: SearchOptions) -> SearchResult:
        debug = Debug(
            _BACKEND, hits=0, candidate_hits=0, withheld_hits=0, search_window=options.limit
        )
        return SearchResult(
            results=(),
            provider="none",
            citations=self.citations,
            corpora=(WIKI_OUTCOME,),
            warning=NO_WIKI,
            debug=debug,
        )


def _with_timing(result: SearchResult, started: float) -> SearchResult:
    assert result.debug is not None
    took = round((perf_counter() - started) * 1000)
    debug = replace(result.debug, manager_ms=0, search_ms=took, tool_ms=took, outside_search_ms=0)
    return replace(result, debug=debug)


def unavailable_after(error: RememError) -> SearchResult:
    """Return the result of a search that was not possible, with the reason and what to do."""
    reason, action = str(error.args[0]), error.hint or "Run `remem doctor`."
    warning = f"Memory search is unavailable: {reason}"
    return SearchResult(
        results=(),
        disabled=True,
        unavailable=True,
        error=reason,
        warning=warning,
        action=action,
        debug=Debug(_BACKEND, warning=warning, action=action, error=reason),
    )


def _is_withheld(source: Source, findings: SearchFindings, options: SearchOptions) -> bool:
    """Return whether to withhold a transcript hit because the model timed out.

    Transcripts contain almost any word, so in a keyword search they would crowd out the files. They
    are not withheld if only transcripts are searched.
    """
    return findings.timed_out and source == "sessions" and options.corpus != "sessions"


def _with_warnings(result: SearchResult, findings: SearchFindings) -> SearchResult:
    """Add warnings about a model that failed and about results that may be out of date."""
    if findings.failed:
        result = replace(
            result,
            partial=True,
            timed_out=findings.timed_out or None,
            timeout_ms=round(MODEL_TIMEOUT_SECONDS * 1000) if findings.timed_out else None,
            fallback=f"keyword only: {findings.failed}",
            warning=f"Searched by keyword only: {findings.failed}.",
            action="Try different words, or run `remem status`.",
        )
    if findings.not_reranked:
        warning = f"Results were {findings.not_reranked}."
        result = replace(result, warning=" ".join(filter(None, (result.warning, warning))))
    if result.results and not findings.clear:
        from remem.search.rank.clarity import NO_CLEAR_MATCH

        warning = f"{NO_CLEAR_MATCH.capitalize()}."
        result = replace(result, warning=" ".join(filter(None, (result.warning, warning))))
    if findings.stale:
        warning = " ".join(
            filter(None, (result.warning, f"Results may be stale: {findings.stale}."))
        )
        result = replace(
            result, stale=True, warning=warning, action=result.action or "Run `remem refresh`."
        )
    if result.warning and result.debug:
        debug = replace(result.debug, warning=result.warning, action=result.action)
        result = replace(result, debug=debug)
    return result


def _corpora(sources: Sequence[Source], result: SearchResult) -> tuple[CorpusOutcome, ...]:
    outcome: Outcome = "partial" if result.partial else "ok"
    return (*(CorpusOutcome(source, outcome) for source in sources), WIKI_OUTCOME)
