"""Evidence over the token budget, as a table for a terminal and as an SVG plot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from xml.sax.saxutils import escape

_COLOURS: Final = ("#1b6ca8", "#7bb661", "#c0562b", "#666666", "#0a3d62", "#b8860b")
_WIDTH, _HEIGHT, _LEFT, _TOP = 460, 260, 44, 40
_ROW: Final = 18
_BAR: Final = 20


def lines(result: Mapping[str, Any]) -> Iterator[str]:
    """A row for each system; a bar shows the share at the middle budget."""
    budgets = result["budgets"]
    yield f"{'all evidence inside, %':26}" + "".join(f"{budget:>8,}" for budget in budgets)
    for name, shares in result["all"].items():
        bar = "█" * round(shares[len(shares) // 2] / 100 * _BAR)
        yield f"{name[:26]:26}" + "".join(f"{share:8.1f}" for share in shares) + f"  {bar}"


def svg(result: Mapping[str, Any]) -> str:
    """The same figures give the same bytes."""
    systems = list(result["all"].items())
    height = _TOP + _HEIGHT + 44 + _ROW * len(systems)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 20}" '
        f'height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="100%" height="{height}" fill="white"/>',
        f'<text x="{_LEFT}" y="20">{escape(result["data"])}: questions with all evidence '
        "inside, by tokens</text>",
        *_axes(result["budgets"]),
    ]
    for number, (name, shares) in enumerate(systems):
        parts += _line(name, shares, number)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _axes(budgets: Sequence[int]) -> Iterator[str]:
    for share in (0, 25, 50, 75, 100):
        y = _y(share)
        yield (
            f'<line x1="{_LEFT}" y1="{y}" x2="{_LEFT + _WIDTH}" y2="{y}" stroke="#ddd"/>'
            f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{share}</text>'
        )
    for place, budget in enumerate(budgets):
        x = _x(place, len(budgets))
        yield f'<text x="{x}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">{budget:,}</text>'


def _line(name: str, shares: Sequence[float], number: int) -> Iterator[str]:
    colour = _COLOURS[number % len(_COLOURS)]
    points = " ".join(f"{_x(i, len(shares))},{_y(share)}" for i, share in enumerate(shares))
    yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
    y = _TOP + _HEIGHT + 44 + _ROW * number
    yield (
        f'<rect x="{_LEFT}" y="{y - 9}" width="14" height="4" fill="{colour}"/>'
        f'<text x="{_LEFT + 22}" y="{y - 3}">{escape(name)}</text>'
    )


def _x(place: int, of: int) -> float:
    return round(_LEFT + _WIDTH * place / max(1, of - 1), 1)


def _y(share: float) -> float:
    return round(_TOP + _HEIGHT * (1 - share / 100), 1)
