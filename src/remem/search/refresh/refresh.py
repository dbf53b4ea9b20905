"""Bring the passage index up to date with the files.

Changed files are read, split into passages and stored in batches; passages of deleted files are
removed. Each batch is committed together with the marks of its files, which record the state in
which they were read, so killing the process loses at most the current batch. If several processes
refresh at the same time, one does the work, and the others wait for its lock and then find nothing
to do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from remem.errors import RememError
from remem.fast_dataclass import dataclass
from remem.files.locks import exclusive_lock_within
from remem.model.passage import FileMark
from remem.search.refresh.reading import ReadFile, SourceFile

if TYPE_CHECKING:
    from remem.ports.passages import PassageReader, PassageStore

_BATCH_BYTES: Final = 1 << 20
"""The number of bytes of text to store in one transaction."""


Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A file that could not be read completely."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """The result of a refresh, and the size of the index.

    `waiting` is the number of changed files that were not read in time.
    """

    read: int
    unchanged: int
    forgotten: int
    files: int
    passages: int
    without_vector: int
    waiting: int
    problems: tuple[ReadProblem, ...]


@dataclass(frozen=True, slots=True)
class RefreshPlan:
    """Files to read and to remove; `known` are the marks of all files read before."""

    listed: int
    changed: list[SourceFile]
    vanished: list[str]
    known: dict[str, FileMark]

    @property
    def is_empty(self) -> bool:
        return not self.changed and not self.vanished


class Refresh:
    """Keeps the passages of one scope in sync with its files."""

    def __init__(
        self, store: PassageStore, sources: Callable[[], Iterable[SourceFile]], lock: Path
    ) -> None:
        self._store = store
        self._sources = sources
        self._lock = lock
        self._mutex = threading.Lock()
        self._closing = threading.Event()

    def __call__(
        self,
        progress: Progress = lambda _done, _of: None,
        *,
        seconds: float | None = None,
        plan: RefreshPlan | None = None,
    ) -> RefreshReport:
        """Bring search up to date.

        After `seconds`, no further file is read, and the call stops waiting for another process
        that is doing the work. Pass a `plan` made just before to avoid listing the files again.
        """
        deadline = None if seconds is None else monotonic() + seconds
        plan = plan or self._plan()
        if plan.is_empty:
            return self._summary(plan)
        with self._locked(seconds) as acquired:
            if not acquired:
                return self._summary(plan)
            if self._known() != plan.known:  # another process has read files in the meantime
                plan = self._plan()
            looked_at, changed = self._read(plan, deadline, progress)
            if plan.vanished:
                self._store.write(lambda tx: tx.forget(plan.vanished))
        return self._summary(plan, looked_at, changed)

    def unread(self, before_ns: int) -> list[str]:
        """Return files that were saved before the given time and have not been read since."""
        plan = self._plan()
        return [
            source.path
            for source in plan.changed
            if source.modified_ns < before_ns
            and (
                (mark := plan.known.get(source.path)) is None
                or (mark.mtime_ns, mark.size) != (source.modified_ns, source.size)
            )
        ]

    def close(self) -> None:
        """Stop after the current batch; the other files are read the next time."""
        self._closing.set()

    def _known(self) -> dict[str, FileMark]:
        with self._store.read() as reader:
            return reader.files()

    def _plan(self) -> RefreshPlan:
        with self._store.read() as reader:
            return self.plan(reader)

    def plan(self, reader: PassageReader) -> RefreshPlan:
        """Compare the files with their marks, without opening them.

        The marks are read before the files are listed, so that a file that another process reads in
        the meantime is not mistaken for a deleted one.
        """
        known = reader.files()
        sources = list(self._sources())
        changed = [source for source in sources if not source.is_known(known.get(source.path))]
        changed.sort(key=lambda source: source.order)
        return RefreshPlan(len(sources), changed, _vanished_files(sources, known), known)

    def _read(
        self, plan: RefreshPlan, deadline: float | None, progress: Progress
    ) -> tuple[int, int]:
        """Read changed files and store their passages, in batches.

        Return how many files were looked at, and how many of them had changed.
        """
        batch: list[ReadFile | FileMark | str] = []
        looked_at = changed = size = 0
        for source in plan.changed:
            if self._closing.is_set() or (deadline is not None and monotonic() > deadline):
                break
            known = plan.known.get(source.path)
            content = source.read(known)
            looked_at += 1
            changed += isinstance(content, ReadFile)
            if content is None or content != known:
                batch.append(source.path if content is None else content)
                size += source.size
            if size >= _BATCH_BYTES:
                self._store_batch(batch)
                progress(looked_at, len(plan.changed))
                batch, size = [], 0
        if batch:
            self._store_batch(batch)
            progress(looked_at, len(plan.changed))
        return looked_at, changed

    def _store_batch(self, batch: Sequence[ReadFile | FileMark | str]) -> None:
        if changed := [(item.mark, item.passages) for item in batch if isinstance(item, ReadFile)]:
            self._store.write(lambda tx: tx.replace(changed))
        if marks := [item for item in batch if isinstance(item, FileMark)]:
            self._store.write(lambda tx: tx.update_marks(marks))
        if removed_paths := [item for item in batch if isinstance(item, str)]:
            self._store.write(lambda tx: tx.forget(removed_paths))

    def _summary(
        self, plan: RefreshPlan, looked_at: int = 0, changed_count: int = 0
    ) -> RefreshReport:
        with self._store.read() as reader:
            marks = reader.files()
            files, passages = reader.counts()
            without_vector = reader.vector_state().pending
        return RefreshReport(
            read=changed_count,
            unchanged=plan.listed - len(plan.changed) + looked_at - changed_count,
            forgotten=len(plan.vanished),
            files=files,
            passages=passages,
            without_vector=without_vector,
            waiting=len(plan.changed) - looked_at,
            problems=read_problems(marks.values()),
        )

    @contextmanager
    def _locked(self, seconds: float | None) -> Iterator[bool]:
        """Lock out other threads and processes; yield whether that succeeded in time.

        If the lock file cannot be created, the folder is read-only and the passages are private to
        this process, so no lock is needed.
        """
        timeout = -1 if seconds is None else max(0, seconds)
        if not self._mutex.acquire(timeout=timeout):
            yield False
            return
        with ExitStack() as stack:
            stack.callback(self._mutex.release)
            try:
                acquired = stack.enter_context(exclusive_lock_within(self._lock, seconds))
            except RememError:
                acquired = True
            yield acquired


def read_problems(marks: Iterable[FileMark]) -> tuple[ReadProblem, ...]:
    """Return the problems of files that could not be read, sorted by path."""
    return tuple(
        ReadProblem(mark.path, mark.problem)
        for mark in sorted(marks, key=lambda mark: mark.path)
        if mark.problem
    )


def _vanished_files(sources: Sequence[SourceFile], marks: dict[str, FileMark]) -> list[str]:
    """Return the files that no longer exist, except those in folders that cannot be listed."""
    present = {source.path for source in sources}
    hidden = tuple(f"{source.path}/" for source in sources if source.is_unlistable)
    return [path for path in marks if path not in present and not path.startswith(hidden)]
