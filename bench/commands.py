"""Command `remem bench`: speed, decay, languages and currency; the others: `quality_commands`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from bench.quality_commands import ready, retrieval, tokens
from remem.cli.terminal import json_option
from remem.search.answer.answer import answer_text

if TYPE_CHECKING:
    from bench.languages import LanguageRun


@click.command()
@json_option
def decay(as_json: bool) -> None:
    """Simulate a year, and show what it leaves of each memory.

    A real workspace in a temporary folder, with a clock that advances one week at a time: what
    is used keeps its weight, what is not fades, low-priority memories are archived and one is
    asked for again. The result is always the same.

    \b
    remem bench decay
    """
    from bench.decay import lines, simulate_year  # loads a whole workspace

    year = simulate_year()
    if as_json:
        click.echo(answer_text(year))
        return
    for line in lines(year):
        click.echo(line)
    for notice in year.notices:
        click.echo(notice, err=True)


@click.command("graph")
@click.option("--nodes", type=int, default=20_000, show_default=True)
@click.option("--edges", type=int, default=100_000, show_default=True)
def graph(nodes: int, edges: int) -> None:
    """Time graph queries against bare SQL on the same graph.

    \b
    remem bench graph
    """
    from bench.graph import lines, measure

    for line in lines(measure(nodes, edges, lambda step: click.echo(step, err=True))):
        click.echo(line)


@click.command()
@click.option(
    "--language",
    "languages",
    metavar="NAME",
    multiple=True,
    help="Only this one, such as de or zh; may be given several times.",
)
@json_option
def languages(languages: tuple[str, ...], as_json: bool) -> None:
    """Ask small memories in several languages, with and without stems and models.

    `forms` asks in other forms of the same words, `words` in other words. Each figure is the share
    of questions whose memory came first / among the first three. It uses the models that are on
    this machine.

    \b
    remem bench languages --language de --language zh
    """
    from bench.languages import (  # imports a whole workspace
        LanguageRuns,
        measure,
        samples,
        settings,
    )
    from remem.app.environment import choose_embedders
    from remem.config import Config
    from remem.errors import InvalidInput, quoted

    for language in languages:
        if language not in samples():
            raise InvalidInput(
                f"there is no sample for {quoted(language)}",
                hint=f"there are {', '.join(samples())}",
            )
    models = {embedder.identity.name: embedder for embedder in choose_embedders(Config())[0]}
    runs = tuple(
        measure(setting, languages=languages, progress=lambda line: click.echo(line, err=True))
        for setting in settings(models)
    )
    if as_json:
        click.echo(answer_text(LanguageRuns(runs)))
        return
    for line in table(runs):
        click.echo(line)


@click.command()
@click.option("--keyword-only", is_flag=True, help="Without a model.")
@json_option
def currency(keyword_only: bool, as_json: bool) -> None:
    """Measure how often an outdated text comes before the current one.

    It asks made-up memories in eight languages in which something changed, in ten shapes. Half of
    the cases were used for choosing, the others are held out. It uses the model of this machine.

    \b
    remem bench currency
    """
    from bench.currency import CurrencyRates, measure, rates
    from remem.app.environment import choose_embedders
    from remem.config import Config

    models = () if keyword_only else choose_embedders(Config())[0]
    outcomes = measure(models, progress=_report)
    measured = CurrencyRates(
        ", ".join(model.identity.name for model in models) or "keywords only",
        halves=rates(outcomes, lambda case: case.half),
        shapes=rates(outcomes, lambda case: case.shape),
        languages=rates(outcomes, lambda case: case.language),
    )
    if as_json:
        click.echo(answer_text(measured))
        return
    click.echo(f"{measured.model}: outdated before current")
    for found in (measured.halves, measured.shapes, measured.languages):
        for name, rate in found.items():
            click.echo(f"  {name:30} {rate.wrong:3} of {rate.cases:3}  {rate.percent:3.0f} %")


def table(runs: Sequence[LanguageRun]) -> list[str]:
    """Return one row per language and way of asking, one column per setting."""
    lines = ["| language | asked in | n | " + " | ".join(run.setting for run in runs) + " |"]
    lines.append("|---|---|---|" + "---|" * len(runs))
    for language, ways in runs[0].rates.items():
        for way, rates in ways.items():
            cells = [run.rates[language][way] for run in runs]
            shares = " | ".join(f"{cell.first:.0f} / {cell.among_three:.0f}" for cell in cells)
            lines.append(f"| {language} | other {way} | {rates.questions} | {shares} |")
    return lines


_MIN_ENTRIES: Final = 100


def _sizes(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        sizes = tuple(int(part.replace("_", "")) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a number, or several with commas") from None
    if min(sizes) < _MIN_ENTRIES:
        raise click.BadParameter(f"{min(sizes)} entries are too few; use {_MIN_ENTRIES} or more")
    return sizes


@click.command()
@click.option(
    "--entries",
    metavar="NUMBER[,NUMBER…]",
    callback=_sizes,
    default="100000",
    show_default=True,
    help="How large the memory is; several sizes are measured one after the other.",
)
@click.option(
    "--encoded",
    metavar="NUMBER",
    type=click.IntRange(min=10),
    default=2_000,
    show_default=True,
    help="How many texts the model encodes; their vectors are reused in turn.",
)
@click.option(
    "--svg",
    metavar="FILE",
    type=click.File("w", encoding="utf-8", lazy=True),
    help="Write a plot over size here; for several sizes.",
)
@click.option(
    "--search-in",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Measure search in this workspace instead; its missing vectors are made first.",
)
@json_option
def speed(
    *,
    entries: tuple[int, ...],
    encoded: int,
    svg: IO[str] | None,
    search_in: Path | None,
    as_json: bool,
) -> None:
    """Compare remem with the bare parts it is made of.

    Each figure is a ratio, so that the speed of the machine does not matter. It takes some minutes;
    a million entries take an hour and 8 GB of disk and memory.

    \b
    remem bench speed --entries 10000
    remem bench speed --entries 10000,100000,1000000 --svg docs/growth.svg
    remem bench speed --search-in ~/agent
    """
    if len(entries) > 1 and search_in is None:
        _measure_growth(entries, encoded, svg, as_json)
        return
    if svg is not None:
        raise click.UsageError("--svg plots over size: name several, such as 1000,10000")
    from bench.speed import measure, measure_search  # loads everything that is measured

    if search_in is not None:
        measured, what = measure_search(search_in, progress=_report), "passages"
    else:
        measured, what = measure(entries[0], encoded, progress=_report), "entries"
    if as_json:
        click.echo(answer_text(measured))
        return
    click.echo(f"{measured.entries:,} {what}; {measured.machine}; Python {measured.python}")
    for note in measured.notes:
        click.echo(note)
    for figure in measured.figures:
        verdict = "met" if figure.good else "missed"
        click.echo(
            f"{figure.name}: {figure.ratio:.2f} (goal {figure.goal}: {verdict}) {figure.detail}"
        )


def _measure_growth(
    entries: Sequence[int], encoded: int, svg: IO[str] | None, as_json: bool
) -> None:
    from bench import growth_plot
    from bench.growth import grown
    from bench.speed import local_model

    measured = grown(entries, local_model(), encoded, _report)
    if svg is not None:
        svg.write(growth_plot.svg(measured))
    if as_json:
        click.echo(answer_text(measured))
        return
    click.echo(f"{measured.machine}; Python {measured.python}; {measured.note}")
    for line in growth_plot.lines(measured):
        click.echo(line)


def _report(text: str) -> None:
    click.echo(text, err=True)


@click.group()
def bench() -> None:
    """Measure remem on this machine."""


bench.add_command(speed)
bench.add_command(retrieval)
bench.add_command(tokens)
bench.add_command(ready)
bench.add_command(decay)
bench.add_command(languages)
bench.add_command(currency)
bench.add_command(graph)

COMMANDS = {"bench": bench}
