"""What does a year do to a memory? Drawn in the terminal, and as a picture where wanted."""

from __future__ import annotations

from typing import IO

import click

from remem.recall.answer import answer_text


@click.command()
@click.option(
    "--svg",
    metavar="FILE",
    type=click.File("w", encoding="utf-8", lazy=True),
    help="Write the plot here too.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def decay(svg: IO[str] | None, as_json: bool) -> None:
    """Live a simulated year, and plot what it leaves of each memory.

    A real workspace in a temporary folder, with a clock that moves on by a week at a time: what
    is used keeps its weight, what is not fades, low memories are archived and one is asked for
    again. The same year comes out whenever it is run.

    \b
    remem bench decay
    remem bench decay --svg docs/decay.svg
    """
    from remem.bench import decay_plot  # it loads a whole workspace
    from remem.bench.decay import a_year

    year = a_year()
    if svg is not None:
        svg.write(decay_plot.svg(year))
    if as_json:
        click.echo(answer_text(year))
        return
    for line in decay_plot.blocks(year):
        click.echo(line)
    for notice in year.notices:
        click.echo(notice, err=True)
