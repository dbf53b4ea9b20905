"""Flushes that a hook requests, made durable before they run.

A hook records that a flush is due, once per position in a conversation, and starts a process that
does it. If that process is killed, the record stays and the next call does the flush.
"""

from __future__ import annotations

import json
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
class Due:
    """A conversation up to a place that is still to be written down."""

    host: str
    session: str
    conversation: str
    transcript: str
    position: int
    reason: str


def note_due(layout: Layout, scope: Scope, event: Event) -> bool:
    """Note that a flush is due; False if it is noted already. Survives a power cut.

    The note lies with its scope: a group's is among the group's own state.
    """
    due = Due(
        host=event.host,
        session=event.session,
        conversation=event.conversation,
        transcript=str(event.transcript or ""),
        position=event.position,
        reason=f"{event.name}: {event.reason}" if event.reason else event.name,
    )
    folder = _folder(layout, scope)
    atomic.refuse_links(layout.root, folder)
    return atomic.create(folder / f"{_name(due)}.json", json.dumps(asdict(due)).encode())


def is_due(layout: Layout, scope: Scope) -> bool:
    """Whether anything is noted; what, is for those who have the time to read it."""
    return any(_folder(layout, scope).glob("*.json"))


def all_due(
    layout: Layout, scope: Scope, trouble: list[str] | None = None
) -> Iterator[tuple[Path, Due]]:
    """What is due in a scope, with the note that says so; `trouble` gets what no note says."""
    for path in sorted(_folder(layout, scope).glob("*.json")):
        data = atomic.read(path)
        if data is None:
            continue  # another process has done it in the meantime
        try:
            yield path, Due(**json.loads(data))
        except (ValueError, TypeError) as error:
            if trouble is not None:
                trouble.append(f"{path} cannot be understood: {error}")


def flush_due(layout: Layout, workspace: Workspace) -> int:
    """Do what is due in the workspace's scope; how many notes that were.

    A note goes only when its flush is done. Flushing twice writes nothing twice. A note of a
    conversation that no file holds stays: its host keeps it elsewhere, and its agent is asked.
    A conversation that cannot be flushed does not stop the others and is reported at the end.
    """
    by_transcript: dict[str, list[tuple[Path, Due]]] = {}
    trouble: list[str] = []
    for path, due in all_due(layout, workspace.scope, trouble):
        by_transcript.setdefault(due.transcript, []).append((path, due))
    done = 0
    for transcript, of_it in by_transcript.items():
        if not transcript or not Path(transcript).is_file():
            continue
        try:
            workspace.flush_transcript(transcript, of_it[-1][1].reason)
        except RememError as error:
            trouble.append(str(error))
            continue
        for path, _ in of_it:
            _settle(path)
            done += 1
    if trouble:
        raise FileError(f"not all that is due was flushed: {'; '.join(trouble)}")
    return done


def _settle(note: Path) -> None:
    data = atomic.read(note)
    if data is not None:
        atomic.remove_if_unchanged(note, atomic.digest(data))


def flush_aside(layout: Layout, session: str) -> None:
    """Let a process of its own do what is due; nobody waits for it, and it has no terminal."""
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


def _name(due: Due) -> str:
    """One name per position in a conversation, however often it is reported."""
    place = [due.host, due.session, due.conversation, due.transcript, due.position]
    return atomic.digest(json.dumps(place).encode())[:32]
