"""The files of shared spaces: their list, `.remem/spaces.json`, and the removal of a space."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

from remem.errors import FileError, RememError
from remem.fast_dataclass import dataclass
from remem.files import atomic
from remem.files.disk import entries_in, file_errors, make_folder, sync_folder
from remem.files.layout import Layout, stem_and_part
from remem.files.locks import exclusive_lock
from remem.model.scope import Scope
from remem.ports.spaces import SpaceListContent, T, json_of_spaces, spaces_of_json


@dataclass(frozen=True, slots=True)
class SpacesFile:
    """The list of the spaces of a workspace whose stores are SQLite files."""

    layout: Layout

    @property
    def is_shared(self) -> bool:
        return False

    def remove_entries(self, name: str) -> None:
        """Do nothing: `remove_space_files` removes the database."""

    def read(self) -> SpaceListContent:
        """Return the list; FileError if the file is damaged."""
        data = atomic.read(self.layout.spaces_file)
        if data is None:
            return SpaceListContent()
        try:
            return spaces_of_json(json.loads(data))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, RememError) as bad:
            raise FileError(
                f"{self.layout.relative(self.layout.spaces_file)} is not a list of spaces: {bad}",
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
    """Return whether remem has written anything for a space that is still there."""
    scope = Scope("shared", name)
    return layout.state_folder(scope).is_dir() or bool(_domain_files(layout, scope))


def remove_space_files(layout: Layout, name: str) -> tuple[str, ...]:
    """Remove everything that remem has written for a space; repeating it is harmless.

    Files that somebody else put into its folder stay, and are returned. The state folder is removed
    last, because it shows that a removal has not been finished.
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
            if folder.is_dir() and not entries_in(folder):
                folder.rmdir()
    with file_errors(state, "removed"):
        if state.is_dir():
            shutil.rmtree(state)
            sync_folder(state.parent)
    return tuple(map(layout.relative, other_files))


def _domain_files(layout: Layout, scope: Scope) -> list[str]:
    files = (entry for entry in entries_in(layout.domains(scope)) if entry.is_file())
    return [entry.name for entry in files if stem_and_part(entry.name)]
