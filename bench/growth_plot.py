"""Figures over size, as lines for a terminal and as an SVG plot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil, floor, log10
from typing import Final

from bench.growth import Growth, Size

_WIDTH, _HEIGHT, _LEFT, _TOP = 520, 280, 76, 24
_LINES: Final[tuple[tuple[str, str, Callable[[Size], float]], ...]] = (
    ("recall p99", "#7fb2d9", lambda size: size.recall.p99),
    ("recall p50", "#1b6ca8", lambda size: size.recall.p50),
    ("bare parts p50", "#666666", lambda size: size.recall.bare_p50),
    ("a filter that keeps 0.1 %", "#218c53", lambda size: size.filtered_ms),
    ("a group of 5 entries", "#b8860b", lambda size: size.group_ms),
    ("cold command", "#c0562b", lambda size: size.cold * 1000),
)
_BAR: Final = 48


def lines(growth: Growth) -> Iterator[str]:
    """A paragraph for each size, and bars over size."""
    for size in growth.sizes:
        yield f"{size.entries:,} entries"
        yield from (f"  {line}" for line in _figures(size))
    if len(growth.sizes) > 1:
        yield from _bars(growth.sizes)


def _figures(size: Size) -> Iterator[str]:
    recall, common = size.recall, size.common
    yield (
        f"recall p50 {recall.p50:.1f} ms, bare parts {recall.bare_p50:.1f} ms: "
        f"{recall.ratio:.2f} (goal ≤ 2); p99 {recall.p99:.1f} and {recall.bare_p99:.1f} ms; "
        f"processor {recall.cpu:.1f} and {recall.bare_cpu:.1f} ms: {recall.cpu_ratio:.2f}"
    )
    yield (
        f"common words alone: {common.p50:.1f} ms, bare parts {common.bare_p50:.1f} ms: "
        f"{common.ratio:.2f}; processor {common.cpu:.1f} and {common.bare_cpu:.1f} ms"
    )
    yield (
        f"a filter that keeps 0.1 %: {size.filtered_ms:.1f} ms, {size.kept[0]} of {size.kept[1]} "
        f"found; a group of {size.group[1]}: {size.group_ms:.1f} ms, {size.group[0]} found"
    )
    yield (
        f"stored and found by keywords {size.stored:,.0f}/s, bare FTS5 {size.bare_stored:,.0f}/s: "
        f"{size.stored / size.bare_stored:.2f} (goal ≥ 0.5); by quick vectors too "
        f"{size.quick:,.0f}/s: {size.quick / size.bare_stored:.2f} (goal ≥ 0.25); the model's own "
        f"kept {size.vectors:,.0f}/s"
    )
    yield (
        f"cold recall {size.cold * 1000:.0f} ms, its parts {size.parts * 1000:.0f} ms; "
        f"memory {size.megabytes:.0f} MB (goal < 600); {size.disk:,.0f} bytes per entry"
    )


def _bars(sizes: Sequence[Size]) -> Iterator[str]:
    """One bar for each figure and size, on a logarithmic scale."""
    least, most = _decades(sizes)
    for name, _, value in _LINES:
        yield f"{name}, ms"
        for size in sizes:
            share = (log10(value(size)) - least) / (most - least)
            yield f"  {size.entries:>9,} {'█' * max(1, round(share * _BAR))} {value(size):.1f}"


def svg(growth: Growth) -> str:
    """A plot with two logarithmic axes."""
    sizes = growth.sizes
    least, most = _decades(sizes)
    first, last = log10(sizes[0].entries), log10(sizes[-1].entries)

    def x(size: Size) -> float:
        share = (log10(size.entries) - first) / (last - first) if last > first else 0.5
        return round(_LEFT + _WIDTH * share, 1)

    def y(milliseconds: float) -> float:
        return round(_TOP + _HEIGHT * (1 - (log10(milliseconds) - least) / (most - least)), 1)

    height = _TOP + _HEIGHT + 48 + 18 * len(_LINES)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 40}" '
        f'height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="100%" height="{height}" fill="white"/>',
    ]
    for decade in range(least, most + 1):
        at = y(10.0**decade)
        parts.append(
            f'<line x1="{_LEFT}" y1="{at}" x2="{_LEFT + _WIDTH}" y2="{at}" stroke="#ddd"/>'
            f'<text x="{_LEFT - 6}" y="{at}" text-anchor="end" dominant-baseline="middle">'
            f"{10.0**decade:g} ms</text>"
        )
    for size in sizes:
        parts.append(
            f'<text x="{x(size)}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">'
            f"{size.entries:,}</text>"
        )
    for number, (name, colour, value) in enumerate(_LINES):
        points = " ".join(f"{x(size)},{y(value(size))}" for size in sizes)
        at = _TOP + _HEIGHT + 44 + 18 * number
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
            f'<line x1="{_LEFT}" y1="{at - 4}" x2="{_LEFT + 24}" y2="{at - 4}" '
            f'stroke="{colour}" stroke-width="2"/>'
            f'<text x="{_LEFT + 32}" y="{at}">{name}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _decades(sizes: Sequence[Size]) -> tuple[int, int]:
    """The powers of ten between which all milliseconds lie."""
    values = [value(size) for size in sizes for _, _, value in _LINES]
    least = floor(log10(min(values)))
    return least, max(least + 1, ceil(log10(max(values))))
