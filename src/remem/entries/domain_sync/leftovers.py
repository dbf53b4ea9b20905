"""Clean up what writing the files of a scope leaves behind.

These are copies of replaced files, which an editor may still have open, and temporary files of
interrupted writes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from time import time
from typing import Final

from remem.errors import FileError
from remem.fast_dataclass import dataclass
from remem.files import atomic
from remem.files.layout import FACT_TREES, Layout
from remem.files.leftovers import leftovers_in, target_of
from remem.model.scope import Scope

_SETTLE_SECONDS: Final = 60.0
"""How long an editor may keep saving to a file that was replaced."""
_COPY: Final = re.compile(r"(?P<target>.+)\.(?P<digest>[0-9a-f]{64})\.[0-9a-f]{16}")
_JOURNALS: Final = ("activation", "audit", "graduate")


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Cleans up the folders of a scope.

    A version that a person saved is never removed: it is moved to the conflicts folder, which
    `add_notice` reports to the owner.
    """

    layout: Layout
    scope: Scope
    add_notice: Callable[[str], None]

    def remove_old_copies(self) -> str | None:
        """Remove old copies of replaced files; return why a copy could not be removed.

        The files that replaced them are safely on disk by now.
        """
        problem = None
        for copy in sorted(self.layout.aside(self.scope).glob("*")):
            name = _COPY.fullmatch(copy.name)
            if name is None:
                continue
            try:
                # The rename sets the change time; a future one means that the clock was set back.
                if 0 <= time() - copy.lstat().st_ctime < _SETTLE_SECONDS:
                    continue
                if atomic.remove_if_unchanged(copy, name["digest"]) is not None:
                    reason = f"{name['target']} was saved after remem had replaced it"
                    self._keep(copy, name["target"], reason)
            except FileNotFoundError:  # another process was faster
                continue
            except FileError as error:
                problem = str(error)
        return problem

    def clear_temporary_files(self, written_files: Callable[[], Collection[str]]) -> str | None:
        """Clear temporary files of interrupted writes; return why a file could not be cleared.

        A file is removed if it is empty or its content is known: from the target file, a journal,
        or one of the digests in `written_files`. Any other file is moved to the conflicts folder.
        """
        problem = None
        for temporary in self._each_temporary_file():
            try:
                self._clear(temporary, target_of(temporary.name) or temporary.name, written_files)
            except FileError as error:  # go on with the others
                problem = str(error)
        return problem

    def temporary_files(self) -> list[Path]:
        """Return the files that `clear_temporary_files` would clear."""
        return list(self._each_temporary_file())

    def _each_temporary_file(self) -> Iterator[Path]:
        """Yield the temporary files of processes that have ended, while their folder is locked."""
        for folder, may_write in self._folders():
            with leftovers_in(folder) as leftovers:
                for temporary in leftovers:
                    if may_write(target_of(temporary.name) or ""):
                        yield temporary

    def _clear(
        self, temporary: Path, target: str, written_files: Callable[[], Collection[str]]
    ) -> None:
        if (
            self.layout.own_folder in temporary.parents
        ):  # only remem writes here, so no edit is lost
            atomic.remove(temporary)
            return
        data = atomic.read(temporary)
        if (
            not data
            or data == atomic.read(temporary.with_name(target))
            or atomic.digest(data) in {*written_files(), *self._journaled()}
        ):
            atomic.remove(temporary)
        else:
            self._keep(temporary, target, "a write was interrupted")

    def _journaled(self) -> Iterator[str]:
        """Yield the digests of the file contents that the journals keep for undo."""
        for command in _JOURNALS:
            for path in (self.layout.state_folder(self.scope) / command).glob("*"):
                if path.is_file() and (data := atomic.read(path)):
                    yield atomic.digest(data)

    def _folders(self) -> Iterator[tuple[Path, Callable[[str], bool]]]:
        """Yield the folders in which remem writes files for the scope, and a test of file names."""
        layout = self.layout
        yield from _below(layout.state_folder(self.scope))
        for shared in (layout.own_folder, layout.conversations, layout.tokens):
            yield shared, _is_any_name
        if self.scope.kind != "main":
            scope_folder = layout.domains(self.scope).parent
            yield scope_folder.parent, lambda name: name == f"{scope_folder.name}.md"
            yield from _below(scope_folder)
            return
        yield layout.root, lambda name: name.endswith(".md")
        yield layout.memory, _is_any_name
        for folder in (layout.domains(self.scope), layout.memory / "main"):
            yield from _below(folder)
        for tree in FACT_TREES:
            yield from _below(layout.root / tree)

    def _keep(self, path: Path, target: str, reason: str) -> None:
        """Move a file to the conflicts folder, under the name of its target."""
        copy = atomic.unused_path(self.layout.conflicts(self.scope), target)
        atomic.set_aside(path, copy)
        kept_path = self.layout.relative(copy)
        self.add_notice(f"{reason}; the content is kept in {kept_path}")


def _below(folder: Path) -> Iterator[tuple[Path, Callable[[str], bool]]]:
    if not folder.is_symlink():
        for place, _, _ in os.walk(folder, followlinks=False):
            yield Path(place), _is_any_name


def _is_any_name(_name: str) -> bool:
    return True
