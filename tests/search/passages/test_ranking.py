"""Passages are ranked by relevance; age, annotations and names only break near ties."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.model.passage import Passage
from remem.search.passages.ranking import Candidate, PassageQuery, Scored, choose, rank
from remem.search.query.terms import Term
from remem.text.dates import Window

TODAY = date(2026, 11, 15)
ASKED = PassageQuery("gateway port", (Term("gateway"), Term("port")), (), {}, TODAY)


def candidate(text: str, keyword: float = 1.0, **about: object) -> Candidate:
    passage = Passage("memory/x.md", 1, 1, text)
    return Candidate(hash(text) % 1000, replace(passage, **about), keyword)  # type: ignore[arg-type]


def texts(ranked: list[Scored]) -> list[str]:
    return [scored.passage.text for scored in ranked]


def test_the_passage_that_covers_more_of_the_question_comes_first() -> None:
    ranked = rank([candidate("a port", 0.9), candidate("gateway port")], ASKED, None)

    assert texts(ranked) == ["gateway port", "a port"]


def test_age_only_breaks_ties() -> None:
    old, new = "2019-01-01", "2026-11-14"
    tie = [candidate("gateway port", day=old, path="a.md"), candidate("gateway port!", day=new)]
    better = [candidate("gateway port", day=old), candidate("a port of call", 0.9, day=new)]

    assert texts(rank(tie, ASKED, None)) == ["gateway port!", "gateway port"]
    assert texts(rank(better, ASKED, None)) == ["gateway port", "a port of call"]
    ancient = rank([candidate("gateway port", day="1999-01-01")], ASKED, None)[0]
    assert ancient.score >= 0.94


def test_a_persons_own_words_come_before_what_an_assistant_made_of_them() -> None:
    answer = candidate("Assistant: gateway port", path="memory/a.md")
    said = candidate("User: gateway port")

    assert texts(rank([answer, said], ASKED, None))[0].startswith("User")
    again = replace(ASKED, text="gateway port: what did you recommend?")
    assert texts(rank([answer, said], again, None))[0].startswith("Assistant")


def test_the_speaker_that_the_question_names_comes_first() -> None:
    tom = candidate("Tom: gateway port\nTom: yes\nTom: no", path="memory/a.md")
    mara = candidate("Mara: gateway port\nMara: yes\nMara: no")

    assert texts(rank([tom, mara], ASKED, None))[0].startswith("Tom"), "by the order of the files"
    named = replace(ASKED, text="Which gateway port does Mara use?")
    assert texts(rank([tom, mara], named, None))[0].startswith("Mara")


def test_a_passage_with_a_time_comes_first_if_the_question_asks_when() -> None:
    plain, dated = (
        candidate("gateway port", path="memory/a.md"),
        candidate("gateway port on Monday"),
    )

    assert texts(rank([plain, dated], ASKED, None))[0] == "gateway port"
    when = replace(ASKED, text="When did the gateway port change?")
    assert texts(rank([plain, dated], when, None))[0] == "gateway port on Monday"


def test_soon_after_the_named_days_ranks_above_long_after() -> None:
    window = Window(date(2026, 5, 1), date(2026, 5, 31))
    soon = candidate("gateway port", day="2026-06-03")
    later = candidate("gateway port", day="2026-09-03", path="memory/a.md")
    asked = replace(ASKED, windows=(window,))

    assert rank([later, soon], asked, None)[0].passage.day == "2026-06-03"
    assert rank([later, soon], ASKED, None)[0].passage.day == "2026-09-03", "else the newer one"


def test_scores_stay_distinct_however_high_they_are() -> None:
    window = Window(date(2026, 5, 1), date(2026, 5, 31))
    asked = replace(ASKED, text="When did I move the gateway port?", windows=(window,))
    said = candidate("User: gateway port on Monday", day="2026-05-03")
    told = candidate("User: gateway port", day="2026-05-03", path="memory/a.md")

    first, second = rank([told, said], asked, None)
    assert 0.97 > first.score > second.score > 0.9


def test_the_threshold_does_not_apply_to_age() -> None:
    old = candidate("gateway port", day="2003-01-01")

    assert texts(rank([old], ASKED, 0.999)) == ["gateway port"]
    assert rank([old], ASKED, 0.999)[0].score >= 0.96


def test_annotations_move_only_between_neighbours() -> None:
    important = candidate("gateway port", importance=10)
    plain = candidate("gateway port", importance=None, path="memory/a.md")
    dull = candidate("gateway and port", importance=1)
    loud = candidate("some port", 0.5, importance=10)

    assert rank([plain, important], ASKED, None)[0].passage.importance == 10
    assert rank([dull, loud], ASKED, None)[0].passage.importance == 1


def test_a_named_project_raises_the_score() -> None:
    asked = replace(ASKED, text="gateway port of atlas")
    ranked = rank(
        [
            candidate("gateway port", 0.5, path="memory/a.md"),
            candidate("gateway port", 0.5, project="atlas; other"),
        ],
        asked,
        None,
    )

    assert ranked[0].passage.project


@pytest.mark.parametrize(
    ("ways", "first"),
    [
        ({"memory/n.md": "stem"}, "memory/n.md"),
        ({"memory/n.md": "stem", "memory/m.md": "name"}, "memory/m.md"),
        ({"memory/n.md": "path", "memory/m.md": "name"}, "memory/n.md"),
    ],
)
def test_a_named_file_comes_first(ways: dict[str, str], first: str) -> None:
    candidates = [
        candidate("gateway port", importance=10),
        candidate("nothing", 0.0, path="memory/n.md"),
        candidate("nothing else", 0.0, path="memory/m.md"),
    ]
    ranked = rank(candidates, replace(ASKED, named=ways), None)

    assert ranked[0].passage.path == first
    scores = [scored.score for scored in ranked]
    assert scores == sorted(scores, reverse=True)


def test_the_day_in_the_question_raises_the_score() -> None:
    window = Window(date(2026, 3, 4), date(2026, 3, 4))
    ranked = rank(
        [candidate("gateway", day="2026-03-05"), candidate("gateway", day="2026-03-04")],
        replace(ASKED, windows=(window,)),
        None,
    )

    assert ranked[0].passage.day == "2026-03-04"


def test_an_invalid_day_is_ignored() -> None:
    assert rank([candidate("gateway", day="2026-13-99")], ASKED, None)


LEGS = st.none() | st.floats(-1, 1)


@given(
    st.lists(
        st.builds(
            lambda text, keyword, meaning, tokens, about: replace(
                candidate(text, keyword, **about), meaning=meaning, late_interaction=tokens
            ),
            st.sampled_from(["gateway", "gateway port", "tea", "数据"]),
            st.floats(0, 30),
            LEGS,
            LEGS,
            st.fixed_dictionaries(
                {},
                optional={
                    "importance": st.integers(1, 10),
                    "day": st.sampled_from(["2020-01-01", "2026-11-15", "2030-01-01"]),
                    "path": st.sampled_from(["memory/n.md", "memory/x.md"]),
                },
            ),
        ),
        max_size=8,
    ),
    st.none() | st.floats(-1, 2),
)
def test_scores_lie_between_0_and_1_and_fall(found: list[Candidate], least: float | None) -> None:
    ranked = rank(found, replace(ASKED, named={"memory/n.md": "stem"}), least)

    assert all(0 <= scored.score <= 1 for scored in ranked)
    assert [scored.score for scored in ranked] == sorted((e.score for e in ranked), reverse=True)
    assert all(least is None or scored.relevance >= least for scored in ranked)
    assert all(least is None or least > 1 or scored.score >= min(least, 1) for scored in ranked)


def scored(score: float, source: str = "memory", **about: object) -> Scored:
    passage = replace(Passage("memory/x.md", 1, 1, f"{score}"), source=source, **about)  # type: ignore[arg-type]
    return Scored(0, passage, score, None, score, score, by_keyword=True)


def test_transcripts_take_at_most_half_of_the_results_if_files_match() -> None:
    talk = [scored(0.9 - n / 100, "sessions", path=f"s/{n}") for n in range(9)]
    files = [scored(0.5 - n / 100, path=f"f/{n}") for n in range(9)]

    chosen = [scored.passage.source for scored in choose([*talk, *files], 6)]

    assert chosen == ["sessions"] * 3 + ["memory"] * 3
    assert len(choose([*talk, files[0]], 6)) == 6
    assert len(choose(talk, 6)) == 6


def test_overlapping_passages_give_way_to_others() -> None:
    first = scored(0.9, start=1, end=10)
    again = scored(0.8, start=4, end=13)
    copied = replace(first, passage=replace(first.passage, path="memory/backup.md"))
    other = scored(0.7, start=30, end=40)

    assert choose([first, again, copied, other], 2) == [first, other]
    assert choose([first, again], 2) == [first, again]
