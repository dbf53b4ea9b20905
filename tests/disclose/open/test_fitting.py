"""Of a file that does not fit, the relevant parts are shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.disclose.open.fitting import fit_page
from remem.disclose.open.result import LoadedPage
from remem.text.tokens import estimate

DECISIONS = "\n".join(f"- 2026-11-{day:02}: decision number {day}" for day in range(1, 29))
TEXT = f"# Experience\n\n## Roses\n\n- Prune them in March.\n\n## Decisions\n\n{DECISIONS}\n"


def fitted(message: str, room: int, text: str = TEXT) -> LoadedPage | None:
    return fit_page(LoadedPage("x.md", "P1", text), message, room, estimate)


def shown(message: str, room: int) -> str:
    page = fitted(message, room)
    return page.text if page else ""


def test_a_file_that_fits_is_shown_whole() -> None:
    page = fitted("roses", 10_000)

    assert page is not None
    assert page.text == TEXT
    assert not page.truncated


def test_the_parts_that_share_words_come_first_with_their_headings() -> None:
    text = shown("when are the roses pruned?", 90)

    assert "## Roses\n" in text
    assert "- Prune them in March." in text
    assert "[… line" in text


def test_the_newest_lines_fill_the_room_that_is_left() -> None:
    text = shown("anything", 120)

    assert "decision number 28" in text
    assert "decision number 1\n" not in text


def test_gaps_say_how_to_read_the_missing_lines() -> None:
    assert "left out: memory_get x.md from " in shown("anything", 90)


def test_if_no_part_fits_there_is_no_page() -> None:
    assert fitted("roses", 5) is None


@given(
    st.text(alphabet="ab #\n-|数", max_size=400),
    st.text(alphabet="ab 数", max_size=20),
    st.integers(0, 300),
)
def test_a_page_never_costs_more_than_the_room(text: str, message: str, room: int) -> None:
    page = fitted(message, room, text)

    assert page is None or estimate(page.text) <= room
