"""Command `hook`: called by a host during a conversation.

The host always goes on: the exit code is 0, stdout holds the payload or nothing, and the call takes
at most a second. Failures are written to .remem/main/hooks.log.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import click

from remem.app.hooks.event import EVENTS, HOSTS, Event, read_event
from remem.cli.main import At
from remem.errors import ConfigError
from remem.files.layout import Layout

_LARGEST = 8 * 2**20
"""Bytes of an event that are read; no prompt is longer."""


@click.command()
@click.argument("event", metavar="EVENT", type=click.Choice([*EVENTS, "due"]))
@click.option("--host", type=click.Choice(HOSTS), default="claude-code", show_default=True)
@click.option(
    "--within",
    type=float,
    default=0.9,
    show_default=True,
    metavar="SECONDS",
    help="Give up after so long.",
)
@click.pass_obj
def hook(at: At, event: str, host: str, within: float) -> None:
    """Answer a host's hook; the event is read from stdin.

    Hosts call this; `remem connect` sets it up. EVENT is one of session-start, prompt,
    pre-compact, stop, session-end, bootstrap (OpenClaw) and remem; due does what is noted.

    \b
    echo '{"prompt": "who mends the boiler?"}' | remem hook prompt
    """
    if event == "due":
        _do_what_is_due(at)
        return
    events: list[Event] = []
    outcome: list[str] = []

    def work() -> None:
        try:
            from remem.app.hooks.answer import answer

            events.append(read_event(event, host, _input()))
            outcome.append(answer(_layout(at), events[0]))
        except BaseException as error:  # noqa: BLE001 - a host is never to be stopped by its memory
            _log(at, event, host, f"{type(error).__name__}: {error}")
            outcome.append(_instead(at, events))

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(within)
    if not outcome:
        _log(at, event, host, f"it took longer than {within:g} seconds")
        _print(_instead(at, events))
        os._exit(0)  # without waiting for the thread; what it was writing is done on the next open
    _print(outcome[0])


def _input() -> bytes:
    return b"{}" if sys.stdin.isatty() else sys.stdin.buffer.read(_LARGEST)


def _print(payload: str) -> None:
    if payload:
        click.echo(payload)
    sys.stdout.flush()


def _instead(at: At, events: list[Event]) -> str:
    """Where the store cannot answer in time, files still can: the last index, a room's gate."""
    try:
        if not events:
            return ""
        from remem.app.hooks.answer import from_files

        return from_files(_layout(at), events[0])
    except Exception as error:  # noqa: BLE001 - a hook never fails its host; the log hears why
        _log(at, "instead", "", f"{type(error).__name__}: {error}")
        return ""


def _do_what_is_due(at: At) -> None:
    """The process that a hook left behind: it may take its time."""
    from remem.app.hooks.flushing import flush_due
    from remem.app.opening import open_workspace

    try:
        layout = _layout(at)
        with open_workspace(layout.root, at.session, trust="agent", background=False) as workspace:
            flush_due(layout, workspace)
    except Exception as error:  # noqa: BLE001 - nobody is there to hear it but the log
        _log(at, "due", "", f"{type(error).__name__}: {error}")


def _layout(at: At) -> Layout:
    """The workspace that the set-up named; only by hand is it looked for."""
    if at.workspace:
        root = Path(at.workspace).expanduser().absolute()
    else:
        from remem.app.environment import find_workspace

        root = find_workspace(None)
    if not (root / ".remem").is_dir():
        raise FileNotFoundError(f"{root} is no workspace")
    return Layout(root)


def _log(at: At, event: str, host: str, reason: str) -> None:
    """Write to the workspace's log or, if that fails, to stderr. A workspace
    that was removed has nobody left to tell."""
    try:
        layout = _layout(at)
    except (FileNotFoundError, ConfigError):
        return
    try:
        from datetime import UTC, datetime

        from remem.files.logs import Failure, log_failure
        from remem.text.timestamps import format_time

        log_failure(layout, Failure(format_time(datetime.now(UTC)), host, event, reason))
    except Exception as error:  # noqa: BLE001 - the host goes on without a memory
        click.echo(f"remem: {reason} (and no log: {type(error).__name__}: {error})", err=True)


COMMANDS = {"hook": hook}
