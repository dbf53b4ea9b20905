"""Repeated statements are grouped, and rejected ones have a reason."""

from __future__ import annotations

from remem.model.entry import Origin
from remem.model.lesson import Lesson
from remem.model.recurrence import (
    ConversationSighting,
    group_sightings,
    is_denied,
    rejection_reason,
)
from tests.tables import each_row


def seen(
    text: str, talk: str, day: str, line: int = 1, role: str = "user", *, hint: bool = False
) -> ConversationSighting:
    lesson = Lesson("context", text, origin=Origin(talk, line, None, role))
    return ConversationSighting(lesson, talk, day, hint)


def test_wordings_that_share_most_content_words_are_one_statement() -> None:
    (boat, tea) = group_sightings(
        [
            seen("I'm thinking of buying a small boat.", "a", "2026-11-01"),
            seen("I prefer green tea.", "a", "2026-11-01", 2),
            seen("I'm still thinking about buying a small boat.", "b", "2026-11-02"),
        ]
    )

    assert (boat.conversations, tea.conversations) == (2, 1)
    assert boat.lesson.text == "I'm still thinking about buying a small boat."
    assert rejection_reason(boat) is None


def test_an_outright_statement_determines_the_wording() -> None:
    (one,) = group_sightings(
        [
            seen("I bought a small boat.", "a", "2026-11-01"),
            seen("small boat I bought, I think", "b", "2026-11-02", hint=True),
        ]
    )

    assert one.lesson.text == "I bought a small boat."


def test_every_rejection_has_a_reason() -> None:
    text = "I might buy a small boat."
    once = group_sightings([seen(text, "a", "2026-11-01"), seen(text, "a", "2026-11-02", 2)])
    same_day = group_sightings([seen(text, "a", "2026-11-01"), seen(text, "b", "2026-11-01")])
    agent = group_sightings([seen(text, "a", "2026-11-01", role="assistant")])

    assert [rejection_reason(candidate) for candidate in (*once, *same_day, *agent)] == [
        "said in one conversation; 2 are needed",
        "said on one day; 2 are needed",
        "only the agent said it",
    ]


def test_a_wish_of_the_moment_is_rejected_however_often_it_recurs() -> None:
    text = "I'm looking for some new soup recipes."
    (wish,) = group_sightings([seen(text, "a", "2026-11-01"), seen(text, "b", "2026-11-09")])

    assert rejection_reason(wish) == "asks for something that was wanted at that moment"


def test_statements_that_share_few_words_stay_apart() -> None:
    found = group_sightings(
        [
            seen("I moved to a house in Oslo.", "a", "2026-11-01"),
            seen("I moved to a house in Rome with a large garden.", "b", "2026-11-02"),
        ]
    )

    assert len(found) == 2


def test_the_order_of_the_sightings_does_not_matter() -> None:
    some = [
        seen(f"I might buy boat number {n % 3}.", f"talk{n}", f"2026-11-0{n + 1}") for n in range(6)
    ]

    assert group_sightings(some) == group_sightings(list(reversed(some)))


@each_row(
    ("one", "other"),
    [
        ("The rent of the flat is 900 euros.", "The rent of the flat is 950 euros."),
        ("I run ten kilometres every single morning.", "I never run ten kilometres every morning."),
        (
            "Our server for the shop is hosted on Hetzner.",
            "Our server for the shop is hosted on Fly.",
        ),
        ("We meet the whole team at 9:30.", "We meet the whole team at 10:30."),
    ],
)
def test_an_opposite_or_another_number_is_not_a_repetition(one: str, other: str) -> None:
    assert len(group_sightings([seen(one, "a", "2026-11-01"), seen(other, "b", "2026-11-02")])) == 2


def test_a_leading_no_is_not_a_negation() -> None:
    texts = ("Please don't use tabs in the scripts.", "No, don't use tabs in the scripts.")

    assert len(group_sightings([seen(text, text[:2], "2026-11-01") for text in texts])) == 1
    assert not is_denied("No, use tabs in the scripts.")
