"""How fast is it here? Figures against the bare parts, measured in the same run."""

from __future__ import annotations

import click

from remem.recall.answer import answer_text


@click.group()
def bench() -> None:
    """Measure remem on this machine."""


@bench.command()
@click.option(
    "--entries",
    metavar="NUMBER",
    type=click.IntRange(min=100),
    default=100_000,
    show_default=True,
    help="How large the memory is.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def speed(entries: int, as_json: bool) -> None:
    """Compare remem with the bare parts it is made of.

    Each figure is a ratio, so that the speed of the machine falls out. It takes some minutes.

    \b
    remem bench speed --entries 10000
    """
    from remem.bench.speed import measure  # it loads everything that can be measured

    measured = measure(entries, progress=lambda text: click.echo(text, err=True))
    if as_json:
        click.echo(answer_text(measured))
        return
    click.echo(f"{measured.entries:,} entries; {measured.machine}; Python {measured.python}")
    for note in measured.notes:
        click.echo(note)
    for each in measured.figures:
        verdict = "met" if each.good else "missed"
        click.echo(f"{each.name}: {each.ratio:.2f} (goal {each.goal}: {verdict}) {each.detail}")


COMMANDS = {"bench": bench}
