"""What happens around every read and write? Edits are taken in, expired entries archived,
files written and vectors made: at once, or in the background while a server runs.

Who does what nobody waits for? One thread per workspace: files first, then vectors.
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
from remem.entries.vectors import Quickly
from remem.errors import RememError, StoreBusy, StoreError
from remem.model.recovery import RECOVERY_NOTE, recovery_from
from remem.ports import Clock
from remem.ports.entries import Store
from remem.ports.models import Embedder

_PAUSE: Final = 0.05
_SHARE: Final = 3.0
"""It rests three times as long as it worked: callers come first."""
_AFTER_FAILURE: Final = 30.0


class Background:
    """Runs `work` after each `poke`, a moment later, so that a burst is one piece of work.

    `work` returns True while there is more to do. What it raises is kept in `trouble`,
    and tried again after a while.
    """

    def __init__(self, work: Callable[[], bool], name: str) -> None:
        self._work = work
        self._name = name
        self._poked = threading.Event()
        self._closing = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self.trouble: str | None = None

    def poke(self) -> None:
        """Cheap when it is poked already: every store does this."""
        if self._poked.is_set() or self._closing.is_set():
            return
        self._poked.set()
        if self._thread is None:
            with self._starting:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                    self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._poked.set()
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
                self._closing.wait(_AFTER_FAILURE)
                more = True
            self._closing.wait(_SHARE * (monotonic() - started))
            if more:
                self.poke()

    def _wait(self) -> bool:
        self._poked.wait()
        self._closing.wait(_PAUSE)
        self._poked.clear()
        return not self._closing.is_set()


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
        from remem.entries.domain_sync.recovering import account_for_loss  # seldom needed

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
