"""The list of shared spaces: look up and change who may use which space."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final

from remem.errors import FileError, InvalidInput, RememError, StoreDamaged, UnknownSpace, quoted
from remem.fast_dataclass import dataclass
from remem.model.entry import Trust, lower_trust
from remem.model.scope import (
    Level,
    Scope,
    Session,
    check_grant,
    check_space_name,
    permitted_spaces,
)
from remem.ports.entries import Store, Transaction
from remem.ports.spaces import (
    DeletedSpace,
    Space,
    SpaceList,
    SpaceListContent,
    T,
    json_of_spaces,
    spaces_of_json,
)
from remem.ports.state import Namespace

_LIST: Final[Namespace[dict[str, Any]]] = Namespace("spaces", dict[str, Any])


@dataclass(frozen=True, slots=True)
class SpacesInStore:
    """The list as a record of a store that belongs to no scope, for all machines that share it.

    `open_` opens that store, and `remove` removes the entries of a scope from its own store.
    """

    open_: Callable[[], AbstractContextManager[Store]]
    remove: Callable[[Scope], None]

    @property
    def is_shared(self) -> bool:
        return True

    def remove_entries(self, name: str) -> None:
        self.remove(Scope("shared", name))

    def read(self) -> SpaceListContent:
        with self.open_() as store, store.read() as snapshot:
            return _parse(snapshot.record(_LIST))

    def change(self, edit: Callable[[SpaceListContent], T]) -> T:
        def operation(tx: Transaction) -> T:
            spaces = _parse(tx.record(_LIST))
            result = edit(spaces)
            tx.put_record(_LIST, "", json_of_spaces(spaces))
            return result

        with self.open_() as store:
            return store.write(operation)


def _parse(value: dict[str, Any] | None) -> SpaceListContent:
    if value is None:
        return SpaceListContent()
    try:
        return spaces_of_json(value)
    except (ValueError, KeyError, TypeError, AttributeError, RememError) as error:
        raise StoreDamaged(
            f"the record of the shared spaces is not a list of spaces: {error}",
            hint="restore the database from a backup; until then nobody can use a space",
        ) from None


def trust_in_spaces(session: Session, trust: Trust) -> Trust:
    """Return the trust of a session in shared spaces.

    Only the owner's own chats have the owner's trust: what a sub-agent or another person writes
    stays theirs, also when a program that the owner trusts passes it on.
    """
    return trust if session.kind == "main" else lower_trust(trust, "agent")


def spaces_of(list_: SpaceList, session: Session) -> dict[str, Level]:
    """Return the spaces that a session may use now, with its level in each.

    If the list is damaged, main gets the error, and every other session has no spaces.
    """
    try:
        grants = list_.read().grants
    except (FileError, StoreDamaged):
        if session.kind == "main":
            raise
        return {}
    return dict(permitted_spaces(session, grants))


def deleted_spaces(list_: SpaceList) -> list[str]:
    """Return the spaces that must no longer have files; none if the list is damaged."""
    try:
        spaces = list_.read()
    except (FileError, StoreDamaged):
        return []
    return [name for name in spaces.deleted if name not in spaces.listed]


def require_space(list_: SpaceList, name: str) -> Space:
    """Return the space with a name; raise UnknownSpace if there is none."""
    space = list_.read().listed.get(name)
    if space is None:
        raise unknown_space(name)
    return space


def unknown_space(name: str) -> UnknownSpace:
    """Return the error for a space that does not exist, or that the session may not use.

    The error is the same in both cases, because a difference would reveal that the space exists.
    """
    return UnknownSpace(f"no shared space is called {quoted(name)}", hint="check its name")


def create_space(list_: SpaceList, name: str, now: str) -> Space:
    """Add a space that only main may use; nothing changes if it exists.

    If several machines share the list, the tombstone of an earlier space with this name is kept,
    because they may still have files of that space.
    """
    check_space_name(name)

    def edit(spaces: SpaceListContent) -> Space:
        if not list_.is_shared:
            spaces.deleted.pop(name, None)
        return spaces.listed.setdefault(name, Space(name, now, {"main": "write"}))

    return list_.change(edit)


def grant_space(list_: SpaceList, name: str, grantee: str, level: str) -> Space:
    """Let the sessions of a grantee use a space, or change their level; return the space."""
    checked_level = check_grant(grantee, level)

    def edit(spaces: SpaceListContent) -> Space:
        space = _require_listed(spaces, name)
        space.grants[grantee] = checked_level
        return space

    return list_.change(edit)


def revoke_space(list_: SpaceList, name: str, grantee: str) -> Space:
    """Withdraw a grant, which takes effect with the next call of a session; return the space."""

    def edit(spaces: SpaceListContent) -> Space:
        space = _require_listed(spaces, name)
        if space.grants.pop(grantee, None) is None:
            granted = ", ".join(space.grants) or "nobody"
            raise InvalidInput(
                f"{name} is not granted to {quoted(grantee)}",
                hint=f"it is granted to: {granted}",
            )
        return space

    return list_.change(edit)


def delete_space(list_: SpaceList, name: str, now: str, entries: int) -> DeletedSpace:
    """Replace a space by a tombstone; from the next call on nobody can use it."""

    def edit(spaces: SpaceListContent) -> DeletedSpace:
        tombstone = DeletedSpace(_require_listed(spaces, name).name, now, entries)
        spaces.delete(tombstone)
        return tombstone

    return list_.change(edit)


def _require_listed(spaces: SpaceListContent, name: str) -> Space:
    if name not in spaces.listed:
        raise unknown_space(name)
    return spaces.listed[name]
