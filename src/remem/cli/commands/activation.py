"""Commands `start`, `validate`, `activate` and `rollback`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from remem.app.environment import find_workspace
from remem.cli.main import At
from remem.cli.opening import opened
from remem.errors import NotAllowed
from remem.files.layout import Layout
from remem.search.answer.answer import answer_text
from remem.setup.activate import roll_back
from remem.setup.validate.result import Validation

_PATIENCE = 1.0
"""Seconds that pass before progress is worth a line."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_obj
def start(at: At, as_json: bool) -> None:
    """Print what a host puts into a new conversation.

    In main: the index, the way on, the last flush, and the newest of today's and yesterday's
    notes, never above 2,000 tokens. In a group: its gate and its own index.

    \b
    remem start
    remem --session agent:main:telegram:group:-100123 start
    """
    with opened(at) as workspace:
        result = workspace.start()
    click.echo(answer_text(result) if as_json else result.text, nl=as_json)
    for reason in result.trouble:
        click.echo(f"remem: warning: {reason}", err=True)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_obj
def validate(at: At, as_json: bool) -> None:
    """Check whether agents may rely on this memory.

    Five checks: every tool works, recall finds what search finds, the index is small, what is
    stored is recalled, domain files can be read. Nothing is changed. Exit code 1 if one fails.

    \b
    remem validate
    """
    with opened(at) as workspace, _progress() as tell:
        result = workspace.validate(tell)
    if as_json:
        click.echo(answer_text(result))
    else:
        _show(result)
    if not result.passed:
        raise click.exceptions.Exit(1)


@click.command()
@click.option("--yes", is_flag=True, help="Do it without asking.")
@click.pass_obj
def activate(at: At, yes: bool) -> None:
    """Tell agents to use this memory.

    Adds one marked section to AGENTS.md, once every check of `remem validate` passes. The change
    is shown first. `remem rollback` takes it back.

    \b
    remem activate
    remem activate --yes
    """
    agreed = True

    def approve(diff: str) -> bool:
        nonlocal agreed
        click.echo(diff, nl=False)
        agreed = yes or _confirmed()
        return agreed

    with opened(at) as workspace, _progress() as tell:
        done = workspace.activate(approve, tell)
    for remark in done.remarks:
        click.echo(f"remem: {remark}", err=True)
    if not agreed:
        raise NotAllowed("nothing was changed", hint="`remem activate --yes` does it")
    if done.changed:
        click.echo(f"activated: {done.file} tells agents of this memory")
        click.echo("next: remem serve gives it to a host; remem rollback takes it back", err=True)
    else:
        click.echo(f"{done.file} tells agents of this memory already")


@click.command()
@click.pass_obj
def rollback(at: At) -> None:
    """Undo `remem activate`.

    AGENTS.md gets its bytes back. What you have written around the section stays; what you have
    written into it is kept in a copy that is named. Search and get work as before.

    \b
    remem rollback
    """
    if at.session != "main":
        raise NotAllowed("rollback is the owner's", hint="omit --session")
    done = roll_back(Layout(find_workspace(at.workspace)))
    for remark in done.remarks:
        click.echo(f"remem: {remark}", err=True)
    for copy in done.kept:
        click.echo(f"your words in the section are kept in {copy}")
    if not done.changed:
        click.echo(f"{done.file} has no section of remem's")
    elif done.exact:
        click.echo(f"rolled back: {done.file} is, byte for byte, what it was")
    else:
        click.echo(f"rolled back: the section is gone from {done.file}; your edits stay")


def _show(result: Validation) -> None:
    for check in result.checks:
        click.echo(
            f"{'ok  ' if check.passed else 'FAIL'}  {check.number}. {check.name}: {check.summary}"
        )
        for reason in check.reasons:
            click.echo(f"      - {reason}")
    if not result.passed:
        click.echo("not ready to be activated", err=True)


def _confirmed() -> bool:
    return sys.stdin.isatty() and click.confirm("Add this section to AGENTS.md?", err=True)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """What is being done, on stderr, where somebody is watching and it takes its time."""
    begun, shown = time.monotonic(), False

    def tell(step: str) -> None:
        nonlocal shown
        if time.monotonic() - begun > _PATIENCE:
            click.echo(f"\r\x1b[K{step} …", nl=False, err=True)
            shown = True

    yield tell if sys.stderr.isatty() else lambda _step: None
    if shown:
        click.echo("\r\x1b[K", nl=False, err=True)


COMMANDS = {"start": start, "validate": validate, "activate": activate, "rollback": rollback}
