"""Keep the store, the domain files and the vectors in sync around reads and writes.

Hand edits are stored, expired entries archived, files written and vectors made: immediately, or
on background threads while a server runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from remem.entries.background import (
    MAX_URGENT_SECONDS,
    MAX_URGENT_TEXTS,
    BackgroundTask,
    VectorMaker,
    alternating,
)
from remem.entries.domain_sync.projector import Projector
from remem.entries.expiry import expire, is_expiry_due
from remem.entries.vectors import has_models, request_vectors
from remem.errors import EmbedderError, RememError, StoreBusy, StoreError
from remem.model.entry import Filter
from remem.ports import Clock, without_waiting
from remem.ports.entries import Snapshot, Store
from remem.ports.models import Embedder
from remem.ports.state import LOSS, RECOVERY
from remem.text.words import search_terms

_MAX_BEFORE_RECALL: Final = 64
"""Up to this many vectors are made before an answer rather than after it."""
_MAX_QUICK: Final = 20_000
"""Up to this many quick vectors, which take about a second."""
_REST_FACTOR: Final = 5.0
"""While stores keep coming, their files are written together, in a sixth of the time at most."""
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
    _vectors: VectorMaker[str] = field(init=False)
    _sync_error: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._file_task = BackgroundTask(self._write_files, "remem files", rest_factor=_REST_FACTOR)
        self._vectors = VectorMaker(self.store, self.embedders, "remem vectors")

    def start(self) -> None:
        """Store hand edits and write pending files from the time when the scope was closed."""
        if not self.store.writable:
            return
        try:
            with without_waiting():
                self.files.sweep()
                self.files.catch_up()
                self._record_loss()
        except StoreError as error:  # the files can still be searched
            self._sync_error = str(error)
        self._make_vectors_in_background()

    def before_read(self) -> None:
        """Store hand edits and archive expired entries.

        If this cannot be written, `problems` says why and the read continues without it: a reader
        does not wait for another process that has locked the database.
        """
        if not self.store.writable:
            return
        try:
            with without_waiting() as refused:
                edited = self.files.store_hand_edits()
                self._record_loss()
                expired = expire(self.store, self.clock(), self.topics)
                if edited or expired:
                    self.after_write()
            self._sync_error = refused[0] if refused else None
        except RememError as error:
            self._sync_error = str(error)

    def is_due(self, snapshot: Snapshot, ids: Sequence[str] = ()) -> bool:
        """Return whether `before_recall` has anything to do for a reader of this snapshot."""
        if not self.store.writable:
            return False
        try:
            return (
                self._sync_error is not None
                or self.files.has_hand_edits()
                or snapshot.record(LOSS) is not None
                or is_expiry_due(snapshot, self.clock())
                or bool(ids and _faded(snapshot, ids))
                or self._lacks_vectors(snapshot)
            )
        except RememError:  # `before_recall` fails too, and `problems` then says why
            return True

    def _lacks_vectors(self, snapshot: Snapshot) -> bool:
        if not self.embedders or self._is_embedder_down:
            return False
        try:
            if not has_models(snapshot, *self.embedders):
                return True
        except EmbedderError as error:
            self._vectors.model_problem = str(error)
            return False
        return snapshot.vector_state().pending > 0

    @property
    def _is_embedder_down(self) -> bool:
        """Whether the background thread retries an embedder, so that nobody else needs to."""
        return self.background and self._vectors.model_problem is not None

    def before_recall(self, ids: Sequence[str] = (), question: str = "") -> None:
        """Embed a few pending entries, so that new ones are found by meaning.

        If many are pending, those that may answer the question are embedded, and if no background
        thread runs, the others get quick vectors. A recall does not wait for an embedder that is
        down while the background thread retries it. Faded entries among `ids`, which are about to
        be read, are restored.
        """
        self.before_read()
        self._embed_some(question)
        if ids and self.store.writable:
            self._restore_faded(ids)

    def _restore_faded(self, ids: Sequence[str]) -> None:
        with self.store.read() as snapshot:
            if not _faded(snapshot, ids):
                return
        from remem.entries.lifecycle import revive_read  # faded entries are rarely read

        # While another program has locked the database, the entries are only read; they are
        # restored later.
        with suppress(StoreBusy), without_waiting():
            self.store.write(lambda tx: revive_read(tx, ids, self.clock(), self.topics))
            self.after_write()

    def _embed_some(self, question: str) -> None:
        if not self.embedders or not self.store.writable or self._is_embedder_down:
            return
        try:
            with without_waiting():
                request_vectors(self.store, *self.embedders)
                with self.store.read() as snapshot:
                    pending = snapshot.vector_state().pending
                if 0 < pending <= _MAX_BEFORE_RECALL:
                    self.store.write(lambda _tx: None)  # fail now rather than after embedding
                    self.embed_pending()
                elif pending:
                    if pending <= _MAX_QUICK and not self.background:
                        self._vectors.make_quick()
                    self._embed_candidates(question)
        except RememError as error:
            self._vectors.model_problem = str(error)
        else:
            self._vectors.model_problem = None

    def _embed_candidates(self, question: str) -> None:
        """Embed the entries that may answer a question before the others."""
        if not question or self.embedders[0].embed_quickly([]) is None:
            return  # a model on a server may be slow
        query = self.embedders[0].embed_query(question).pooled
        identity = self.embedders[0].identity
        with self.store.read() as snapshot:
            words = snapshot.keyword(search_terms(question), Filter(), MAX_URGENT_TEXTS).hits
            near = snapshot.nearest(identity, query, Filter(), MAX_URGENT_TEXTS)
        self._vectors.make_first(alternating(words, near), MAX_URGENT_SECONDS)

    def before_file_read(self) -> str | None:
        """Write the pending files, so that a caller who reads a file sees their own writes.

        Return why that was not possible.
        """
        if not self.store.writable:
            return None
        try:
            with without_waiting() as refused:
                written = self.files.write_pending_files(within=_TIMEOUT_SECONDS)
        except RememError as error:
            return str(error)
        if not written:
            return "another process is writing the files"
        return next(iter((*refused, *self.files.problems.values())), None)

    @property
    def behind(self) -> str | None:
        """Why the last read may lack a recent hand edit."""
        return self._sync_error

    def after_write(self) -> None:
        """Write the files now, or write the files and make the vectors in the background."""
        if self.background:
            self._file_task.wake()
            self._make_vectors_in_background()
        else:
            self.files.write_pending_files()

    def after_rebuild(self) -> None:
        self.files.catch_up()
        self._vectors.reset_quick()
        self._make_vectors_in_background()

    def embed_pending(self, progress: Callable[[int], None] = lambda _done: None) -> int:
        """Make every missing vector now; return how many were made."""
        return self._vectors.make_all(progress)

    def problems(self) -> list[str]:
        """Return the reasons why something could not be done."""
        reasons = [
            self.store.problem,
            *self.files.problems.values(),
            self._sync_error,
            self._file_task.problem,
            *self._vectors.problems,
            *self._losses(),
        ]
        return [reason for reason in reasons if reason]

    def close(self) -> None:
        """Finish what is under way; what is left is done the next time the workspace is opened."""
        self._file_task.close()
        self._vectors.close()
        if self.store.writable:
            with without_waiting():
                self.files.write_pending_files()

    def _record_loss(self) -> None:
        """Record lost entries once all files have been read.

        Missing entries may be in a file that cannot be read.
        """
        if self.files.problems or not self.files.is_current:
            return
        with self.store.read() as snapshot:
            if snapshot.record(LOSS) is None:
                return
        from remem.entries.domain_sync.recovery import record_loss  # rarely needed

        self.store.write(lambda tx: record_loss(tx, self.clock()))

    def _losses(self) -> list[str]:
        """Return sentences about lost entries, until the doctor has reported them."""
        try:
            with self.store.read() as snapshot:
                recovery = snapshot.record(RECOVERY)
        except StoreError:  # `problems` says why
            return []
        return recovery.sentences if recovery is not None and recovery.missing else []

    def _write_files(self) -> bool:
        with without_waiting() as refused:
            self.files.catch_up()
            self._record_loss()
        if refused:
            raise StoreBusy(refused[0])
        return False

    def _make_vectors_in_background(self) -> None:
        if self.background and self.embedders and self.store.writable:
            self._vectors.make_in_background()


def _faded(snapshot: Snapshot, ids: Sequence[str]) -> bool:
    """Return whether any of these entries was archived by decay."""
    return any(entry.faded for entry in snapshot.find(ids).values())
