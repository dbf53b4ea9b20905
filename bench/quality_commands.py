"""Commands `bench retrieval` and `bench tokens`: public data, judged without a language model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from remem.cli.terminal import progress
from remem.errors import InvalidInput

if TYPE_CHECKING:
    from bench.readiness import Moment
    from bench.retrieval import Progress, Task
    from bench.subjects import Models
    from remem.ports.models import Embedder


_METRICS: Final = (
    "R@1",
    "R@5",
    "R@10",
    "R@20",
    "nDCG@10",
    "MRR",
    "S-any@5",
    "S-all@5",
    "C@6",
    "V@6",
)
_BOUNDED: Final = ("R@10", "nDCG@10", "S-all@5")


def show_result(result: Mapping[str, Any], baseline: Mapping[str, Any] | None) -> None:
    n, ms = result["all"]["n"], result["query_ms"]
    click.echo(
        f"{result['data']}: {result['conversations']} conversations, {result['turns']:,} turns, "
        f"{n} questions; p50 {ms['p50']} ms, p95 {ms['p95']} ms, {result['turns_per_s']:,} turns/s"
    )
    names = [name for name in _METRICS if name in result["all"]]
    rows = [row for row in (baseline, result) if row]
    width = max(24, *(len(row["adapter"]) for row in rows))
    click.echo(" " * width + "".join(f"{name:>9}" for name in (*names, "macro")))
    for row in rows:
        figures = [row["all"].get(name, 0.0) for name in names] + [row["macro"]["nDCG@10"]]
        click.echo(f"{row['adapter']:{width}}" + "".join(f"{figure:9.1f}" for figure in figures))
    bounds = [
        f"{name} {_bounds(interval)}"
        for name, interval in result["ci95"].items()
        if name in _BOUNDED
    ]
    click.echo(f"95 %: {', '.join(bounds)}, macro {_bounds(result['macro_ci95']['nDCG@10'])}")
    for name, category in result["categories"].items():
        found, gain = category.get("R@10", 0.0), category.get("nDCG@10", 0.0)
        click.echo(f"  {name}: n {category['n']}, R@10 {found:.1f}, nDCG@10 {gain:.1f}")
    for name, change in result.get("compared", {}).items():
        click.echo(f"  {name}: {_change(change)} {change['verdict']}")


def show_ablation(result: Mapping[str, Any]) -> None:
    click.echo(f"{result['data']}: {result['questions']} questions, {result['all']}")
    for signal, changes in result["without"].items():
        figures = ", ".join(f"{name} {_change(change)}" for name, change in changes.items())
        click.echo(f"  without {signal:10} {figures}")


@contextmanager
def progressing() -> Iterator[Progress]:
    """Show the current step on a terminal."""
    with progress() as report:
        yield lambda what, done, of: report(f"{what}: {done} of {of}")


def _bounds(bounds: list[float]) -> str:
    low, high = bounds
    return f"[{low:.1f}, {high:.1f}]"


def _change(change: Mapping[str, Any]) -> str:
    low, high = change["ci95"]
    return f"{change['difference']:+.1f} [{low:+.1f}, {high:+.1f}]"


_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_DATA: Final = click.option(
    "--data", multiple=True, required=True, metavar="FILE", help="Conversations with questions."
)
_FOLDER: Final = click.option(
    "--folder",
    envvar="REMEM_BENCH",
    metavar="FOLDER",
    help="The folder of the files. [REMEM_BENCH]",
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
@click.option("--isolated", is_flag=True, help="Rank each turn by itself.")
@click.option("--notes", is_flag=True, help="Each turn is a note without a known speaker.")
@click.option("--said", is_flag=True, help="Ask what the user and the assistant said, by a rule.")
@click.option("--typos", type=int, metavar="SEED", help="Misspell the questions.")
@click.option("--keyword-only", is_flag=True, help="Without a model.")
@click.option("--quick", is_flag=True, help="With quick vectors only, as right after an import.")
@click.option("--without", multiple=True, metavar="SIGNAL", help="Leave a signal out.")
@click.option("--ablate", is_flag=True, help="Measure what each signal is worth, in one run.")
@_FIRST
@click.option("--leave-out", multiple=True, metavar="CATEGORY", help="Do not count a category.")
@_CACHE
@click.option("--compare", metavar="RUN", type=_FILE, help="An earlier run's --json output.")
@_JSON
def retrieval(**asked: Any) -> None:
    """Store conversations, ask questions, and judge the rankings.

    Without --json a row of plain BM25 on the same data is added to each result. --compare
    says whether a difference is noise, by a paired bootstrap over the questions.

    \b
    remem bench retrieval --data conversations.jsonl.gz
    remem bench retrieval --data conversations.jsonl.gz --without tokens --json
    """
    from bench.retrieval import Task, compared, measure
    from bench.subjects import Setting
    from remem.search.rank.weights import require_signals

    require_signals(asked["without"])
    names = ("via", "isolated", "keyword_only", "without", "notes", "quick")
    setting = Setting(**{name: asked[name] for name in names})
    plain = asked["keyword_only"] or asked["via"] == "bm25"
    if plain and asked["quick"]:
        raise InvalidInput("--quick asks for vectors", hint="leave out --keyword-only, --via bm25")
    embedder = None if plain else _quick() if asked["quick"] else _cached(asked["cache"])
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
            asked["said"],
        )
        if asked["ablate"]:
            results.append(_ablated(task, embedder, quiet=asked["as_json"]))
            continue
        with progressing() as progress:
            result = measure(task, embedder, progress)
            if before is not None:
                result["compared"] = compared(result, _same(before, task.data.name))
            results.append(result)
            if asked["as_json"]:
                continue
            baseline = None if task.plain == task else measure(task.plain, None, progress)
        show_result(result, baseline)
    if asked["as_json"]:
        click.echo(json.dumps(results[0] if len(results) == 1 else results, ensure_ascii=False))


@click.command()
@_DATA
@_FOLDER
@_FIRST
@_CACHE
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a plot here.",
)
@_JSON
def tokens(**asked: Any) -> None:
    """Measure how much evidence an answer of 500 to 8,000 tokens has.

    Counted on the text that the model receives; compared with plain BM25, the newest part of the
    history, and an estimate of four characters per token.

    \b
    remem bench tokens --data conversations.jsonl.gz --svg tokens.svg
    """
    from bench.tokens import measure
    from bench.tokens_plot import lines, svg

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


def _ablated(task: Task, embedder: Models, *, quiet: bool) -> Mapping[str, Any]:
    from bench import ablation

    with progressing() as progress:
        result = ablation.measure(task, embedder, progress)
    if not quiet:
        show_ablation(result)
    return result


def _found(name: str, folder: str | None) -> Path:
    """The file of that name, here or in the data folder."""
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
        raise InvalidInput(f"{path} is not the --json output of an earlier run: {error}") from error
    return runs if isinstance(runs, list) else [runs]


def _same(before: list[Any], name: str) -> Mapping[str, Any]:
    for run in before:
        if isinstance(run, dict) and run.get("data") == name:
            return run
    raise InvalidInput(f"the earlier run has no results for {name}")


@click.command()
@_DATA
@_FOLDER
@_FIRST
@click.option(
    "--questions", type=click.IntRange(min=1), metavar="N", help="Only the first N questions."
)
@click.option(
    "--seconds",
    default="0,10,60,all",
    show_default=True,
    help="How long vectors are made before the questions are asked.",
)
@_JSON
def ready(
    *,
    data: tuple[str, ...],
    folder: str | None,
    first: int | None,
    questions: int | None,
    seconds: str,
    as_json: bool,
) -> None:
    """Measure search right after many files were read, and some time later.

    \b
    remem bench ready --data longmemeval_s_dev.jsonl.gz --first 25
    """
    from bench.readiness import Moments, measure
    from remem.search.answer.answer import answer_text

    parts = seconds.split(",")
    for name in data:
        with progress() as report:
            measured = measure(
                _found(name, folder),
                [None if part == "all" else float(part) for part in parts],
                first=first,
                questions=questions,
                progress=report,
            )
        if as_json:
            click.echo(answer_text(Moments(name, tuple(measured))))
        else:
            _show_moments(name, ["keywords only", *parts], measured)


def _show_moments(name: str, labels: Sequence[str], moments: Sequence[Moment]) -> None:
    click.echo(f"{name}: {moments[0].passages:,} passages, {moments[0].questions} questions")
    click.echo("| seconds of embedding | without the model's vector | R@10 | median ms |")
    click.echo("|---|--:|--:|--:|")
    for label, moment in zip(labels, moments, strict=True):
        click.echo(f"| {label} | {moment.without_vector:,} | {moment.found} | {moment.median_ms} |")


def _cached(folder: str | None) -> tuple[Embedder, ...] | None:
    """The local models with a cache; None without a folder, for the default models."""
    if not folder:
        return None
    from bench.models import CachedVectors
    from remem.app.environment import choose_embedders
    from remem.config import Config

    embedders, *_ = choose_embedders(Config())
    place = Path(folder).expanduser()
    return tuple(CachedVectors(embedder, place) for embedder in embedders) or None


def _quick() -> tuple[Embedder, ...]:
    from bench.models import QuickOnly
    from remem.app.environment import choose_embedders
    from remem.config import Config

    return tuple(QuickOnly(embedder) for embedder in choose_embedders(Config())[0])
