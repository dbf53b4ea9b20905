"""A file that does not fit comes as the parts that matter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.disclose.open.fitting import fit_text
from remem.text.tokens import estimate

DECISIONS = "\n".join(f"- 2026-11-{day:02}: decision number {day}" for day in range(1, 29))
TEXT = f"# Experience\n\n## Roses\n\n- Prune them in March.\n\n## Decisions\n\n{DECISIONS}\n"


def shown(message: str, room: int) -> str:
    found = fit_text(TEXT, message, room, estimate, "x.md")
    return found.text if found else ""


def test_what_fits_comes_whole() -> None:
    found = fit_text(TEXT, "roses", 10_000, estimate, "x.md")

    assert found is not None
    assert (found.text, found.truncated) == (TEXT, False)


def test_the_parts_that_share_words_come_first_with_their_headings() -> None:
    text = shown("when are the roses pruned?", 90)

    assert "## Roses\n" in text
    assert "- Prune them in March." in text
    assert "[… line" in text


def test_the_newest_lines_fill_the_room_that_is_left() -> None:
    text = shown("anything", 120)

    assert "decision number 28" in text
    assert "decision number 1\n" not in text


def test_the_gaps_say_how_to_read_on() -> None:
    assert "left out: memory_get x.md from " in shown("anything", 90)


def test_where_nothing_fits_there_is_nothing() -> None:
    assert fit_text(TEXT, "roses", 5, estimate, "x.md") is None


@given(
    st.text(alphabet="ab #\n-|数", max_size=400),
    st.text(alphabet="ab 数", max_size=20),
    st.integers(0, 300),
)
def test_it_never_costs_more_than_the_room(text: str, message: str, room: int) -> None:
    found = fit_text(text, message, room, estimate, "x.md")

    assert found is None or estimate(found.text) <= room
