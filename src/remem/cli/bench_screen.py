"""How does a person see what was measured? One row for each system, its intervals below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from remem.bench.retrieval import Progress

_SHOWN: Final = ("R@1", "R@5", "R@10", "R@20", "nDCG@10", "MRR", "S-any@5", "S-all@5", "C@6", "V@6")
_BOUNDED: Final = ("R@10", "nDCG@10", "S-all@5")


def show_result(result: Mapping[str, Any], baseline: Mapping[str, Any] | None) -> None:
    n, ms = result["all"]["n"], result["query_ms"]
    click.echo(
        f"{result['data']}: {result['conversations']} conversations, {result['turns']:,} turns, "
        f"{n} questions; p50 {ms['p50']} ms, p95 {ms['p95']} ms, {result['turns_per_s']:,} turns/s"
    )
    names = [name for name in _SHOWN if name in result["all"]]
    rows = [row for row in (baseline, result) if row]
    width = max(24, *(len(row["adapter"]) for row in rows))
    click.echo(" " * width + "".join(f"{name:>9}" for name in (*names, "macro")))
    for row in rows:
        figures = [row["all"].get(name, 0.0) for name in names] + [row["macro"]["nDCG@10"]]
        click.echo(f"{row['adapter']:{width}}" + "".join(f"{each:9.1f}" for each in figures))
    bounds = [
        f"{name} {_bounds(each)}" for name, each in result["ci95"].items() if name in _BOUNDED
    ]
    click.echo(f"95 %: {', '.join(bounds)}, macro {_bounds(result['macro_ci95']['nDCG@10'])}")
    for kind, each in result["categories"].items():
        found, gain = each.get("R@10", 0.0), each.get("nDCG@10", 0.0)
        click.echo(f"  {kind}: n {each['n']}, R@10 {found:.1f}, nDCG@10 {gain:.1f}")
    for name, each in result.get("compared", {}).items():
        click.echo(f"  {name}: {_change(each)} {each['verdict']}")


def show_ablation(result: Mapping[str, Any]) -> None:
    click.echo(f"{result['data']}: {result['questions']} questions, {result['all']}")
    for signal, changes in result["without"].items():
        told = ", ".join(f"{name} {_change(each)}" for name, each in changes.items())
        click.echo(f"  without {signal:10} {told}")


@contextmanager
def progressing() -> Iterator[Progress]:
    """A bar at stderr; nothing where nobody looks."""
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def tell(what: str, done: int, of: int) -> None:
            bar.update(task, description=what, completed=done, total=of)

        yield tell


def _bounds(bounds: list[float]) -> str:
    low, high = bounds
    return f"[{low:.1f}, {high:.1f}]"


def _change(each: Mapping[str, Any]) -> str:
    low, high = each["ci95"]
    return f"{each['difference']:+.1f} [{low:+.1f}, {high:+.1f}]"
