"""When the model is too slow, hosts receive keyword hits of files and a notice."""

from __future__ import annotations

from datetime import date
from typing import Any, cast

import pytest

from remem.model.passage import Passage, Source
from remem.search.passages.memory_search import MemorySearch, SearchOptions
from remem.search.passages.ranking import Candidate, PassageQuery
from remem.search.passages.search import Candidates, PassageSearch
from remem.search.query.terms import Term

TODAY = date(2026, 11, 16)


def candidates(*, late: bool) -> Candidates:
    asked = PassageQuery("tea", (Term("tea"),), (), {}, TODAY)
    kinds: tuple[Source, ...] = ("memory", "sessions")
    found = [
        Candidate(row, Passage(f"{source}.md", 1, 1, "tea at five", source=source), 1.0)
        for row, source in enumerate(kinds)
    ]
    return Candidates(asked, tuple(found), failed="too slow" if late else None, timed_out=late)


def sources(corpus: Any, *, late: bool) -> list[str]:
    search = cast(PassageSearch, lambda *_: candidates(late=late))
    answer = MemorySearch(search, "off", direct=True, transcripts=True)(
        SearchOptions("tea", 6, None, corpus), TODAY, "nonce"
    )
    assert answer.debug is not None
    assert (answer.debug.withheld_hits or 0) == 2 - len(answer.results)
    return [hit.source for hit in answer.results]


def test_transcripts_are_withheld_while_the_model_is_late() -> None:
    """“session hits are then left out”"""
    assert sources(None, late=True) == ["memory"]
    assert sorted(sources(None, late=False)) == ["memory", "sessions"]


@pytest.mark.parametrize("late", [True, False])
def test_transcripts_are_shown_if_only_they_are_searched(late: bool) -> None:
    assert "sessions" in sources("sessions", late=late)
