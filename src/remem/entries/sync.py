"""Keeps the store, the domain files and the vectors in sync around reads and writes.

Hand edits are stored, expired entries archived, files written and vectors made: immediately, or
on background threads while a server runs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from remem.entries import vectors
from remem.entries.domain_sync.projector import Projector
from remem.entries.lifecycle import expire
from remem.entries.vectors import QuickVectors
from remem.errors import RememError, StoreBusy, StoreError
from remem.model.recovery import RECOVERY_NOTE, recovery_from
from remem.ports import Clock
from remem.ports.entries import Store
from remem.ports.models import Embedder

_DELAY_SECONDS: Final = 0.05
_REST_FACTOR: Final = 3.0
"""The thread rests three times as long as it worked, to leave the CPU to callers."""
_RETRY_SECONDS: Final = 30.0


class BackgroundTask:
    """Runs `work` shortly after each `wake`, so that a burst of calls is handled at once.

    `work` returns True while there is more to do. If it raises, the error is kept in `trouble`
    and the work is repeated after a while.
    """

    def __init__(self, work: Callable[[], bool], name: str) -> None:
        self._work = work
        self._name = name
        self._wanted = threading.Event()
        self._closing = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self.trouble: str | None = None

    def wake(self) -> None:
        """Ask for a run. Cheap if one is pending already, because every store calls this."""
        if self._wanted.is_set() or self._closing.is_set():
            return
        self._wanted.set()
        if self._thread is None:
            with self._starting:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                    self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._wanted.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while self._wait():
            started = monotonic()
            try:
                more = self._work()
                self.trouble = None
            except RememError as error:
                self.trouble = str(error)
                self._closing.wait(_RETRY_SECONDS)
                more = True
            self._closing.wait(_REST_FACTOR * (monotonic() - started))
            if more:
                self.wake()

    def _wait(self) -> bool:
        self._wanted.wait()
        self._closing.wait(_DELAY_SECONDS)
        self._wanted.clear()
        return not self._closing.is_set()


_MAX_BEFORE_RECALL: Final = 64
"""Up to this many vectors are made before an answer rather than after it."""
_MAX_QUICK: Final = 20_000
"""Up to this many quick vectors, which take about a second."""
_TIMEOUT_SECONDS: Final = 10.0
"""How long a reader of a file waits for another process that is writing files."""


@dataclass
class Sync:
    """Keeps one scope's files and vectors in sync with its store."""

    store: Store
    files: Projector
    embedders: Sequence[Embedder]
    clock: Clock
    topics: tuple[str, ...]
    background: bool
    _file_task: BackgroundTask = field(init=False)
    _vector_task: BackgroundTask = field(init=False)
    _quick_vectors: QuickVectors = field(default_factory=QuickVectors, init=False)
    _sync_error: str | None = field(default=None, init=False)
    _embed_lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._file_task = BackgroundTask(self._write_files, "remem files")
        self._vector_task = BackgroundTask(self._embed_batch, "remem vectors")

    def start(self) -> None:
        """Catch up with what happened while the scope was closed."""
        if not self.store.writable:
            return
        try:
            with self.store.without_waiting():
                self.files.sweep()
                self.files.catch_up()
                self._record_loss()
        except StoreError as error:  # the files can still be searched
            self._sync_error = str(error)
        if self.background:
            self._vector_task.wake()

    def before_read(self) -> None:
        """Store hand edits and archive expired entries.

        If that cannot be written, `trouble` says why and the read goes on without it: a reader
        does not wait for another process that has locked the database.
        """
        if not self.store.writable:
            return
        try:
            with self.store.without_waiting() as refused:
                edited = self.files.store_hand_edits()
                self._record_loss()
                expired = expire(self.store, self.clock(), self.topics)
                if edited or expired:
                    self.after_write()
            self._sync_error = refused[0] if refused else None
        except RememError as error:
            self._sync_error = str(error)

    def before_recall(self) -> None:
        """Embed a few pending entries, so that new ones are found by meaning.

        If many are pending and no background thread runs, they get quick vectors. A recall does
        not wait for an embedder that is down while the background thread retries it.
        """
        self.before_read()
        is_down = self.background and self._vector_task.trouble is not None
        if not self.embedders or not self.store.writable or is_down:
            return
        try:
            with self.store.without_waiting():
                vectors.request_vectors(vectors.entry_queue(self.store), *self.embedders)
                with self.store.read() as snapshot:
                    pending = snapshot.pending_count()
                if 0 < pending <= _MAX_BEFORE_RECALL:
                    self.store.write(lambda _tx: None)  # fail now rather than after embedding
                    self.embed_pending()
                elif pending <= _MAX_QUICK and not self.background:
                    self._quick_vectors(vectors.entry_queue(self.store), self.embedders)
        except RememError as error:
            self._vector_task.trouble = str(error)
        else:
            self._vector_task.trouble = None

    def before_file_read(self) -> str | None:
        """Write the pending files, so that a caller who reads one sees their own writes; returns
        why that was not possible."""
        if not self.store.writable:
            return None
        try:
            with self.store.without_waiting() as refused:
                written = self.files.write_pending_files(within=_TIMEOUT_SECONDS)
        except RememError as error:
            return str(error)
        if not written:
            return "another process is writing the files"
        return next(iter((*refused, *self.files.trouble.values())), None)

    @property
    def behind(self) -> str | None:
        """Why the last read may lack a recent hand edit."""
        return self._sync_error

    def after_write(self) -> None:
        """Write the files now, or files and vectors in the background."""
        if self.background:
            self._file_task.wake()
            self._vector_task.wake()
        else:
            self.files.write_pending_files()

    def after_rebuild(self) -> None:
        self.files.catch_up()
        self._quick_vectors = QuickVectors()  # the row numbers have changed
        if self.background:
            self._vector_task.wake()

    def embed_pending(self, progress: Callable[[int], None] = lambda _done: None) -> int:
        if not self.embedders:
            return 0
        queue = vectors.entry_queue(self.store)
        self._quick_vectors(queue, self.embedders)
        done = vectors.embed_pending(queue, *self.embedders, progress=progress)
        self._vector_task.trouble = None
        return done

    def trouble(self) -> list[str]:
        """The reasons why something could not be done."""
        reasons = [
            self.store.trouble,
            *self.files.trouble.values(),
            self._sync_error,
            self._file_task.trouble,
            self._vector_task.trouble,
            self._quick_vectors.trouble,
            *self._losses(),
        ]
        return [reason for reason in reasons if reason]

    def close(self) -> None:
        """Finish what is under way; the rest is done on the next open."""
        self._file_task.close()
        self._vector_task.close()
        if self.store.writable:
            with self.store.without_waiting():
                self.files.write_pending_files()

    def _record_loss(self) -> None:
        """Record lost entries once all files were read; an unreadable file may have the rest."""
        if self.store.shortfall() is None or self.files.trouble or not self.files.is_current:
            return
        from remem.entries.domain_sync.recovery import record_loss  # seldom needed

        record_loss(self.store, self.clock())

    def _losses(self) -> list[str]:
        """Sentences about lost entries, until the doctor has reported them."""
        try:
            with self.store.read() as snapshot:
                found = recovery_from(snapshot.get_state(RECOVERY_NOTE))
        except StoreError:  # `trouble` says why
            return []
        return found.sentences if found is not None and found.missing else []

    def _write_files(self) -> bool:
        with self.store.without_waiting() as refused:
            self.files.catch_up()
            self._record_loss()
        if refused:
            raise StoreBusy(refused[0])
        return False

    def _embed_batch(self) -> bool:
        if not self.embedders or not self.store.writable:
            return False
        with self._embed_lock:
            queue = vectors.entry_queue(self.store)
            self._quick_vectors(queue, self.embedders)
            made = vectors.embed_pending(queue, *self.embedders, limit=vectors.BATCH_SIZE)
        return made >= vectors.BATCH_SIZE
