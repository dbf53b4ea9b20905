"""Command `refresh`: brings search up to date, with progress."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from time import monotonic
from typing import Final

import click

from remem.app.workspace import Workspace
from remem.cli.main import At
from remem.cli.opening import counted, opened
from remem.errors import EmbedderError
from remem.search.refresh.refresh import Refreshed

_PATIENCE: Final = 1.0
"""What takes no longer than this many seconds needs no account of its progress."""


@click.command()
@click.option("--vectors", is_flag=True, help="Wait until every passage has its vector too.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_obj
def refresh(at: At, vectors: bool, as_json: bool) -> None:
    """Bring search up to date with the memory files.

    Search looks for changes by itself, and reads only what has changed. This does it now, and
    names the files that could not be read.

    \b
    remem refresh
    remem refresh --vectors
    """
    with opened(at) as workspace, telling() as tell:
        try:
            done = workspace.refresh(
                lambda read, of: tell(f"{read:,} of {counted(of, 'file')} read"),
                with_vectors=vectors,
                vectors_made=lambda made: tell(f"{counted(made, 'vector')} made"),
            )
        except EmbedderError as error:
            click.echo(f"remem: warning: {error}", err=True)
            done = workspace.refresh()
        follows = _what_follows(workspace) if done.without_vector and not vectors else None
        without = workspace.without_meaning if done.without_vector else None
    if as_json:
        click.echo(json.dumps(asdict(done), ensure_ascii=False, indent=2))
        return
    _tell(done)
    for note in (follows, without):
        if note:
            click.echo(f"remem: {note}", err=True)


def _what_follows(workspace: Workspace) -> str | None:
    """Who makes the vectors; None where nobody does."""
    if not workspace.makes_vectors:
        return None
    return (
        "keywords find them already; vectors are made while a server runs, by `remem maintain`, "
        "or at once by `remem refresh --vectors`"
    )


def _tell(done: Refreshed) -> None:
    click.echo(
        f"{counted(done.read, 'file')} read, {done.unchanged:,} unchanged, "
        f"{done.forgotten:,} gone: {counted(done.passages, 'passage')}"
    )
    if done.without_vector:
        click.echo(f"{counted(done.without_vector, 'passage')} without a vector")
    for trouble in done.trouble:
        click.echo(f"remem: {trouble.path}: {trouble.reason}", err=True)


@contextmanager
def telling() -> Iterator[Callable[[str], None]]:
    """One line at stderr that is written over, once it has taken a moment."""
    started, shown = monotonic(), 0

    def tell(text: str) -> None:
        nonlocal shown
        if monotonic() - started > _PATIENCE:
            click.echo(f"\r{text.ljust(shown)}", nl=False, err=True)
            shown = max(1, len(text))

    try:
        yield tell
    finally:
        if shown:
            click.echo("", err=True)


COMMANDS = {"refresh": refresh}
