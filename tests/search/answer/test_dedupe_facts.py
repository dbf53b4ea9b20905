"""Search shows a fact once: as its summary line, at the better of both ranks."""

from __future__ import annotations

from remem.model.passage import Passage
from remem.search.answer.facts import dedupe_facts
from remem.search.passages.selection import ScoredResult
from remem.search.rank.ranking import Candidate, RankedCandidate
from remem.text.marked_line import add_mark


def scored(row: int, path: str, text: str, score: float) -> ScoredResult:
    candidate = Candidate(Passage(path, row, row, text), score, kind="passage", number=row)
    return ScoredResult(RankedCandidate(candidate, score, {}), score, score)


FACT = scored(1, "brain/areas/anna/items.json", "anna-1: Lives in Lisbon. (status)", 0.9)
LINE = scored(2, "brain/areas/anna/summary.md", add_mark("- Lives in Lisbon.", ("anna-1",)), 0.5)
OTHER = scored(3, "memory/2026-11-01.md", "Lisbon was warm.", 0.7)


def test_the_summary_line_takes_the_better_rank() -> None:
    found = dedupe_facts([FACT, OTHER, LINE])

    assert [(result.ranked.passage.path, result.ranked.score) for result in found] == [
        ("brain/areas/anna/summary.md", 0.9),
        ("memory/2026-11-01.md", 0.7),
    ]


def test_a_fact_without_a_summary_line_stays() -> None:
    assert dedupe_facts([FACT, OTHER]) == [FACT, OTHER]


def test_a_summary_of_another_entity_does_not_count() -> None:
    elsewhere = scored(4, "brain/areas/ben/summary.md", LINE.ranked.passage.text, 0.5)

    assert dedupe_facts([FACT, elsewhere]) == [FACT, elsewhere]


def test_a_summary_without_marks_is_matched_by_its_words() -> None:
    plain = scored(5, "brain/areas/anna/summary.md", "- lives in  Lisbon.", 0.95)

    assert dedupe_facts([plain, FACT]) == [plain]


def test_a_summary_line_of_two_facts_is_shown_once() -> None:
    both = scored(6, LINE.ranked.passage.path, add_mark("Two things.", ("anna-1", "anna-2")), 0.3)
    second = scored(7, FACT.ranked.passage.path, "anna-2: Sings. (status)", 0.8)

    assert [f.ranked.passage.start for f in dedupe_facts([FACT, second, both])] == [6]
