"""How does a year look? As lines of blocks for a terminal, and as a picture for a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from bench.decay import Course, Year
from remem.model.decay import FLOOR, STALE

_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_COLOURS: Final = (
    "#1b6ca8",
    "#0a3d62",
    "#218c53",
    "#7bb661",
    "#b8860b",
    "#c0562b",
    "#a83279",
    "#666666",
)
_WIDTH, _HEIGHT, _LEFT, _TOP = 560, 300, 48, 24
_ROW: Final = 18


def blocks(year: Year) -> Iterator[str]:
    """A line for each memory; a dot is a week in which it was archived."""
    width = max(len(course.name) for course in year.courses)
    for course in year.courses:
        line = "".join("·" if left is None else _block(left) for left in course.left)
        last = course.left[-1]
        yield f"{course.name:<{width}}  {line}  {'archived' if last is None else f'{last:.2f}'}"


def _block(left: float) -> str:
    return _BLOCKS[min(len(_BLOCKS) - 1, max(0, round(left * len(_BLOCKS)) - 1))]


def svg(year: Year) -> str:
    """A plot without any program's help: the same year gives the same bytes."""
    height = _TOP + _HEIGHT + 40 + _ROW * len(year.courses)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 24}" '
        f'height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="100%" height="{height}" fill="white"/>',
        *_axes(year.weeks),
    ]
    for number, each in enumerate(year.courses):
        parts += _course(each, year.weeks, _COLOURS[number % len(_COLOURS)], number)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _axes(weeks: int) -> Iterator[str]:
    for value, name in ((1.0, "1.0"), (STALE, "stale"), (FLOOR, "floor"), (0.0, "0")):
        y = _y(value)
        yield (
            f'<line x1="{_LEFT}" y1="{y}" x2="{_LEFT + _WIDTH}" y2="{y}" stroke="#ddd"/>'
            f'<text x="{_LEFT - 6}" y="{y}" text-anchor="end" dominant-baseline="middle">'
            f"{name}</text>"
        )
    for week in range(0, weeks + 1, 13):
        yield (
            f'<text x="{_x(week, weeks)}" y="{_TOP + _HEIGHT + 16}" text-anchor="middle">'
            f"week {week}</text>"
        )


def _course(course: Course, weeks: int, colour: str, number: int) -> Iterator[str]:
    """One line for each stretch in which it stands; what is archived has none."""
    for stretch in _stretches(course.left):
        points = " ".join(f"{_x(week, weeks)},{_y(left)}" for week, left in stretch)
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
    y = _TOP + _HEIGHT + 44 + _ROW * number
    yield f'<line x1="{_LEFT}" y1="{y - 4}" x2="{_LEFT + 24}" y2="{y - 4}" stroke="{colour}" '
    yield f'stroke-width="2"/><text x="{_LEFT + 32}" y="{y}">{escape(course.name)}</text>'


def _stretches(left: Sequence[float | None]) -> Iterator[list[tuple[int, float]]]:
    stretch: list[tuple[int, float]] = []
    for week, value in enumerate(left):
        if value is not None:
            stretch.append((week, value))
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _x(week: int, weeks: int) -> float:
    return round(_LEFT + _WIDTH * week / weeks, 1)


def _y(value: float) -> float:
    return round(_TOP + _HEIGHT * (1 - value), 1)
