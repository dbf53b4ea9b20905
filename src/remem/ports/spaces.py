"""The list of shared spaces: who may use each of them, and which ones were deleted.

The list is not part of any space, and only the owner's commands change it, so that nobody can grant
themselves access. A space that is not listed does not exist, even if its folder does. Workspaces on
one machine keep the list in a file, those on PostgreSQL in the database, so that all machines use
the same list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, Final, Protocol, TypeVar

from remem.errors import InvalidInput
from remem.fast_dataclass import dataclass
from remem.model.scope import Grant, Grants, Level, check_grant, check_space_name

T = TypeVar("T")
_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Space:
    """One shared space: when it was created, and the level that each grantee has."""

    name: str
    created_at: str
    grants: dict[str, Level]


@dataclass(frozen=True, slots=True)
class DeletedSpace:
    """The tombstone of a space, with the number of entries that it had when it was deleted.

    Data of the space that turns up later, for example from a backup, is removed.
    """

    name: str
    deleted_at: str
    entries: int = 0


@dataclass(frozen=True, slots=True)
class SpaceListContent:
    """The content of the list: the spaces that exist and those that were deleted, by name."""

    listed: dict[str, Space] = field(default_factory=dict)
    deleted: dict[str, DeletedSpace] = field(default_factory=dict)

    @property
    def grants(self) -> Grants:
        """The grants of all spaces that exist."""
        names = sorted(self.listed)
        return Grants(tuple(Grant(name, tuple(self.listed[name].grants.items())) for name in names))

    def delete(self, tombstone: DeletedSpace) -> None:
        """Replace a space by its tombstone."""
        self.listed.pop(tombstone.name, None)
        self.deleted[tombstone.name] = tombstone

    def replace_with(self, other: SpaceListContent) -> None:
        """Replace the content by the content of another list."""
        self.listed.clear()
        self.listed.update(other.listed)
        self.deleted.clear()
        self.deleted.update(other.deleted)


class SpaceList(Protocol):
    """The list of one workspace, wherever it is kept."""

    @property
    def is_shared(self) -> bool:
        """Whether the list is in a database that several machines may use."""

    def remove_entries(self, name: str) -> None:
        """Remove a deleted space's entries from the database that also contains the list, if any.

        Entries in files of their own are removed with those files.
        """

    def read(self) -> SpaceListContent:
        """Return the list; raise RememError if it is damaged or cannot be reached."""

    def change(self, edit: Callable[[SpaceListContent], T]) -> T:
        """Let `edit` change the list; write the result, unless `edit` raises an error."""


def spaces_of_json(value: Any) -> SpaceListContent:
    """Return the list that plain JSON values describe.

    Raise RememError, or the error of a failed lookup or conversion, if they are invalid.
    """
    if (form := value.get("format", _FORMAT)) != _FORMAT:
        raise InvalidInput(f"its format is {form}; this version of remem reads format {_FORMAT}")
    spaces = {name: _space(name, fields) for name, fields in value["spaces"].items()}
    deleted = {
        check_space_name(name): DeletedSpace(name, str(fields["at"]), int(fields["entries"]))
        for name, fields in value.get("deleted", {}).items()
    }
    return SpaceListContent(spaces, deleted)


def _space(name: str, value: Any) -> Space:
    grants = {str(grantee): level for grantee, level in value["grants"].items()}
    for grantee, level in grants.items():
        check_grant(grantee, level)
    return Space(check_space_name(name), str(value["created_at"]), grants)


def json_of_spaces(spaces: SpaceListContent) -> dict[str, Any]:
    """Return the list as plain JSON values."""
    listed = {
        name: {"created_at": space.created_at, "grants": space.grants}
        for name, space in sorted(spaces.listed.items())
    }
    deleted = {
        name: {"at": space.deleted_at, "entries": space.entries}
        for name, space in sorted(spaces.deleted.items())
    }
    return {"format": _FORMAT, "spaces": listed, **({"deleted": deleted} if deleted else {})}
