"""A line of a curated file is shown with the lines around it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.model.passage import FileMark, Passage
from remem.ports.passages import PassageStore
from remem.search.passages.selection import ScoredResult
from remem.search.passages.siblings import with_siblings
from remem.search.rank.ranking import Candidate, RankedCandidate
from remem.store.sqlite.passages import SqlitePassages

PRICES = ("Prices",)
LINES = [
    Passage("MEMORY.md", 3, 3, "- Basic: 39 a month", headings=PRICES, curated=True),
    Passage("MEMORY.md", 4, 4, "- Standard: 99 a month", headings=PRICES, curated=True),
    Passage("MEMORY.md", 6, 6, "Low at first, higher later.", headings=PRICES, curated=True),
    Passage("MEMORY.md", 9, 9, "Paid by invoice.", headings=PRICES, curated=True),
    Passage("MEMORY.md", 12, 12, "- Tea at four", headings=("Habits",), curated=True),
    Passage("memory/2026-01-02.md", 1, 1, "- Basic: 35 a month"),
    Passage("memory/2026-01-02.md", 2, 2, "- Standard: 90 a month"),
]
BASIC, STANDARD, LOW, INVOICE, TEA, NOTE, _ = range(1, 8)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[PassageStore]:
    passages = SqlitePassages(tmp_path / "passages.db")
    passages.write(
        lambda tx: tx.replace(
            [
                (FileMark(path, 1, 1, n, "0", 0), [line for line in LINES if line.path == path])
                for n, path in enumerate(("MEMORY.md", "memory/2026-01-02.md"))
            ]
        )
    )
    yield passages
    passages.close()


def shown(
    store: PassageStore, *numbers: int, earlier: tuple[int, ...] = (), count: int = 9
) -> list[tuple[int, int, str]]:
    results = [
        ScoredResult(
            RankedCandidate(
                Candidate(LINES[number - 1], number=number), 0.5, {}, earlier=number in earlier
            ),
            0.5,
            0.5,
        )
        for number in numbers
    ]
    with store.read() as reader:
        passages = [
            result.ranked.passage for result in with_siblings(results, reader.of_file, count)
        ]
    return [(passage.start, passage.end, passage.text) for passage in passages]


def test_a_line_is_shown_with_its_list_and_the_paragraph_below(store: PassageStore) -> None:
    ((start, end, text),) = shown(store, STANDARD)
    assert (start, end) == (3, 6)
    assert text == "- Basic: 39 a month\n- Standard: 99 a month\n\nLow at first, higher later."


def test_lines_further_away_or_below_another_heading_are_not_added(store: PassageStore) -> None:
    assert shown(store, INVOICE) == [(9, 9, "Paid by invoice.")]
    assert shown(store, TEA) == [(12, 12, "- Tea at four")]


def test_a_line_that_is_already_shown_is_not_shown_again(store: PassageStore) -> None:
    assert [start for start, _, _ in shown(store, BASIC, TEA, LOW)] == [3, 12]


def test_an_outdated_line_stays_alone_with_its_mark(store: PassageStore) -> None:
    both = shown(store, BASIC, STANDARD, earlier=(STANDARD,))
    assert both == [(3, 3, "- Basic: 39 a month"), (4, 4, "- Standard: 99 a month")]


def test_notes_and_further_results_are_left_as_they_are(store: PassageStore) -> None:
    assert shown(store, NOTE) == [(1, 1, "- Basic: 35 a month")]
    assert shown(store, TEA, BASIC, count=1)[1] == (3, 3, "- Basic: 39 a month")


def test_a_line_with_an_importance_of_its_own_stays_alone(tmp_path: Path) -> None:
    plain = Passage("MEMORY.md", 1, 1, "- Tea at four", curated=True)
    important = Passage("MEMORY.md", 2, 2, "- Bread at six", curated=True, importance=9)
    assert only_result(tmp_path, plain, important) == "- Tea at four"


def test_a_long_neighbour_is_not_added(tmp_path: Path) -> None:
    long = Passage("MEMORY.md", 2, 2, "- " + "words and more words " * 40, curated=True)
    short = Passage("MEMORY.md", 1, 1, "- Tea at four", curated=True)
    assert only_result(tmp_path, short, long) == "- Tea at four"


def only_result(tmp_path: Path, found: Passage, other: Passage) -> str:
    passages = SqlitePassages(tmp_path / "other.db")
    passages.write(
        lambda tx: tx.replace([(FileMark("MEMORY.md", 1, 1, 1, "0", 0), [found, other])])
    )
    result = ScoredResult(RankedCandidate(Candidate(found, number=1), 0.5, {}), 0.5, 0.5)
    with passages.read() as reader:
        (shown_result,) = with_siblings([result], reader.of_file, 1)
    passages.close()
    return shown_result.ranked.passage.text
