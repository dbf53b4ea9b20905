"""How does remem leave, and what stays? Hosts get their settings back, the owner his Markdown."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from remem.core.scope import MAIN
from remem.errors import NotAllowed, RememError
from remem.hosts.run import Written, disconnect
from remem.hosts.targets import Target
from remem.maintenance.activation import is_active, roll_back
from remem.notes.disk import explained
from remem.notes.layout import Layout
from remem.notes.rooms import read_rooms


@dataclass(frozen=True, slots=True)
class Left:
    """What was done, and what is different from now on."""

    files: tuple[Written, ...]
    agents_file: str
    losses: tuple[str, ...]
    state: str


def uninstall(
    layout: Layout,
    targets: Mapping[str, Sequence[Target]],
    approve: Callable[[str], bool],
    *,
    purge_state: bool = False,
) -> Left | None:
    """Take remem out of every host; `targets` are those of each. None if it was not agreed to."""
    diffs: list[str] = []

    def only_look(diff: str) -> bool:
        diffs.append(diff)
        return False

    for host, files in targets.items():
        disconnect(layout, host, files, only_look)
    if is_active(layout):
        diffs.append("AGENTS.md: the section on this memory goes\n")
    if purge_state:
        diffs.append(f"{layout.root / '.remem'}: removed\n")
    losses = tuple(_losses(layout))
    if not approve("".join(diffs)):
        return None
    done = [
        each for host, files in targets.items() for each in disconnect(layout, host, files) or ()
    ]
    undone = roll_back(layout)
    return Left(
        files=tuple(done),
        agents_file=undone.file if undone.changed else "",
        losses=losses,
        state=_state(layout, purge_state),
    )


def _losses(layout: Layout) -> list[str]:
    """What nobody does any more. A group loses most: its walls were remem's."""
    told = [
        "MEMORY.md, USER.md, daily notes and memory/domains/ are plain Markdown: hosts and people "
        "read them as before",
        "nobody searches by meaning, keeps budgets or updates the domain files any more",
    ]
    if groups := _groups(layout):
        told.append(
            f"{groups} lose their walls: what lies in memory/groups/ can be read by any chat whose "
            "host has tools for files or memory"
        )
    return told


def _groups(layout: Layout) -> str:
    """Those that have a name; a list that cannot be read does not keep remem from leaving."""
    try:
        names = sorted({line.name for line in read_rooms(layout.root).lines})
    except RememError:
        return "the groups" if layout.all_of("group")[1].is_dir() else ""
    return f"the groups ({', '.join(names)})" if names else ""


def _state(layout: Layout, purge: bool) -> str:
    folder = layout.root / ".remem"
    if not purge:
        return f"{folder} stays: entries, their history, settings. remove it if you want"
    if folder.is_symlink() or layout.state_folder(MAIN).is_symlink():
        raise NotAllowed(f"{folder} is a link, and is not followed", hint="remove it yourself")
    with explained(folder, "removed"):
        shutil.rmtree(folder)
    return f"{folder} is gone: the words are in the Markdown, their history is not"
