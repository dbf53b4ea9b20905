"""The list of shared spaces in `.remem/spaces.json`, and the files of a space."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Final

from remem.errors import FileError, RememError
from remem.fast_dataclass import dataclass
from remem.files import atomic
from remem.files.disk import file_errors, list_folder, make_folder, sync_folder
from remem.files.layout import Layout, stem_and_part
from remem.files.locks import exclusive_lock
from remem.model.scope import Scope
from remem.ports.spaces import SpaceListContent, T, json_of_spaces, spaces_of_json

_PARSE_ERRORS: Final = (
    *(ValueError, KeyError, TypeError, AttributeError),
    *(RecursionError, RememError),
)


@dataclass(frozen=True, slots=True)
class SpacesFile:
    """The list of spaces of a workspace whose entries are in SQLite files."""

    layout: Layout

    @property
    def is_shared(self) -> bool:
        return False

    def remove_entries(self, name: str) -> None:
        """Do nothing, because the entries are in a file that `remove_space_files` removes."""

    def read(self) -> SpaceListContent:
        """Return the list; FileError if the file is damaged."""
        data = atomic.read(self.layout.spaces_file)
        if data is None:
            return SpaceListContent()
        try:
            return spaces_of_json(json.loads(data))
        except _PARSE_ERRORS as error:
            raise FileError(
                f"{self.layout.relative(self.layout.spaces_file)} is not a list of spaces: {error}",
                hint="fix it by hand or restore it from a backup; until then nobody can use a "
                "space",
            ) from None

    def change(self, edit: Callable[[SpaceListContent], T]) -> T:
        make_folder(self.layout.own_folder)
        with exclusive_lock(self.layout.own_folder / "spaces.lock"):
            spaces = self.read()
            result = edit(spaces)
            text = json.dumps(json_of_spaces(spaces), ensure_ascii=False, indent=2) + "\n"
            atomic.replace_file(self.layout.spaces_file, text.encode())
        return result


def has_space_files(layout: Layout, name: str) -> bool:
    """Return whether a space has a state folder or domain files."""
    scope = Scope("shared", name)
    return layout.state_folder(scope).is_dir() or bool(_domain_files(layout, scope))


def remove_space_files(layout: Layout, name: str) -> tuple[str, ...]:
    """Remove everything that remem has written for a space; repeating it is harmless.

    Return the other files in its folder, which are left there. The state folder is removed last,
    because `has_space_files` shows by it that an interrupted removal has to be repeated.
    """
    scope = Scope("shared", name)
    domains, state = layout.domains(scope), layout.state_folder(scope)
    for folder in (domains, state):
        atomic.refuse_links(layout.root, folder)
    for file in _domain_files(layout, scope):
        atomic.remove(domains / file)
    other_files = sorted(path for path in domains.parent.rglob("*") if not path.is_dir())
    with file_errors(domains.parent, "removed"):
        for folder in (domains, domains.parent):
            if folder.is_dir() and not list_folder(folder):
                folder.rmdir()
    with file_errors(state, "removed"):
        if state.is_dir():
            shutil.rmtree(state)
            sync_folder(state.parent)
    return tuple(map(layout.relative, other_files))


def _domain_files(layout: Layout, scope: Scope) -> list[str]:
    files = (item for item in list_folder(layout.domains(scope)) if item.is_file())
    return [item.name for item in files if stem_and_part(item.name)]
