"""When the model is too slow, hosts receive keyword hits of files and a notice."""

from __future__ import annotations

from datetime import date
from typing import Any, cast

from remem.model.passage import Passage, Source
from remem.search.passages.memory_search import MemorySearch, SearchOptions
from remem.search.passages.search import ScopeSearch, SearchFindings
from remem.search.passages.selection import ScoredResult
from remem.search.query.question import parse_question
from remem.search.query.terms import Term
from remem.search.rank.ranking import Candidate, RankedCandidate
from tests.tables import each_row

NOW = "2026-11-16T12:00:00Z"


def findings(*, late: bool) -> SearchFindings:
    asked = parse_question("tea", date(2026, 11, 16))
    kinds: tuple[Source, ...] = ("memory", "sessions")
    found = [
        ScoredResult(
            RankedCandidate(Candidate(passage, 1.0, kind="passage", number=row), 0.5, {}), 1.0, 1.0
        )
        for row, source in enumerate(kinds)
        if (passage := Passage(f"{source}.md", 1, 1, f"{source} at five", source=source))
    ]
    failed = "too slow" if late else None
    return SearchFindings(asked, (Term("tea"),), tuple(found), failed=failed, timed_out=late)


def sources(corpus: Any, *, late: bool) -> list[str]:
    search = cast(ScopeSearch, lambda *_: findings(late=late))
    answer = MemorySearch(search, "off", direct=True, transcripts=True)(
        SearchOptions("tea", 6, None, corpus), NOW, "nonce"
    )
    assert answer.debug is not None
    assert (answer.debug.withheld_hits or 0) == 2 - len(answer.results)
    return [hit.source for hit in answer.results]


def test_transcripts_are_withheld_while_the_model_is_late() -> None:
    """“session hits are then left out”"""
    assert sources(None, late=True) == ["memory"]
    assert sorted(sources(None, late=False)) == ["memory", "sessions"]


@each_row("late", [True, False])
def test_transcripts_are_shown_if_only_they_are_searched(late: bool) -> None:
    assert "sessions" in sources("sessions", late=late)
