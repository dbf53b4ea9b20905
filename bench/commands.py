"""How fast is it here? At one size every figure, at several how the figures move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

import click

from remem.recall.answer import answer_text

_LEAST = 100


def _sizes(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        sizes = tuple(int(each.replace("_", "")) for each in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is no number, nor several with commas") from None
    if min(sizes) < _LEAST:
        raise click.BadParameter(f"{min(sizes)} entries are too few: measure at least {_LEAST}")
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
    help="How many texts the model encodes; their vectors are handed out in turn.",
)
@click.option(
    "--svg",
    metavar="FILE",
    type=click.File("w", encoding="utf-8", lazy=True),
    help="Write a plot over size here; for several sizes.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def speed(entries: tuple[int, ...], encoded: int, svg: IO[str] | None, as_json: bool) -> None:
    """Compare remem with the bare parts it is made of.

    Each figure is a ratio, so that the speed of the machine falls out. It takes some minutes; a
    million entries take an hour and 8 GB of disk and memory.

    \b
    remem bench speed --entries 10000
    remem bench speed --entries 10000,100000,1000000 --svg docs/growth.svg
    """
    if len(entries) > 1:
        _several(entries, encoded, svg, as_json)
        return
    if svg is not None:
        raise click.UsageError("--svg plots over size: name several, such as 1000,10000")
    from remem.bench.speed import measure  # it loads everything that can be measured

    measured = measure(entries[0], encoded, progress=_tell)
    if as_json:
        click.echo(answer_text(measured))
        return
    click.echo(f"{measured.entries:,} entries; {measured.machine}; Python {measured.python}")
    for note in measured.notes:
        click.echo(note)
    for each in measured.figures:
        verdict = "met" if each.good else "missed"
        click.echo(f"{each.name}: {each.ratio:.2f} (goal {each.goal}: {verdict}) {each.detail}")


def _several(entries: Sequence[int], encoded: int, svg: IO[str] | None, as_json: bool) -> None:
    from remem.bench import growth_plot
    from remem.bench.growth import grown
    from remem.bench.speed import local_model

    measured = grown(entries, local_model(), encoded, _tell)
    if svg is not None:
        svg.write(growth_plot.svg(measured))
    if as_json:
        click.echo(answer_text(measured))
        return
    click.echo(f"{measured.machine}; Python {measured.python}; {measured.note}")
    for line in growth_plot.told(measured):
        click.echo(line)


def _tell(text: str) -> None:
    click.echo(text, err=True)
