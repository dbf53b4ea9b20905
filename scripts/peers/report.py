"""The tables and plots of the comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape

from scripts.peers.measure import Measured

Row = tuple[str, ...]


def tables(rows: Sequence[Measured], sizes: dict[str, float], notes: dict[str, str]) -> str:
    """Markdown: what it costs to have, how it writes, how it finds, and what did not run."""
    ran = [row for row in rows if not row.trouble]
    parts = [
        _table(
            ("memory", "setting", "installed MB", "MCP ready s", "tools", "tokens of their schema"),
            [
                (
                    row.name,
                    row.setting,
                    _number(sizes.get(row.name), "{:,.0f}"),
                    _number(row.ready_s if row.tools else None, "{:.2f}"),
                    _number(row.tools or None, "{}"),
                    _number(row.schema_tokens if row.tools else None, "{:,}"),
                )
                for row in ran
            ],
        ),
        _table(
            ("memory", "setting", "corpus", "writes/s", "refused", "searchable after s more"),
            [
                (
                    row.name,
                    row.setting,
                    corpus,
                    f"{rate:,.0f}",
                    str(row.refused[corpus]),
                    f"{row.settled_s[corpus]:.1f}",
                )
                for row in ran
                for corpus, rate in row.writes_per_s.items()
            ],
        ),
        _table(
            ("memory", "setting", "questions", "R@5", "R@10", "median ms", "slowest 5 % ms"),
            [
                (
                    row.name,
                    row.setting,
                    what,
                    f"{found.recall5:.1%}",
                    f"{found.recall10:.1%}",
                    f"{found.median_ms:.1f}",
                    f"{found.slow_ms:.1f}",
                )
                for row in ran
                for what, found in row.found.items()
            ],
        ),
        _table(
            ("memory", "setting", "acknowledged", "found after SIGKILL"),
            [
                (row.name, row.setting, str(row.acknowledged), _number(row.survived, "{}"))
                for row in ran
            ],
        ),
    ]
    remarks = [f"- {name}: {note}" for name, note in notes.items()]
    remarks += [
        f"- {row.name} ({row.setting}) did not finish: {row.trouble}" for row in rows if row.trouble
    ]
    return "\n".join([*parts, *remarks, ""])


def plot(rows: Sequence[Measured], what: str) -> str:
    """SVG: one bar a memory for the share of evidence among the first ten answers."""
    bars = [
        (f"{row.name}, {row.setting}", row.found[what].recall10)
        for row in rows
        if what in row.found
    ]
    high, left, wide = 26, 340, 380
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + wide + 70}" '
        f'height="{len(bars) * high + 40}" font-family="sans-serif" font-size="13">',
        f'<text x="8" y="20" font-weight="bold">R@10, {escape(what)}</text>',
    ]
    for number, (label, value) in enumerate(bars):
        top = 34 + number * high
        colour = "#2a6f97" if label.startswith("remem") else "#b0b7bd"
        lines += [
            f'<text x="{left - 8}" y="{top + 14}" text-anchor="end">{escape(label)}</text>',
            f'<rect x="{left}" y="{top}" width="{value * wide:.0f}" height="18" fill="{colour}"/>',
            f'<text x="{left + value * wide + 6:.0f}" y="{top + 14}">{value:.1%}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


def _table(head: Row, rows: Sequence[Row]) -> str:
    rule = tuple("---" for _ in head)
    line: Callable[[Row], str] = lambda cells: f"| {' | '.join(cells)} |"  # noqa: E731
    return "\n".join([line(head), line(rule), *map(line, rows), ""])


def _number(value: float | int | None, form: str) -> str:
    return "–" if value is None else form.format(value)
