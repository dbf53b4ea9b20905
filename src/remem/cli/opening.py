"""How does a command reach a memory? It opens the session's workspace, and says what ails it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

import click

from remem.cli.group import At
from remem.errors import ConfigError, RememError
from remem.notes.layout import Layout
from remem.notes.private_places import hide_in, without_places
from remem.wiring import find_workspace, open_workspace
from remem.workspace import Workspace

_WORDS_ALONE: Final = "keyword only: "


def existing(at: At) -> Layout:
    """The workspace of a command, if there is one."""
    return _holding(at, ".remem")


def remembering(at: At) -> Layout:
    """The workspace of a command that cares for it as a whole: its databases may be lost."""
    return _holding(at, ".remem", "memory")


def _holding(at: At, *folders: str) -> Layout:
    root = find_workspace(at.workspace)
    if not any((root / each).is_dir() for each in folders):
        raise ConfigError(f"{root} is no workspace", hint=f"run `remem init {root}` first")
    return Layout(root)


@contextmanager
def opened(at: At) -> Iterator[Workspace]:
    """The owner's own hands: he waits until files are written, and hears of any trouble. That
    there is no model troubles only who asks something (`warn_of_words_alone`).

    A folder that is no workspace is refused: a mistyped path would look like a lost memory.
    """
    existing(at)
    with open_workspace(at.workspace, at.session, trust="owner", background=False) as workspace:
        try:
            yield workspace
        except RememError as error:
            hide_in(error, workspace.private_places)
            raise
        trouble = [each for each in workspace.trouble if each != workspace.without_meaning]
        places = workspace.private_places
    for each in trouble:
        click.echo(f"remem: warning: {without_places(each, places)}", err=True)


def warn_of_words_alone(workspace: Workspace, said: Iterable[str]) -> None:
    """Say that an answer was found by its words alone, where it says so and nobody chose that."""
    without = workspace.without_meaning
    if without and any(each.startswith(_WORDS_ALONE) for each in said):
        click.echo(f"remem: warning: {without}", err=True)
