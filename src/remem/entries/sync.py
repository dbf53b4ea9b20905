"""What happens around every read and write? Edits are taken in, expired entries archived,
files written and vectors made: at once, or in the background while a server runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from remem.core.recovery import RECOVERY_NOTE, recovery_from
from remem.errors import RememError, StoreBusy, StoreError
from remem.maintenance import vectors
from remem.maintenance.background import Background
from remem.maintenance.lifecycle import expire
from remem.maintenance.projection.run import Projector
from remem.maintenance.quickly import Quickly
from remem.ports import Clock, Embedder, Store

_AT_ONCE: Final = 64
"""So many vectors are made before an answer rather than after it."""
_QUICKLY: Final = 20_000
"""And so many quick ones, which take a second."""
_SOON: Final = 10.0
"""Seconds that a reader of a file waits for another process that is writing files."""


@dataclass
class Upkeep:
    """Everything that nobody asked for and everybody relies on."""

    store: Store
    files: Projector
    embedders: Sequence[Embedder]
    clock: Clock
    topics: tuple[str, ...]
    background: bool
    _projecting: Background = field(init=False)
    _embedding: Background = field(init=False)
    _quickly: Quickly = field(default_factory=Quickly, init=False)
    _keeping_up: str | None = field(default=None, init=False)
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._projecting = Background(self._write_files, "remem files")
        self._embedding = Background(self._make_some_vectors, "remem vectors")

    def start(self) -> None:
        """Catch up with what happened while nobody looked."""
        if not self.store.writable:
            return
        try:
            with self.store.hurried():
                self.files.sweep()
                self.files.catch_up()
                self._account_for_loss()
        except StoreError as error:  # the files can be searched all the same
            self._keeping_up = str(error)
        if self.background:
            self._embedding.poke()

    def before_read(self) -> None:
        """Edits by hand count from now on, and what has expired does not.

        Where that cannot be written, `trouble` says why, and what is there is read all the same:
        who reads does not wait for another program that holds the database.
        """
        if not self.store.writable:
            return
        try:
            with self.store.hurried() as refused:
                edited = self.files.take_in()
                self._account_for_loss()
                expired = expire(self.store, self.clock(), self.topics)
                if edited or expired:
                    self.after_write()
            self._keeping_up = refused[0] if refused else None
        except RememError as error:
            self._keeping_up = str(error)

    def before_recall(self) -> None:
        """Who asks soon after he stored finds by meaning too: a few vectors are made first, or,
        where many wait and nobody makes them in the background, quick ones.

        Nobody waits for an embedder that is down while the background tries it again.
        """
        self.before_read()
        is_down = self.background and self._embedding.trouble is not None
        if not self.embedders or not self.store.writable or is_down:
            return
        try:
            with self.store.hurried():
                vectors.want(vectors.entries_of(self.store), *self.embedders)
                with self.store.read() as snapshot:
                    waiting = snapshot.pending_count()
                if 0 < waiting <= _AT_ONCE:
                    self.store.write(lambda _tx: None)  # or they would be made, and not kept
                    self.embed_pending()
                elif waiting <= _QUICKLY and not self.background:
                    self._quickly(vectors.entries_of(self.store), self.embedders)
        except RememError as error:
            self._embedding.trouble = str(error)
        else:
            self._embedding.trouble = None

    def before_file(self) -> str | None:
        """Write the files that wait, so that whoever reads one sees their own writes; returns
        why that could not be done."""
        if not self.store.writable:
            return None
        try:
            with self.store.hurried() as refused:
                written = self.files.write_out(within=_SOON)
        except RememError as error:
            return str(error)
        if not written:
            return "another process has been writing the files for a while"
        return next(iter((*refused, *self.files.trouble.values())), None)

    @property
    def behind(self) -> str | None:
        """Why what was last read may lack an edit that somebody made by hand."""
        return self._keeping_up

    def after_write(self) -> None:
        """The files at once, the vectors when there is time."""
        if self.background:
            self._projecting.poke()
            self._embedding.poke()
        else:
            self.files.write_out()

    def after_rebuild(self) -> None:
        self.files.catch_up()
        self._quickly = Quickly()  # rows have other numbers now
        if self.background:
            self._embedding.poke()

    def embed_pending(self, progress: Callable[[int], None] = lambda _done: None) -> int:
        if not self.embedders:
            return 0
        queue = vectors.entries_of(self.store)
        self._quickly(queue, self.embedders)
        done = vectors.embed_pending(queue, *self.embedders, progress=progress)
        self._embedding.trouble = None
        return done

    def trouble(self) -> list[str]:
        """What could not be done, and why."""
        reasons = [
            self.store.trouble,
            *self.files.trouble.values(),
            self._keeping_up,
            self._projecting.trouble,
            self._embedding.trouble,
            self._quickly.trouble,
            *self._losses(),
        ]
        return [reason for reason in reasons if reason]

    def close(self) -> None:
        """Finish what is under way; what is not finished is done on the next open."""
        self._projecting.close()
        self._embedding.close()
        if self.store.writable:
            with self.store.hurried():
                self.files.write_out()

    def _account_for_loss(self) -> None:
        """After the files were taken in: a file that could not be read may hold the rest."""
        if self.store.shortfall() is None or self.files.trouble or not self.files.is_current:
            return
        from remem.maintenance.projection.recovering import account_for_loss  # seldom needed

        account_for_loss(self.store, self.clock())

    def _losses(self) -> list[str]:
        """What was acknowledged and is nowhere, until the owner has been told by the doctor."""
        try:
            with self.store.read() as snapshot:
                found = recovery_from(snapshot.note(RECOVERY_NOTE))
        except StoreError:  # `trouble` says why
            return []
        return found.sentences if found is not None and found.missing else []

    def _write_files(self) -> bool:
        with self.store.hurried() as refused:
            self.files.catch_up()
            self._account_for_loss()
        if refused:
            raise StoreBusy(refused[0])
        return False

    def _make_some_vectors(self) -> bool:
        if not self.embedders or not self.store.writable:
            return False
        with self._one_at_a_time:
            queue = vectors.entries_of(self.store)
            self._quickly(queue, self.embedders)
            made = vectors.embed_pending(queue, *self.embedders, limit=vectors.BATCH)
        return made >= vectors.BATCH
