"""Write the store's changes to the Markdown files of a scope, and store edits made in them.

The outbox names the files to write. Each is read first and its hand edits are stored; then it is
replaced with the new text. If somebody saved it in between, their edits are stored too. One process
at a time does this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from remem.entries.domain_sync.leftovers import Leftovers
from remem.entries.domain_sync.state import (
    ChangeDetector,
    FileWrite,
    ProjectionState,
    ScopeFiles,
    stem_and_part_of,
)
from remem.entries.written_index import is_outdated, made_by
from remem.errors import FileError, RememError
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.locks import Signature, signature
from remem.model.domain_routing import INDEX_FILE_KEY, STEMS, original_stem
from remem.model.scope import Scope
from remem.ports import Clock, StoreDependencies
from remem.ports.entries import Snapshot, Store

if TYPE_CHECKING:
    from remem.entries.domain_sync.index_file import IndexFile
    from remem.entries.domain_sync.sync_file import ChangedFiles, FileSync


_TEMPORARY_FILES: Final = "temporary files"
_OLD_COPIES: Final = "copies of replaced files"


@dataclass
class Projector:
    """Keeps the Markdown files of one scope and its store in sync.

    A file that cannot be read or written does not block the others: `problems` says why, and the
    next sync tries it again.
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
    _index_signature: Signature | None = field(default=None, init=False)
    _writes_begun: int = field(default=0, init=False)
    _last_write_done: int = field(default=0, init=False)
    """The number of the last write of pending files that was completed."""

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
        self._renew_index()
        self.write_pending_files()

    def sweep(self) -> None:
        """Clear the temporary files of interrupted writes."""
        with self._files.lock():
            problem = self._leftovers.clear_temporary_files(self._state.digests)
        self._set_problem(_TEMPORARY_FILES, problem)

    def has_hand_edits(self) -> bool:
        return bool(self._changes.changed()) or self._is_index_edited()

    def store_hand_edits(self) -> bool:
        """Store hand edits in files that have changed; return whether any file has changed."""
        changed = self._changes.changed()
        index_edited = self._is_index_edited()
        if changed or index_edited:
            with self._files.lock():
                others = self._changed_files(changed)
                for file_key in sorted(changed, key=_write_order):
                    self._try(file_key, others)
                if index_edited:
                    self._try(INDEX_FILE_KEY, others)
        return bool(changed) or index_edited

    def _changed_files(self, file_keys: Sequence[str]) -> ChangedFiles:
        from remem.entries.domain_sync.sync_file import ChangedFiles  # files are rarely edited
        from remem.files.domain_file.format import ids_in, metadata_in

        paths = {file_key: self._files.path(file_key) for file_key in file_keys}
        ids = {file_key: ids_in(path) for file_key, path in paths.items()}
        metadata = {id_: meta for path in paths.values() for id_, meta in metadata_in(path).items()}
        return ChangedFiles(ids, metadata)

    def write_pending_files(self, within: float | None = None) -> bool:
        """Write the files that the outbox names.

        Callers who wait for the lock together are served by one write: the first that begins after
        their changes were committed. Return False if another process held the lock for more than
        `within` seconds.
        """
        asked = self._writes_begun
        with self.store.read() as snapshot:
            if not snapshot.outbox():
                return True
        with self._files.try_lock(within) as locked:
            if not locked:
                return False
            if self._last_write_done > asked:
                return True
            self._writes_begun += 1
            with self.store.read() as snapshot:
                pending = sorted((item.file for item in snapshot.outbox()), key=_write_order)
                writes = self._prepare(snapshot, pending)
            if writes is not None:
                self._write_all(writes)
            else:
                for file_key in pending:
                    self._try(file_key, None)
            self._last_write_done = self._writes_begun
        return True

    def _prepare(self, snapshot: Snapshot, pending: Sequence[str]) -> list[FileWrite] | None:
        """Return the new texts of all pending files.

        Return None if one of them was edited or cannot be read; each file is then synced
        separately.
        """
        writes = []
        for file_key in pending:
            try:
                if file_key == INDEX_FILE_KEY:
                    write = self._index_file().prepare(snapshot)
                else:
                    write = self._file_sync().prepare(snapshot, file_key)
            except RememError:
                return None
            if write is None:
                return None
            writes.append(write)
        return writes

    def _write_all(self, writes: Sequence[FileWrite]) -> None:
        """Write files that nobody has edited, and record this before and after."""
        changed = [write for write in writes if write.path and write.text != write.current]
        try:
            if changed:
                self._state.record_plans(changed)
            failed_keys = {write.file_key for write in changed if not self._swap(write)}
            completed = [write for write in writes if write.file_key not in failed_keys]
            signatures = {
                write.file_key: current
                for write in completed
                if write.path and write.file_key != INDEX_FILE_KEY
                if (current := self._changes.remember(write.path, write.text))
            }
            if completed:
                self._state.record_writes(completed, signatures)
        except RememError as error:
            self.problems.update({write.file_key: str(error) for write in writes})
            return
        for write in completed:
            self.problems.pop(write.file_key, None)

    def _swap(self, write: FileWrite) -> bool:
        """Write one file; return False if somebody saved it meanwhile, whose edits are stored."""
        assert write.path is not None
        try:
            result = self._files.write(write.path, write.text, write.current)
            if result.outcome == "swapped":
                return True
            if write.file_key == INDEX_FILE_KEY:
                raise FileError(
                    f"{write.path} was changed while remem was writing it", hint="try again"
                )
            text = self._file_sync().resume(write, result)
            self._changes.record(write.file_key, write.path, text)
        except RememError as error:
            self.problems[write.file_key] = str(error)
        return False

    def _try(self, file_key: str, others: ChangedFiles | None) -> None:
        """Sync one file; `problems` says why this failed. `others` changed at the same time."""
        try:
            if file_key == INDEX_FILE_KEY:
                self._index_file().sync()
            else:
                self._sync_file(file_key, others)
        except RememError as error:
            self.problems[file_key] = str(error)
        else:
            self.problems.pop(file_key, None)

    def _is_index_edited(self) -> bool:
        """Return whether somebody has edited the index file."""
        if self.scope.kind != "main" or not self.store.writable:
            return False
        current = signature(self.layout.index_file)
        if current is None or current == self._index_signature:
            return False
        try:
            data = atomic.read(self.layout.index_file)
            last_write, _ = self._state.last_written(INDEX_FILE_KEY, data)
        except RememError as error:
            self.problems[INDEX_FILE_KEY] = str(error)
            return False
        if data is not None and last_write.items and atomic.digest(data) != last_write.digest:
            return True
        self._index_signature = current
        return False

    def _renew_index(self) -> None:
        """Queue the index for writing if another version, or other settings, made its file."""
        if self.scope.kind != "main":
            return
        with self.store.read() as snapshot:
            if not is_outdated(snapshot, made_by(self.deps.counter, self.index_tokens)):
                return
        self.store.write(lambda tx: tx.add_to_outbox(INDEX_FILE_KEY))

    def _index_file(self) -> IndexFile:
        from remem.entries.domain_sync.index_file import IndexFile  # rarely needed

        return IndexFile(self._files, self._state, self.deps, self.index_tokens)

    def _set_problem(self, key: str, problem: str | None) -> None:
        if problem:
            self.problems[key] = problem
        else:
            self.problems.pop(key, None)

    def _sync_file(self, file_key: str, others: ChangedFiles | None) -> None:
        text = self._file_sync().sync(file_key, others)
        if not self._remove_emptied_copy(file_key, text):
            self._changes.record(file_key, self._files.path(file_key), text)

    def _remove_emptied_copy(self, file_key: str, text: bytes) -> bool:
        """Remove a copy of a domain file if it contains nothing that other files do not.

        Sync programs make such copies; their bullets have been stored as entries by now.
        """
        stem, _ = stem_and_part_of(file_key)
        original = original_stem(stem, self.deps.topics)
        if original == stem:
            return False
        from remem.files.domain_file.format import repeats_only  # copies are rare

        path = self._files.path(file_key)
        others = [other for other in path.parent.glob(f"{original}*.md") if other != path]
        texts = [(atomic.read(other) or b"").decode(errors="replace") for other in others]
        is_empty = repeats_only(text.decode(), texts)
        if not is_empty or atomic.remove_if_unchanged(path, atomic.digest(text)) is not None:
            return False
        self._state.forget(file_key)
        return True

    def _file_sync(self) -> FileSync:
        from remem.entries.domain_sync.sync_file import FileSync  # few commands write a file

        return FileSync(self._files, self._state, self.deps)


def _write_order(file_key: str) -> int:
    """Return the position of a file in the order of writing: copies come late, the index last.

    An entry leaves the untrusted file or a topic's file only when a person moves its bullet. Those
    files come first, so that the entry is archived there before it is found in another file.
    """
    if file_key == INDEX_FILE_KEY:
        return 3
    stem, _ = stem_and_part_of(file_key)
    return 2 if original_stem(stem) != stem else int(stem in STEMS.values())
