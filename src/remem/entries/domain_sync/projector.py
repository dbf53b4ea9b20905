"""Writes the store's changes to the Markdown files of a scope, and stores edits made in them.

The outbox names the files to write. Each is read first and its hand edits are stored; then it is
replaced with the new text, and if somebody saved it in between, their version is read too. One
process at a time does this. The index file is generated: hand edits to it are kept as a copy.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from remem.entries.domain_sync.leftovers import Leftovers
from remem.entries.domain_sync.state import (
    ChangeDetector,
    ProjectionState,
    ScopeFiles,
    stem_and_part_of,
)
from remem.entries.receipt import StoreDependencies
from remem.errors import FileError, RememError
from remem.files import atomic
from remem.files.layout import Layout
from remem.model.domain_routing import INDEX_FILE_KEY, STEMS
from remem.model.scope import Scope
from remem.ports import Clock
from remem.ports.entries import Store
from remem.ports.models import TokenCounter


def write_index(
    files: ScopeFiles, state: ProjectionState, counter: TokenCounter, tokens: int
) -> None:
    """Write the index file; only main has one."""
    if files.scope.kind != "main":
        _, upto = state.last_written(INDEX_FILE_KEY, None)
        state.record_write(INDEX_FILE_KEY, upto, b"", {})
        return
    path = files.layout.index_file
    current = atomic.read(path)
    known, upto = state.last_written(INDEX_FILE_KEY, current)
    with files.store.read() as snapshot:
        from remem.entries.index import make_index  # seldom needed

        text = make_index(snapshot, counter, tokens).text.encode()
    if current is not None and current != text and atomic.digest(current) != known.digest:
        copy = atomic.unused_path(files.layout.conflicts(files.scope), path.name)
        atomic.create(copy, current)
        files.add_notice(f"INDEX.md was rewritten; your changes are kept in {files.name(copy)}")
    if current != text:
        state.record_planned_write(INDEX_FILE_KEY, text, {})
        if files.write(path, text, current).outcome != "swapped":
            raise FileError(f"{path} was changed while remem was writing it", hint="try again")
    state.record_write(INDEX_FILE_KEY, upto, text, {})


_TEMPORARY_FILES: Final = "temporary files"
_OLD_COPIES: Final = "copies of replaced files"


@dataclass
class Projector:
    """Keeps the Markdown files of one scope and its store in sync.

    A file that cannot be read or written does not block the others: `problems` says why, and it is
    tried again the next time.
    """

    store: Store
    layout: Layout
    scope: Scope
    deps: StoreDependencies
    clock: Clock
    index_tokens: int
    problems: dict[str, str] = field(default_factory=dict)
    _files: ScopeFiles = field(init=False)
    _state: ProjectionState = field(init=False)
    _changes: ChangeDetector = field(init=False)
    _leftovers: Leftovers = field(init=False)

    def __post_init__(self) -> None:
        self._files = ScopeFiles(self.store, self.layout, self.scope, self.clock)
        self._state = ProjectionState(self.store)
        self._changes = ChangeDetector(self._files, self._state, self.problems)
        self._leftovers = Leftovers(self.layout, self.scope, self._files.add_notice)

    @property
    def is_current(self) -> bool:
        """Whether the files have been compared with the current database."""
        return self._changes.generation == self.store.generation

    def catch_up(self) -> None:
        """Store every hand edit and write every pending file."""
        with self._files.lock():
            self._set_problem(_OLD_COPIES, self._leftovers.remove_old_copies())
        self.store_hand_edits()
        self.write_pending_files()

    def sweep(self) -> None:
        """Clear temporary files of interrupted writes, on opening and when erasing."""
        with self._files.lock():
            problem = self._leftovers.clear_temporary_files(self._state.digests)
        self._set_problem(_TEMPORARY_FILES, problem)

    def store_hand_edits(self) -> bool:
        """Store hand edits in files that have changed; returns whether any file has."""
        changed = self._changes.changed()
        if changed:
            from remem.files.domain_file.format import ids_in  # domain files are seldom edited

            with self._files.lock():
                ids_by_file = {file_key: ids_in(self._files.path(file_key)) for file_key in changed}
                for file_key in sorted(changed, key=_write_order):
                    self._try(file_key, ids_by_file)
        return bool(changed)

    def write_pending_files(self, within: float | None = None) -> bool:
        """Write the files that the outbox names; False if another process held the lock for more
        than `within` seconds."""
        with self.store.read() as snapshot:
            if not snapshot.outbox():
                return True
        with self._files.try_lock(within) as locked:
            if not locked:
                return False
            with self.store.read() as snapshot:
                pending = [item.file for item in snapshot.outbox()]
            for file_key in sorted(pending, key=_write_order):
                self._try(file_key, {})
        return True

    def _try(self, file_key: str, ids_by_file: dict[str, frozenset[str]]) -> None:
        try:
            if file_key == INDEX_FILE_KEY:
                write_index(self._files, self._state, self.deps.counter, self.index_tokens)
            else:
                self._sync_file(file_key, ids_by_file)
        except RememError as error:
            self.problems[file_key] = str(error)
        else:
            self.problems.pop(file_key, None)

    def _set_problem(self, key: str, problem: str | None) -> None:
        if problem:
            self.problems[key] = problem
        else:
            self.problems.pop(key, None)

    def _sync_file(self, file_key: str, ids_by_file: dict[str, frozenset[str]]) -> None:
        from remem.entries.domain_sync.sync_file import FileSync  # few commands write a file

        text = FileSync(self._files, self._state, self.deps).sync(file_key, ids_by_file)
        self._changes.mark_seen(file_key, self._files.path(file_key), text)


def _write_order(file_key: str) -> int:
    """The order in which files are written, the index last.

    An entry leaves the untrusted file or a topic's file only when a person moves its bullet. Those
    files come first, so that the entry is archived there before it is found in another file.
    """
    if file_key == INDEX_FILE_KEY:
        return 2
    return int(stem_and_part_of(file_key)[0] in STEMS.values())
