"""How well does it find, and what does that cost? Public data, judged without a language model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from remem.errors import InvalidInput

if TYPE_CHECKING:
    from remem.bench.retrieval import Progress
    from remem.ports import Embedder

_SHOWN: Final = ("R@1", "R@5", "R@10", "R@20", "nDCG@10", "MRR", "S-any@5", "S-all@5", "C@6")
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_DATA: Final = click.option(
    "--data", multiple=True, required=True, metavar="FILE", help="What to ask."
)
_FOLDER: Final = click.option(
    "--folder", envvar="REMEM_BENCH", metavar="FOLDER", help="Where the files lie. [REMEM_BENCH]"
)
_CACHE: Final = click.option(
    "--cache",
    envvar="REMEM_BENCH_CACHE",
    metavar="FOLDER",
    help="Keep vectors here for the next run. [REMEM_BENCH_CACHE]",
)
_FIRST: Final = click.option(
    "--first", type=click.IntRange(min=1), metavar="N", help="Only the first N conversations."
)
_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")


@click.command()
@_DATA
@_FOLDER
@click.option(
    "--via",
    type=click.Choice(["store", "search", "bm25"]),
    default="store",
    show_default=True,
    help="Entries, Markdown files, or the plain baseline.",
)
@click.option("--merge", is_flag=True, help="All conversations in one memory.")
@click.option("--isolated", is_flag=True, help="Each turn stands alone.")
@click.option("--typos", type=int, metavar="SEED", help="Misspell the questions.")
@click.option("--keyword-only", is_flag=True, help="Without a model.")
@click.option("--without", multiple=True, metavar="SIGNAL", help="Leave a signal out.")
@_FIRST
@click.option("--leave-out", multiple=True, metavar="CATEGORY", help="Do not count a category.")
@_CACHE
@click.option("--compare", metavar="RUN", type=_FILE, help="An earlier run's --json output.")
@_JSON
def retrieval(**asked: Any) -> None:
    """Store conversations, ask questions, and judge the rankings.

    Without --json a row of plain BM25 on the same data stands beside each result. --compare
    tells gains from noise, by a paired bootstrap over the questions.

    \b
    remem bench retrieval --data conversations.jsonl.gz
    remem bench retrieval --data conversations.jsonl.gz --without tokens --json
    """
    from remem.bench.retrieval import Task, compared, measure
    from remem.bench.subjects import Setting
    from remem.recall.weights import require_signals

    require_signals(asked["without"])
    setting = Setting(asked["via"], asked["isolated"], asked["keyword_only"], asked["without"])
    plain = asked["keyword_only"] or asked["via"] == "bm25"
    embedder = None if plain else _cached(asked["cache"])
    before = _earlier(asked["compare"])
    results = []
    for name in asked["data"]:
        task = Task(
            _found(name, asked["folder"]),
            setting,
            asked["merge"],
            asked["typos"],
            asked["first"],
            frozenset(asked["leave_out"]),
        )
        with progressing() as progress:
            result = measure(task, embedder, progress)
            if before is not None:
                result["compared"] = compared(result, _same(before, task.data.name))
            results.append(result)
            if asked["as_json"]:
                continue
            baseline = None if task.plain == task else measure(task.plain, None, progress)
        _show(result, baseline)
    if asked["as_json"]:
        click.echo(json.dumps(results[0] if len(results) == 1 else results, ensure_ascii=False))


@click.command()
@_DATA
@_FOLDER
@_FIRST
@_CACHE
@click.option(
    "--svg", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Draw it here."
)
@_JSON
def tokens(**asked: Any) -> None:
    """How much evidence stands in an answer of 500 to 8,000 tokens?

    Counted on the text that the model receives; beside it plain BM25, the newest part of the
    history, and a count of four characters a token.

    \b
    remem bench tokens --data conversations.jsonl.gz --svg tokens.svg
    """
    from remem.bench.tokens import measure
    from remem.bench.tokens_plot import lines, svg

    embedder = _cached(asked["cache"])
    results = []
    for name in asked["data"]:
        with progressing() as progress:
            result = measure(_found(name, asked["folder"]), embedder, asked["first"], progress)
        results.append(result)
        if not asked["as_json"]:
            click.echo(
                f"{result['data']}: {result['questions']} questions, counter {result['counter']}; "
                f"the whole history costs {result['full_history_tokens']:,} tokens"
            )
            for line in lines(result):
                click.echo(line)
    if asked["svg"]:
        asked["svg"].write_text(svg(results[0]), "utf-8")
    if asked["as_json"]:
        click.echo(json.dumps(results[0] if len(results) == 1 else results, ensure_ascii=False))


def _show(result: Mapping[str, Any], baseline: Mapping[str, Any] | None) -> None:
    n, ms = result["all"]["n"], result["query_ms"]
    click.echo(
        f"{result['data']}: {result['conversations']} conversations, {result['turns']:,} turns, "
        f"{n} questions; p50 {ms['p50']} ms, p95 {ms['p95']} ms, {result['turns_per_s']:,} turns/s"
    )
    names = [name for name in _SHOWN if name in result["all"]]
    click.echo(" " * 24 + "".join(f"{name:>9}" for name in (*names, "macro")))
    for row in filter(None, (baseline, result)):
        figures = [row["all"].get(name, 0.0) for name in names] + [row["macro"]["nDCG@10"]]
        click.echo(f"{row['adapter'][:24]:24}" + "".join(f"{each:9.1f}" for each in figures))
    bounds = [
        f"{name} [{low:.1f}, {high:.1f}]"
        for name, (low, high) in result["ci95"].items()
        if name in ("R@10", "nDCG@10", "S-all@5")
    ]
    low, high = result["macro_ci95"]["nDCG@10"]
    click.echo(f"95 %: {', '.join(bounds)}, macro [{low:.1f}, {high:.1f}]")
    for kind, each in result["categories"].items():
        found, gain = each.get("R@10", 0.0), each.get("nDCG@10", 0.0)
        click.echo(f"  {kind}: n {each['n']}, R@10 {found:.1f}, nDCG@10 {gain:.1f}")
    for name, each in result.get("compared", {}).items():
        low, high = each["ci95"]
        change = f"{each['difference']:+.1f} [{low:+.1f}, {high:+.1f}]"
        click.echo(f"  {name}: {change} {each['verdict']}")


def _found(name: str, folder: str | None) -> Path:
    """The file as it is named, or the one of that name in the data folder."""
    path = Path(name)
    if path.exists() or not folder:
        return path
    return Path(folder).expanduser() / name


def _earlier(path: Path | None) -> list[Any] | None:
    if path is None:
        return None
    try:
        runs = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} is no earlier run: {error}") from error
    return runs if isinstance(runs, list) else [runs]


def _same(before: list[Any], name: str) -> Mapping[str, Any]:
    for run in before:
        if isinstance(run, dict) and run.get("data") == name:
            return run
    raise InvalidInput(f"the earlier run does not hold {name}")


def _cached(folder: str | None) -> tuple[Embedder, ...] | None:
    """The local models behind a cache, where one was asked for; else whatever is the default."""
    if not folder:
        return None
    from remem.bench.vector_cache import CachedVectors
    from remem.config import Config
    from remem.wiring import choose_embedders

    embedders, *_ = choose_embedders(Config())
    place = Path(folder).expanduser()
    return tuple(CachedVectors(each, place) for each in embedders) or None


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
