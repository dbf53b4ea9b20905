"""The journal of commands that edit files of the owner, such as MEMORY.md, and can undo it.

Before a file is changed, its bytes and the new ones are written to the journal. The new file then
replaces the old one in one atomic swap, and the old one is kept. If the process is killed, the file
has either its old or its new bytes, and a comparison with the journal shows which.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from remem.errors import FileError, InvalidInput
from remem.files import atomic
from remem.files.disk import make_folder
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.files.rewrite import Copies, replace, workspace_copies
from remem.model.scope import Scope
from remem.text.line_edits import diff_text, revert_change

_DIGITS: Final = 6
UndoOutcome = Literal["restored", "merged", "already"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change to be made to a file: its bytes, and the new ones."""

    path: str
    description: str
    before: bytes
    after: bytes

    @property
    def diff(self) -> str:
        return diff_text(self.before, self.after, self.path)


@dataclass(frozen=True, slots=True)
class _JournalEntry:
    """A change in the journal; `before` and `after` are digests."""

    path: str
    description: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class UndoneChange:
    """A change that was undone, and how.

    It is `merged` if later edits by a person were kept. It is `already` if the change was not in
    the file, because it was never written or because a person had reverted it.
    """

    path: str
    description: str
    how: UndoOutcome


@dataclass(frozen=True, slots=True)
class EditJournal:
    """The changes that one command made to files of one scope, with the bytes before each of them.

    Each command has a journal of its own, and undoes only its own changes.
    """

    layout: Layout
    scope: Scope
    command: str = "audit"

    def apply(self, change: FileChange) -> Path:
        """Apply a change, and return the path where the earlier bytes are kept."""
        path = self.layout.root / change.path
        with self._locked():
            if atomic.read(path) != change.before:
                raise self._edited(change.path)
            number = max(self._numbers("*"), default=0) + 1
            backup = self._file(number, "before")
            atomic.create(backup, change.before)
            atomic.create(self._file(number, "after"), change.after)
            entry = _JournalEntry(
                change.path,
                change.description,
                atomic.digest(change.before),
                atomic.digest(change.after),
            )
            atomic.create(self._file(number, "json"), json.dumps(asdict(entry)).encode())
            self._replace(path, change.before, change.after)
        return backup

    def undo(self) -> UndoneChange:
        """Undo the last change; edits that a person has made since then are kept."""
        with self._locked():
            number = self._last()
            entry = self._entry(number)
            before, after = self._saved(number, "before"), self._saved(number, "after")
            path = self.layout.root / entry.path
            current = atomic.read(path)
            if current is None:
                raise FileError(
                    f"{entry.path} is missing",
                    hint=f"its earlier content is in {self._name(number, 'before')}",
                )
            restored = revert_change(before, after, current)
            can_be_applied = revert_change(after, before, current) is not None
            if current == before or (restored is None and can_be_applied):
                outcome: UndoOutcome = "already"
            else:
                if restored is None:
                    restored = revert_change(before, after, current, allow_adjacent=True)
                if restored is None:
                    raise FileError(
                        f"{entry.path} was edited in the changed lines; nothing was undone",
                        hint=f"the earlier content is in {self._name(number, 'before')}",
                    )
                self._replace(path, current, restored)
                outcome = "restored" if restored == before else "merged"
            atomic.create(self._file(number, "undone"), b"")
        return UndoneChange(entry.path, entry.description, outcome)

    def forget(self, clean: Callable[[bytes], bytes]) -> None:
        """Remove erased text from the journal; `clean` returns a text without it."""
        if not self._folder.is_dir():
            return
        with self._locked():
            for path in sorted(self._folder.glob("*.*")):
                data = None if path.suffix == ".json" else atomic.read(path)
                if data and (text := clean(data)) != data:
                    atomic.replace_file(path, text)
            for number in sorted(self._numbers("json")):
                self._rewrite_entry(number, clean)

    def _rewrite_entry(self, number: int, clean: Callable[[bytes], bytes]) -> None:
        old = self._entry(number)
        new = _JournalEntry(
            old.path,
            clean(old.description.encode()).decode() or "a change whose text was erased",
            atomic.digest(self._saved(number, "before")),
            atomic.digest(self._saved(number, "after")),
        )
        if new != old:
            atomic.replace_file(self._file(number, "json"), json.dumps(asdict(new)).encode())

    def _replace(self, path: Path, expected: bytes, new: bytes) -> None:
        """Replace the file; if a person saves it at the same moment, their version is kept."""
        result = replace(path, new, expected, self._copies)
        if result.outcome == "displaced":
            replace(path, result.found, new, self._copies)
        if result.outcome != "swapped":
            raise self._edited(path.name)

    @property
    def _copies(self) -> Copies:
        return Copies(
            lambda path, _digest: atomic.unused_path(self._folder, f"{path.name}.kept"),
            workspace_copies(self.layout, self.scope).conflict,
        )

    def _last(self) -> int:
        """Return the number of the latest change that was not undone."""
        undoable = [n for n in self._numbers("json") if not self._file(n, "undone").exists()]
        if not undoable:
            raise InvalidInput(
                "there is nothing to undo",
                hint=f"only changes made by `remem {self.command} --apply` can be undone",
            )
        return max(undoable)

    def _numbers(self, kind: str) -> Iterator[int]:
        """Yield the numbers of the changes that have a file of this kind.

        The entry of a change (`json`) is written last: without it, the change was never begun.
        """
        for path in self._folder.glob(f"*.{kind}"):
            if path.stem.isdigit():
                yield int(path.stem)

    def _entry(self, number: int) -> _JournalEntry:
        try:
            return _JournalEntry(**json.loads(self._saved(number, "json")))
        except (ValueError, TypeError) as error:
            raise FileError(f"{self._name(number, 'json')} is damaged: {error}") from error

    def _saved(self, number: int, kind: str) -> bytes:
        data = atomic.read(self._file(number, kind))
        if data is None:
            raise FileError(f"{self._name(number, kind)} is missing, so nothing can be undone")
        return data

    @property
    def _folder(self) -> Path:
        return self.layout.state_folder(self.scope) / self.command

    def _file(self, number: int, kind: str) -> Path:
        return self._folder / f"{number:0{_DIGITS}}.{kind}"

    def _name(self, number: int, kind: str) -> str:
        return self.layout.relative(self._file(number, kind))

    def _locked(self) -> AbstractContextManager[None]:
        make_folder(self._folder)
        return exclusive_lock(self._folder / "lock")

    def _edited(self, name: str) -> FileError:
        return FileError(
            f"{name} was edited in the meantime; nothing was changed",
            hint=f"run `remem {self.command}` again",
        )
