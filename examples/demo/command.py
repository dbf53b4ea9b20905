"""Command `remem demo`: runs in a temporary workspace, or in a folder that is kept."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import click

from examples.demo.stage import Stage
from examples.demo.story import run_story
from remem.errors import FileError, InvalidInput


@click.command()
@click.option(
    "--keep",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Run there, and keep the folder.",
)
def demo(keep: Path | None) -> None:
    """Show remem at work with a real server and client.

    It runs in a temporary workspace, takes some seconds, and fails if a claim does not hold.
    """
    with _place(keep) as folder:
        stage = Stage(folder / "workspace", folder / "server.log")
        anyio.run(run_story, stage)
        if stage.broken:
            click.echo(f"\n{len(stage.broken)} claims do not hold. Log of the servers:")
            click.echo(stage.log.read_text(encoding="utf-8") or "(empty)")
            raise click.exceptions.Exit(1)
        click.echo("\nEverything above was checked while you watched.")
        if keep:
            click.echo(f"The workspace is {stage.folder}")
        click.echo("\nYour own agent is connected with two lines:")
        click.echo("  pip install .     (or `pipx install .`, or `uv tool install .`)")
        click.echo("  remem setup")


@contextmanager
def _place(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
            raise InvalidInput(f"{keep} is not an empty folder", hint="name a new folder")
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{keep} cannot be created: {error.strerror}") from error
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="remem-demo-") as folder:
        yield Path(folder)


COMMANDS = {"demo": demo}
