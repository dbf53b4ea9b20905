"""What is answered to a host that searches? Its contract, kept also where something is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import isfinite
from time import perf_counter
from typing import Any, Final

from remem.errors import InvalidInput, RememError
from remem.model.arguments import (
    MOST_RESULTS,
    NO_WIKI,
    SEARCHED,
    WIKI,
    Corpus,
    CorpusOutcome,
    Outcome,
    checked_corpus,
    checked_text,
    positive,
)
from remem.model.passage import Source
from remem.search.answer.facts import once
from remem.search.passages.ranking import choose
from remem.search.passages.search import PATIENCE, Legs, PassageSearch
from remem.search.passages.snippet import Debug, Found, hit_of

_MERGED: Final = 10
"""The most that a search of all corpora gives."""
_MANY: Final = 1000
_BACKEND: Final = "remem"
_PROVIDER: Final = "remem"
NO_TRANSCRIPTS: Final = "Session transcript search is not enabled."
_ALLOW_TRANSCRIPTS: Final = "Name this scope in `transcripts` of .remem/config.toml."


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody looks for; `least` is None where the default score is meant."""

    query: str
    most: int
    least: float | None
    corpus: Corpus | None


def wish(query: Any, max_results: Any, min_score: Any, corpus: Any) -> Wish:
    """The search, if it can be one; refused in the words of the host's contract."""
    if not isinstance(query, str) or not query.strip():
        raise InvalidInput("query required")
    most = MOST_RESULTS if max_results is None else positive(max_results, "maxResults")
    return Wish(
        checked_text(query.strip(), "query"),
        min(most, _MANY),
        None if min_score is None else _finite(min_score),
        checked_corpus(corpus, SEARCHED),
    )


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise InvalidInput("minScore must be a finite number")
    return float(value)


@dataclass(frozen=True, slots=True)
class MemorySearch:
    """Searches one scope's files for a host; `citations` is the setting, `direct` whether one
    person is spoken to, `transcripts` whether this scope lets conversations be searched."""

    search: PassageSearch
    citations: str
    direct: bool
    transcripts: bool
    timer: Callable[[], float] = perf_counter

    def __call__(self, asked: Wish, today: date, nonce: str, stale: str | None) -> Found:
        """`stale` says why the answer may not be that of the files as they are now."""
        begun = self.timer()
        if asked.corpus == "wiki":
            return self._without_wiki(asked)
        if asked.corpus == "sessions" and not self.transcripts:
            return unavailable(NO_TRANSCRIPTS, _ALLOW_TRANSCRIPTS)
        sources = self._sources(asked.corpus)
        most = min(asked.most, _MERGED) if asked.corpus == "all" else asked.most
        legs = self.search(asked.query, sources, today, most)
        found = self._found(legs, asked, most, nonce)
        found = _with_warnings(found, legs, legs.damage or stale)
        if asked.corpus == "all":
            found = replace(found, corpora=_corpora(sources, found))
        return self._timed(found, begun)

    def _sources(self, corpus: Corpus | None) -> tuple[Source, ...]:
        if corpus == "sessions":
            return ("sessions",)
        both = self.transcripts and corpus != "memory"
        return ("memory", "sessions") if both else ("memory",)

    @property
    def _cited(self) -> bool:
        return self.citations == "on" or (self.citations == "auto" and self.direct)

    def _found(self, legs: Legs, asked: Wish, most: int, nonce: str) -> Found:
        ranked = legs.ranked(asked.least)
        told = [scored for scored in ranked if not _left_out(scored.passage.source, legs, asked)]
        chosen = choose(once(told), most)
        hits = tuple(
            hit_of(scored, legs.asked.terms, nonce, cited=self._cited) for scored in chosen
        )
        mode = "hybrid" if legs.model else "keyword"
        return Found(
            results=hits,
            provider=_PROVIDER if legs.model else "none",
            model=legs.model,
            fallback=f"keyword only: {legs.without}" if legs.without else None,
            citations=self.citations,
            mode=mode,
            debug=Debug(
                backend=_BACKEND,
                effective_mode=mode,
                hits=len(hits),
                candidate_hits=len(legs.candidates),
                withheld_hits=len(ranked) - len(told),
                search_window=most,
            ),
        )

    def _without_wiki(self, asked: Wish) -> Found:
        debug = Debug(_BACKEND, hits=0, candidate_hits=0, withheld_hits=0, search_window=asked.most)
        return Found(
            results=(),
            provider="none",
            citations=self.citations,
            corpora=(WIKI,),
            warning=NO_WIKI,
            debug=debug,
        )

    def _timed(self, found: Found, begun: float) -> Found:
        assert found.debug is not None
        took = round((self.timer() - begun) * 1000)
        debug = replace(found.debug, manager_ms=0, search_ms=took)
        return replace(found, debug=replace(debug, tool_ms=took, outside_search_ms=0))


def unavailable(reason: str, action: str) -> Found:
    """No search was possible: what is wrong, for the user and for who has to mend it."""
    warning = f"Memory search is unavailable: {reason}"
    return Found(
        results=(),
        disabled=True,
        unavailable=True,
        error=reason,
        warning=warning,
        action=action,
        debug=Debug(_BACKEND, warning=warning, action=action, error=reason),
    )


def broken(error: RememError) -> Found:
    return unavailable(str(error.args[0]), error.hint or "Run `remem doctor`.")


def _left_out(source: Source, legs: Legs, asked: Wish) -> bool:
    """Conversations hold most of any words: without the model they would drown the files, unless
    they alone were asked for."""
    return legs.late and source == "sessions" and asked.corpus != "sessions"


def _with_warnings(found: Found, legs: Legs, stale: str | None) -> Found:
    """What the user should hear: nothing is left out in silence."""
    if legs.failed:
        found = replace(
            found,
            partial=True,
            timed_out=legs.late or None,
            timeout_ms=round(PATIENCE * 1000) if legs.late else None,
            fallback=f"keyword only: {legs.failed}",
            warning=f"Searched by keyword only: {legs.failed}.",
            action="Ask again in other words, or look at `remem status`.",
        )
    if stale:
        warning = " ".join(filter(None, (found.warning, f"Results may be stale: {stale}.")))
        found = replace(
            found, stale=True, warning=warning, action=found.action or "Run `remem refresh`."
        )
    if found.warning and found.debug:
        debug = replace(found.debug, warning=found.warning, action=found.action)
        found = replace(found, debug=debug)
    return found


def _corpora(sources: Sequence[Source], found: Found) -> tuple[CorpusOutcome, ...]:
    outcome: Outcome = "partial" if found.partial else "ok"
    return (*(CorpusOutcome(source, outcome) for source in sources), WIKI)
