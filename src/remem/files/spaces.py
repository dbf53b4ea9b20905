"""The shared spaces of a workspace and who may use them, in `.remem/spaces.json`.

One file that a person can read answers who has access to what. It belongs to no space, so that a
space cannot grant itself, and only the owner's commands change it. A space that is not listed does
not exist, whatever folders there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from remem.errors import FileError, InvalidInput, RememError, UnknownSpace, shown
from remem.fast_dataclass import dataclass
from remem.files import atomic
from remem.files.disk import make_folder
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.model.scope import (
    Grant,
    Grants,
    Level,
    Session,
    check_grant,
    check_space_name,
    permitted_spaces,
)

_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Space:
    """One shared space: when it was created, and the level of everybody who may use it."""

    name: str
    created_at: str
    grants: dict[str, Level]


def read_spaces(layout: Layout) -> tuple[Space, ...]:
    """Return the spaces in the order of their names; FileError if the file is damaged."""
    data = atomic.read(layout.spaces_file)
    if data is None:
        return ()
    try:
        spaces = [_space(name, value) for name, value in json.loads(data)["spaces"].items()]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, RememError) as error:
        raise FileError(
            f"{layout.relative(layout.spaces_file)} is not a list of spaces: {error}",
            hint="fix it by hand or restore it from a backup; until then nobody can use a space",
        ) from None
    return tuple(sorted(spaces, key=lambda space: space.name))


def _space(name: str, value: Any) -> Space:
    grants = {str(grantee): level for grantee, level in value["grants"].items()}
    for grantee, level in grants.items():
        check_grant(grantee, level)
    return Space(check_space_name(name), str(value["created_at"]), grants)


def read_grants(layout: Layout) -> Grants:
    return Grants(
        tuple(Grant(space.name, tuple(space.grants.items())) for space in read_spaces(layout))
    )


def spaces_of(layout: Layout, session: Session) -> dict[str, Level]:
    """Return the spaces that a session may use now, with its level.

    Only main is shown that the file is damaged; everybody else has no space then.
    """
    try:
        grants = read_grants(layout)
    except FileError:
        if session.kind == "main":
            raise
        return {}
    return dict(permitted_spaces(session, grants))


def require_space(layout: Layout, name: str) -> Space:
    for space in read_spaces(layout):
        if space.name == name:
            return space
    raise unknown_space(name)


def unknown_space(name: str) -> UnknownSpace:
    """Return the error for a space that does not exist, or that the session may not use.

    It is the same error, because a difference would reveal that the space exists.
    """
    return UnknownSpace(f"no shared space is called {shown(name)}", hint="check its name")


def create_space(layout: Layout, name: str, now: str) -> Space:
    """Add a space that only main may use. Creating it again changes nothing."""
    check_space_name(name)
    with _changing(layout) as spaces:
        return spaces.setdefault(name, Space(name, now, {"main": "write"}))


def grant_space(layout: Layout, name: str, grantee: str, level: str) -> Space:
    """Let more sessions use a space, or change their level."""
    check_grant(grantee, level)  # refuses anything but a level
    with _changing(layout) as spaces:
        if name not in spaces:
            raise unknown_space(name)
        spaces[name].grants[grantee] = level  # type: ignore[assignment]
        return spaces[name]


def revoke_space(layout: Layout, name: str, grantee: str) -> Space:
    """Take a grant back; this has an effect from the next call on."""
    with _changing(layout) as spaces:
        if name not in spaces:
            raise unknown_space(name)
        if spaces[name].grants.pop(grantee, None) is None:
            granted = ", ".join(spaces[name].grants) or "nobody"
            raise InvalidInput(
                f"{name} is not granted to {shown(grantee)}", hint=f"it is granted to: {granted}"
            )
        return spaces[name]


@contextmanager
def _changing(layout: Layout) -> Iterator[dict[str, Space]]:
    """The spaces, to be changed; they are written if no error is raised."""
    make_folder(layout.own_folder)
    with exclusive_lock(layout.own_folder / "spaces.lock"):
        spaces = {space.name: space for space in read_spaces(layout)}
        yield spaces
        values = {
            name: {"created_at": space.created_at, "grants": space.grants}
            for name, space in sorted(spaces.items())
        }
        document = {"format": _FORMAT, "spaces": values}
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        atomic.replace_file(layout.spaces_file, text.encode())
