"""A simulated year is the same whenever it is lived, and shows what decay promises."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench.decay import WEEKS, Year, a_year
from bench.decay_plot import blocks, svg

PICTURE = Path(__file__).parents[2] / "docs/decay.svg"


@pytest.fixture(scope="module")
def year() -> Year:
    return a_year()


def course(year: Year, name: str) -> tuple[float | None, ...]:
    (found,) = (each.left for each in year.courses if each.name == name)
    return found


def test_what_never_fades_never_does(year: Year) -> None:
    for name in ("instruction, never used", "critical, never used"):
        assert course(year, name) == (1.0,) * (WEEKS + 1)


def test_what_is_used_keeps_its_weight_and_what_is_not_fades(year: Year) -> None:
    used, unused = (
        course(year, "medium, read every eight weeks"),
        course(year, "medium, never used"),
    )

    assert None not in unused
    assert list(unused) == sorted(unused, key=lambda left: -(left or 0))
    assert (used[-1] or 0) > 0.8 > 0.3 > (unused[-1] or 0)


def test_a_low_one_is_archived_in_the_thirtieth_week_and_comes_back_when_asked_for(
    year: Year,
) -> None:
    gone = course(year, "low, never used")
    asked = course(year, "low, never used, asked for at last")

    assert gone.index(None) == 30
    assert set(gone[30:]) == {None}
    assert set(asked[30:42]) == {None}
    assert asked[42] == 1.0
    assert len(year.notices) == 1


def test_the_picture_in_the_documents_is_this_year(year: Year) -> None:
    """`remem bench decay --svg docs/decay.svg` writes it anew."""
    assert PICTURE.read_text(encoding="utf-8") == svg(year)
    ElementTree.fromstring(svg(year))


def test_the_terminal_shows_a_line_for_each(year: Year) -> None:
    lines = list(blocks(year))

    assert len(lines) == len(year.courses)
    assert lines[-1].endswith("archived")
    assert "·" * 12 in lines[-2]
