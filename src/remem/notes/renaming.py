"""Is a room being renamed? A note says so from before the first file moves until the last one
has; meanwhile nobody opens the room's memory under either name."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from remem.core.scope import Scope
from remem.errors import FileError, NotAllowed
from remem.notes import files
from remem.notes.layout import Layout


@dataclass(frozen=True, slots=True)
class Renaming:
    """From one name of a room to another."""

    old: str
    new: str

    @property
    def scopes(self) -> tuple[Scope, Scope]:
        return Scope("group", self.old), Scope("group", self.new)


def begin_renaming(layout: Layout, renaming: Renaming) -> None:
    data = json.dumps(asdict(renaming), ensure_ascii=False).encode()
    if not files.create(_note(layout), data):
        raise FileError("another room is being renamed", hint="`remem rooms` finishes that first")


def unfinished_renaming(layout: Layout) -> Renaming | None:
    note = _note(layout)
    data = files.read(note)
    if data is None:
        return None
    try:
        told = json.loads(data)
        return Renaming(_name(told, "old"), _name(told, "new"))
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise FileError(
            f"{note} does not say which room is being renamed",
            hint='the owner can: write {"old": "its name before", "new": "its name after"} there',
        ) from error


def end_renaming(layout: Layout) -> None:
    files.remove(_note(layout))


def refuse_renaming(layout: Layout, scope: Scope) -> None:
    """A room that is half renamed must not be opened: what it stores would be left behind."""
    if scope.kind != "group":
        return
    renaming = unfinished_renaming(layout)
    if renaming is not None and scope in renaming.scopes:
        raise NotAllowed(
            "this room is being renamed, or that was cut short",
            hint="the owner finishes it with `remem rooms`",
        )


def _name(told: dict[str, str], key: str) -> str:
    if not isinstance(told[key], str):
        raise TypeError(f"{key} is no name")
    return told[key]


def _note(layout: Layout) -> Path:
    return layout.root / ".remem" / "renaming.json"
