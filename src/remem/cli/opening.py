"""Opening the session's workspace for a command, with warnings; counting words; reading stdin."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

import click

from remem.app.environment import find_workspace
from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.cli.main import At
from remem.errors import ConfigError, InvalidInput, RememError
from remem.files.layout import Layout
from remem.files.private_paths import hide_paths_in, strip_paths


def counted(number: int, one: str, many: str | None = None) -> str:
    """The number with its noun, which takes an s unless `many` says otherwise."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def piped() -> bool:
    """Whether standard input is a pipe or a file rather than a person."""
    return not sys.stdin.isatty()


def standard_input() -> str:
    """All of it, without the line break that ends its last line."""
    data = sys.stdin.buffer.read()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"standard input is not UTF-8: byte {error.start} is 0x{data[error.start]:02x}",
            hint="convert it first, for example with iconv",
        ) from None
    return text.removesuffix("\n").removesuffix("\r")


_WORDS_ALONE: Final = "keyword only: "


def existing(at: At) -> Layout:
    """The workspace of a command, if there is one."""
    return _holding(at, ".remem")


def remembering(at: At) -> Layout:
    """The workspace of a command that cares for it as a whole: its databases may be lost."""
    return _holding(at, ".remem", "memory")


def _holding(at: At, *folders: str) -> Layout:
    root = find_workspace(at.workspace)
    if not any((root / folder).is_dir() for folder in folders):
        raise ConfigError(f"{root} is no workspace", hint=f"run `remem init {root}` first")
    return Layout(root)


@contextmanager
def opened(at: At) -> Iterator[Workspace]:
    """For the owner at the command line: waits until files are written, and reports trouble. That
    there is no model troubles only who asks something (`warn_of_words_alone`).

    A folder that is no workspace is refused: a mistyped path would look like a lost memory.
    """
    existing(at)
    with open_workspace(at.workspace, at.session, trust="owner", background=False) as workspace:
        try:
            yield workspace
        except RememError as error:
            hide_paths_in(error, workspace.private_places)
            raise
        trouble = [reason for reason in workspace.trouble if reason != workspace.without_meaning]
        places = workspace.private_places
    for reason in trouble:
        click.echo(f"remem: warning: {strip_paths(reason, places)}", err=True)


def warn_of_words_alone(workspace: Workspace, said: Iterable[str]) -> None:
    """Say that an answer was found by its words alone, where it says so and nobody chose that."""
    without = workspace.without_meaning
    if without and any(note.startswith(_WORDS_ALONE) for note in said):
        click.echo(f"remem: warning: {without}", err=True)
