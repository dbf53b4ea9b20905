"""Which local models are on this machine, and how do they come here?"""

from __future__ import annotations

from pathlib import Path

import click

from remem.embedders.fetch import fetch as fetch_model
from remem.embedders.fetch import installed
from remem.wiring import MINILM, models_folder


@click.group()
def models() -> None:
    """Local embedding models.

    With one, recall also finds what is said in other words. Without one, everything else works.
    """


@models.command("list")
def list_() -> None:
    """Say which models are on this machine."""
    folder = models_folder()
    state = "installed" if installed(MINILM, folder) else "not installed"
    click.echo(f"{MINILM}\t{state}\t{folder / MINILM}")


@models.command()
@click.argument("name")
@click.option(
    "--from",
    "from_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Take it from this file instead of the network.",
)
def fetch(name: str, from_file: Path | None) -> None:
    """Bring a model onto this machine, once; prints its folder.

    \b
    remem models fetch minilm
    """
    folder = fetch_model(
        name,
        cache=models_folder(),
        from_file=from_file,
        progress=lambda line: click.echo(line, err=True),
    )
    click.echo(folder)


COMMANDS = {"models": models}
