"""Search shows each statement once, and transcripts do not crowd out files."""

from __future__ import annotations

from dataclasses import replace

from remem.model.passage import Passage
from remem.search.passages.selection import ScoredResult, choose, repeats
from remem.search.rank.ranking import Candidate, RankedCandidate
from tests.tables import each_row


def found(score: float, source: str = "memory", **about: object) -> ScoredResult:
    passage = replace(Passage("memory/x.md", 1, 1, f"{score}"), source=source, **about)  # type: ignore[arg-type]
    return ScoredResult(
        RankedCandidate(Candidate(passage, score, kind="passage"), score, {}), score, score
    )


def test_transcripts_take_at_most_half_of_the_results_if_files_match() -> None:
    talk = [found(0.9 - n / 100, "sessions", path=f"s/{n}") for n in range(9)]
    files = [found(0.5 - n / 100, path=f"f/{n}") for n in range(9)]

    chosen = [result.ranked.passage.source for result in choose([*talk, *files], 6)]

    assert chosen == ["sessions"] * 3 + ["memory"] * 3
    assert len(choose([*talk, files[0]], 6)) == 6
    assert len(choose(talk, 6)) == 6


def test_overlapping_passages_give_way_to_others() -> None:
    first = found(0.9, start=1, end=10)
    again = found(0.8, start=4, end=13)
    other = found(0.7, start=30, end=40)

    assert choose([first, again, other], 2) == [first, other]
    assert choose([first, again], 2) == [first, again]


@each_row("place", [{"path": "memory/backup.md"}, {"start": 40, "end": 40}])
def test_the_same_text_is_never_shown_twice(place: dict[str, object]) -> None:
    first = found(0.9, text="- The gateway runs on atlas.")
    copied = found(0.8, text="* The gateway runs on **atlas**", **place)

    assert choose([first, copied], 6) == [first]


def test_texts_that_differ_in_a_number_are_both_shown() -> None:
    line = "The form for the income tax of the year is filled in and sent, it is number {}."
    one, other = (Passage("a.md", n, n, line.format(n)) for n in (12, 51))

    assert not repeats(one, other)
    assert repeats(one, replace(other, text=f"- {one.text}"))
