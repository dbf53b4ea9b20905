"""Record the flushes that hooks request, and run them.

A hook records that a flush is pending, once per position in a conversation, and starts a process
that runs it. If that process is killed, the record stays, and the next call runs the flush.
"""

from __future__ import annotations

import json
import os.path
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from remem.app.hooks.event import Event
from remem.errors import FileError, RememError
from remem.files import atomic
from remem.files.layout import Layout
from remem.model.scope import Scope

if TYPE_CHECKING:
    from remem.app.workspace import Workspace


@dataclass(frozen=True, slots=True)
class PendingFlush:
    """A conversation that is to be flushed up to a position."""

    host: str
    session: str
    conversation: str
    transcript: str
    position: int
    reason: str
    folder: str = ""


def record_flush(layout: Layout, scope: Scope, event: Event) -> bool:
    """Record durably that a flush is pending; return False if it is recorded already.

    The record is in the state folder of the scope, where only its own sessions read it.
    """
    pending = PendingFlush(
        host=event.host,
        session=event.session,
        conversation=event.conversation,
        transcript=str(event.transcript or ""),
        position=event.position,
        reason=f"{event.name}: {event.reason}" if event.reason else event.name,
        folder=str(event.folder or ""),
    )
    folder = _folder(layout, scope)
    atomic.refuse_links(layout.root, folder)
    return atomic.create(folder / _file_name(pending), json.dumps(asdict(pending)).encode())


def has_pending(layout: Layout, scope: Scope) -> bool:
    """Return whether a scope has pending flushes."""
    return any(_folder(layout, scope).glob("*.json"))


def pending_flushes(
    layout: Layout, scope: Scope, problems: list[str] | None = None
) -> Iterator[tuple[Path, PendingFlush]]:
    """Yield the pending flushes of a scope with their files.

    `problems` collects the reasons why some cannot be read.
    """
    for path in sorted(_folder(layout, scope).glob("*.json")):
        data = atomic.read(path)
        if data is None:
            continue  # another process has just run this flush
        try:
            yield path, PendingFlush(**json.loads(data))
        except (ValueError, TypeError) as error:
            if problems is not None:
                problems.append(f"{path} cannot be parsed: {error}")


def run_pending(layout: Layout, workspace: Workspace) -> int:
    """Run the pending flushes of the workspace's scope, and return how many were run.

    A record is removed after its flush; if the process is killed in between, the flush is run
    again, which writes nothing twice. A record without a transcript file is kept, because the
    agent is asked to flush instead. A conversation that cannot be flushed does not stop the
    others; the errors are raised together at the end.
    """
    by_transcript: dict[str, list[tuple[Path, PendingFlush]]] = {}
    problems: list[str] = []
    for path, pending in pending_flushes(layout, workspace.scope, problems):
        by_transcript.setdefault(pending.transcript, []).append((path, pending))
    count = 0
    for transcript, records in by_transcript.items():
        if not os.path.isfile(transcript):  # noqa: PTH113 - `Path` raises errors for some names
            continue
        try:
            last = records[-1][1]
            workspace.flush_transcript(transcript, last.reason, project=last.folder or None)
        except RememError as error:
            problems.append(str(error))
            continue
        for path, _ in records:
            if (data := atomic.read(path)) is not None:
                atomic.remove_if_unchanged(path, atomic.digest(data))
        count += len(records)
    if problems:
        raise FileError(f"some pending flushes failed: {'; '.join(problems)}")
    return count


def start_flush_process(layout: Layout, session: str) -> None:
    """Start a detached process that runs the pending flushes."""
    command = [sys.executable, "-P", "-m", "remem", "--workspace", str(layout.root)]
    subprocess.Popen(  # noqa: S603 - this interpreter, this workspace, a key without a shell
        [*command, "--session", session, "hook", "due"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _folder(layout: Layout, scope: Scope) -> Path:
    return layout.state_folder(scope) / "due"


def _file_name(pending: PendingFlush) -> str:
    """Return a file name that is the same whenever the same position is reported."""
    identity = [
        pending.host,
        pending.session,
        pending.conversation,
        pending.transcript,
        pending.position,
    ]
    return f"{atomic.digest(json.dumps(identity).encode())[:32]}.json"
