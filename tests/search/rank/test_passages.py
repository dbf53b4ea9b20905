"""Passages are ranked like entries; age, annotations and names only reorder similar ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from remem.model.passage import Passage
from remem.search.passages.selection import Relevance
from remem.search.query.question import Question, parse_question
from remem.search.rank.ranking import Candidate, rank
from remem.text.dates import DateRange
from tests.store.sqlite.sample import entry
from tests.tables import each_row

NOW = "2026-11-15T12:00:00Z"
TODAY = date(2026, 11, 15)
ASKED = parse_question("gateway port", TODAY)


def candidate(text: str, keyword: float = 0.5, **about: object) -> Candidate:
    passage = Passage("memory/x.md", 1, 1, text)
    about = {"day": None, **about}
    return Candidate(
        replace(passage, **about),  # type: ignore[arg-type]
        keyword,
        kind="passage",
        coverage=sum(word in text for word in ASKED.terms) / 2,
    )


def asked(text: str, *windows: DateRange, **named: str) -> Question:
    return replace(parse_question(text, TODAY), windows=windows, named_files=named)


def texts(candidates: list[Candidate], question: Question = ASKED) -> list[str]:
    return [result.passage.text for result in rank(candidates, question, NOW)]


def test_the_passage_that_covers_more_of_the_question_comes_first() -> None:
    assert texts([candidate("a port", 0.4), candidate("gateway port")])[0] == "gateway port"


def test_entries_and_passages_have_one_order() -> None:
    stored = Candidate(entry("The gateway port is 8080."), 0.5, coverage=1.0)
    found = [candidate("a port", 0.2), stored, candidate("tea", 0.0)]

    assert rank(found, ASKED, NOW)[0].item == stored.item


def test_a_text_without_a_vector_competes_by_its_words() -> None:
    close = candidate("a door number", 0.0)._replace(meaning=0.3, late_interaction=0.05)
    others = [
        candidate(f"tea {n}", 0.0)._replace(meaning=0.1, late_interaction=0.0) for n in range(5)
    ]
    waiting = candidate("gateway port", 0.9)

    assert "gateway port" in texts([close, *others, waiting])[:2]


def test_age_only_reorders_equal_passages() -> None:
    old, new = "2019-01-01", "2026-11-14"
    tie = [candidate("gateway port", day=old, path="a.md"), candidate("gateway port!", day=new)]
    better = [candidate("gateway port", day=old), candidate("a port of call", 0.3, day=new)]

    assert texts(tie) == ["gateway port!", "gateway port"]
    assert texts(better) == ["gateway port", "a port of call"]


def test_a_persons_own_words_come_before_what_an_assistant_made_of_them() -> None:
    both = [candidate("Assistant: gateway port"), candidate("User: gateway port")]

    assert texts(both)[0].startswith("User")
    again = asked("gateway port: what did you recommend?")
    assert texts(both, again)[0].startswith("Assistant")


def test_the_speaker_that_the_question_names_comes_first() -> None:
    tom = candidate("Tom: gateway port\nTom: yes\nTom: no")
    mara = candidate("Mara: gateway port\nMara: yes\nMara: no")

    assert texts([tom, mara])[0].startswith("Tom"), "they keep their order"
    named = asked("Which gateway port does Mara use?")
    assert texts([tom, mara], named)[0].startswith("Mara")


def test_a_passage_with_a_time_comes_first_if_the_question_asks_when() -> None:
    both = [candidate("gateway port"), candidate("gateway port on Monday")]

    assert texts(both)[0] == "gateway port"
    assert texts(both, asked("When did the gateway port change?"))[0] == "gateway port on Monday"


def test_soon_after_the_named_days_ranks_above_long_after() -> None:
    window = DateRange(date(2026, 5, 1), date(2026, 5, 31))
    soon = candidate("gateway port", day="2026-06-03")
    later = candidate("gateway port", day="2026-09-03")

    first = rank([later, soon], asked("gateway port", window), NOW)[0]
    assert first.passage.day == "2026-06-03"
    assert rank([later, soon], ASKED, NOW)[0].passage.day == "2026-09-03", "else the newer one"


def test_a_minimum_relevance_does_not_apply_to_age() -> None:
    old = candidate("gateway port", day="2003-01-01")

    assert Relevance([old], ASKED)(old) >= 0.99


def test_annotations_move_only_between_neighbours() -> None:
    plain, important = candidate("gateway port"), candidate("gateway port", importance=10)
    dull, loud = candidate("gateway port", importance=1), candidate("port", 0.2, importance=10)

    assert rank([plain, important], ASKED, NOW)[0].passage.importance == 10
    assert rank([loud, dull], ASKED, NOW)[0].passage.importance == 1


def test_a_named_project_raises_the_score() -> None:
    both = [candidate("gateway port"), candidate("gateway port", project="atlas; other")]

    assert rank(both, asked("gateway port of atlas"), NOW)[0].passage.project


def test_a_curated_line_comes_before_an_equal_note() -> None:
    both = [candidate("gateway port"), candidate("gateway port", curated=True)]

    assert rank(both, ASKED, NOW)[0].passage.curated


@each_row(
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
    ranked = rank(candidates, replace(ASKED, named_files=ways), NOW)

    assert ranked[0].passage.path == first
    assert Relevance(candidates, replace(ASKED, named_files=ways))(ranked[0].candidate) >= 0.97


def test_the_day_in_the_question_raises_the_score() -> None:
    day = date(2026, 3, 4)
    both = [candidate("gateway", day="2026-03-05"), candidate("gateway", day="2026-03-04")]

    ranked = rank(both, asked("gateway port", DateRange(day, day)), NOW)

    assert ranked[0].passage.day == "2026-03-04"


def test_an_invalid_day_is_ignored() -> None:
    assert rank([candidate("gateway", day="2026-13-99")], ASKED, NOW)


SCORES = st.none() | st.floats(-1, 1)


@given(
    st.lists(
        st.builds(
            lambda text, keyword, meaning, tokens, about: candidate(
                text, keyword, **about
            )._replace(meaning=meaning, late_interaction=tokens),
            st.sampled_from(["gateway", "gateway port", "tea", "数据"]),
            st.floats(0, 1),
            SCORES,
            SCORES,
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
    )
)
def test_scores_lie_between_0_and_1_and_fall(found: list[Candidate]) -> None:
    question = replace(ASKED, named_files={"memory/n.md": "stem"})
    scores = [result.score for result in rank(found, question, NOW)]
    relevance = Relevance(found, question)

    assert all(0 <= score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= relevance(one) <= 1 for one in found)
