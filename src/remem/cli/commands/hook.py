"""Command `hook`, which hosts call during a conversation.

A failure never stops the host: the exit code is 0, and stdout has the payload or nothing. Hosts
kill a hook after ten seconds, so a hook gives up earlier. An answer needs less than half a second
of processor time; only a very busy machine reaches the limit. If the store fails or is too slow,
the answer is made from the files. Failures are written to .remem/main/hooks.log.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

import click

from remem.app.hooks.event import EVENTS, HOSTS, Event, read_event
from remem.cli.opening import CommandTarget
from remem.cli.root import OneOf
from remem.errors import ConfigError, quoted
from remem.files.layout import Layout

_MAX_EVENT_BYTES: Final = 8 * 2**20
_DEFAULT_SECONDS: Final = 5.0
_MAX_SECONDS: Final = 3600


@click.command()
@click.argument("event", metavar="EVENT", type=OneOf([*EVENTS, "due"]))
@click.option(
    "--host",
    type=OneOf(HOSTS),
    default="claude-code",
    show_default=True,
    help="Which host is calling.",
)
@click.option(
    "--within",
    default=f"{_DEFAULT_SECONDS:g}",
    envvar="REMEM_HOOK_SECONDS",
    show_default=True,
    metavar="SECONDS",
    help="Give up after this time; REMEM_HOOK_SECONDS sets it for all hooks.",
)
@click.pass_obj
def hook(target: CommandTarget, event: str, host: str, within: str) -> None:
    """Answer a host's hook; hosts call this command.

    `remem connect` sets it up. The event is read from stdin. EVENT is one of session-start, prompt,
    pre-compact, stop, session-end, bootstrap (OpenClaw) and remem; due runs the recorded flushes.

    \b
    echo '{"prompt": "who repairs the boiler?"}' | remem hook prompt
    """
    if event == "due":
        _flush_due(target)
        return
    events: list[Event] = []
    outcome: list[str] = []

    def work() -> None:
        try:
            from remem.app.hooks.answer import answer

            events.append(read_event(event, host, _input()))
            outcome.append(answer(_layout(target), events[0]))
        except BaseException as error:  # noqa: BLE001 - logged; the answer comes from the files
            _log(target, event, host, f"{type(error).__name__}: {error}")
            outcome.append(_from_files(target, events, "failed (`remem doctor` says why)"))

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    seconds = _seconds(target, event, host, within)
    worker.join(seconds)
    if not outcome:
        reason = f"took longer than {seconds:g} seconds"
        _log(target, event, host, f"it {reason}")
        _print(_from_files(target, events, reason))
        os._exit(0)  # without waiting for the thread; an unfinished write is completed later
    _print(outcome[0])


def _seconds(target: CommandTarget, event: str, host: str, text: str) -> float:
    """Return the time limit; an invalid one is logged, since an error would stop the host."""
    with suppress(ValueError):
        if 0 <= (seconds := float(text)) <= _MAX_SECONDS:
            return seconds
    reason = f"--within {quoted(text)} is not a number of seconds from 0 to {_MAX_SECONDS}"
    _log(target, event, host, f"{reason}; {_DEFAULT_SECONDS:g} was used")
    return _DEFAULT_SECONDS


def _input() -> bytes:
    return b"{}" if sys.stdin.isatty() else sys.stdin.buffer.read(_MAX_EVENT_BYTES)


def _print(payload: str) -> None:
    if payload:
        click.echo(payload)
    sys.stdout.flush()


def _from_files(target: CommandTarget, events: list[Event], reason: str) -> str:
    """Return a payload made from files alone, such as the last index or a room's gate.

    It is used if the answer fails or takes too long. `reason` completes "reading the memory", and
    `events` is empty if the host's input could not be read.
    """
    try:
        if not events:
            return ""
        from remem.app.hooks.answer import answer_from_files

        return answer_from_files(_layout(target), events[0], reason)
    except Exception as error:  # noqa: BLE001 - logged; the host goes on without a memory
        _log(target, "from files", "", f"{type(error).__name__}: {error}")
        return ""


def _flush_due(target: CommandTarget) -> None:
    """Run the recorded flushes, in a process that a hook has started."""
    from remem.app.hooks.flushing import run_pending
    from remem.app.opening import open_workspace

    try:
        layout = _layout(target)
        with open_workspace(
            layout.root, target.session, trust="agent", background=False
        ) as workspace:
            run_pending(layout, workspace)
    except Exception as error:  # noqa: BLE001 - logged, and shown by `remem doctor`
        _log(target, "due", "", f"{type(error).__name__}: {error}")


def _layout(target: CommandTarget) -> Layout:
    """Return the workspace that the host's settings name, or else the nearest one."""
    if target.workspace:
        root = Path(target.workspace).expanduser().absolute()
    else:
        from remem.app.environment import find_workspace

        root = find_workspace(None)
    if not (root / ".remem").is_dir():
        raise FileNotFoundError(f"{root} is not a remem workspace")
    return Layout(root)


def _log(target: CommandTarget, event: str, host: str, reason: str) -> None:
    """Write to the log of the workspace, or to stderr if that fails.

    Without a workspace, do nothing: hosts call hooks in every folder, so this is not an error.
    """
    try:
        layout = _layout(target)
    except (FileNotFoundError, ConfigError):
        return
    try:
        from datetime import UTC, datetime

        from remem.files.logs import HookFailure, log_failure
        from remem.text.timestamps import format_time

        log_failure(layout, HookFailure(format_time(datetime.now(UTC)), host, event, reason))
    except Exception as error:  # noqa: BLE001 - printed, as the log cannot be written
        problem = f"{type(error).__name__}: {error}"
        click.echo(f"remem: {reason} (the log cannot be written: {problem})", err=True)


COMMANDS: Final = {"hook": hook}
