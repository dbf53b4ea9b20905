"""Does search know what the files say? It looks before each search, and in between.

Keywords find a file as soon as it is read; its vectors are made when there is time.

Who notices that a file was saved? A look at all of them now and then, while a server runs.

A look costs some milliseconds for a thousand files, works on every file system and needs no
watches of the kernel; the pause grows with what it costs, so that it stays under one percent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from remem.entries import vectors
from remem.entries.sync import Background
from remem.entries.vectors import Quickly
from remem.errors import RememError, StoreDamaged, WordsDamaged
from remem.ports.models import Embedder
from remem.ports.passages import PassageStore
from remem.search.refresh.refresh import Refresh, Refreshed

_FIRST: Final = 0.05  # whoever opens a memory only for a moment is not kept waiting
_PAUSE: Final = 2.0
_SHARE: Final = 100.0
_LONGEST: Final = 60.0


class Watch:
    """Calls `look` again and again in a thread; what it raises is kept in `trouble`."""

    def __init__(self, look: Callable[[], None], name: str) -> None:
        self._look = look
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.trouble: str | None = None

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        pause = _FIRST
        while not self._closing.wait(pause):
            started = monotonic()
            try:
                self._look()
                self.trouble = None
            except RememError as error:
                self.trouble = str(error)
            pause = min(_LONGEST, max(_PAUSE, _SHARE * (monotonic() - started)))


_SOON: Final = 10.0
"""So many seconds a search waits for files that are still to be read."""
_AT_ONCE: Final = 8
"""So many vectors are made before a search rather than after it."""


@dataclass
class Freshness:
    """The passages of one scope, and who keeps them up to date."""

    store: PassageStore
    refresh: Refresh
    embedders: Sequence[Embedder]
    background: bool
    _watch: Watch = field(init=False)
    _embedding: Background = field(init=False)
    _quickly: Quickly = field(default_factory=Quickly, init=False)
    _failed: str | None = field(default=None, init=False)
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._watch = Watch(self._look, "remem watch")
        self._embedding = Background(self._make_some_vectors, "remem passage vectors")

    def start(self) -> None:
        if self.background:
            self._watch.start()

    def before_search(self) -> str | None:
        """Take in what was saved since the last time; returns why search may be out of date,
        or None. Where nothing can be read anew, what is known is searched all the same."""
        self.store.reopen()
        try:
            done = self._refreshed()
            self._failed = None
        except RememError as error:
            self._failed = str(error)
            return self._failed
        self._after(done)
        if done.waiting:
            return f"{done.waiting} changed files are still to be read"
        return self.store.take_notice()

    def run(self, progress: Callable[[int, int], None]) -> Refreshed:
        """Bring search up to date, however long it takes."""
        done = self.refresh(progress)
        self._failed = None
        if self.background:
            self._embedding.poke()
        return done

    def begin_anew(self) -> Refreshed:
        """Forget what is known of every file, and read them all."""
        with self.store.read() as reading:
            known = list(reading.files())
        self.store.forget(known)
        return self.run(lambda _done, _of: None)

    def embed(self, progress: Callable[[int], None] = lambda _done: None) -> int:
        """Make every missing vector now."""
        if not self.embedders:
            return 0
        queue = vectors.passages_of(self.store)
        with self._one_at_a_time:
            self._quickly(queue, self.embedders)
            made = vectors.embed_pending(queue, *self.embedders, progress=progress)
        self._embedding.trouble = None
        return made

    def trouble(self) -> list[str]:
        reasons = [
            self.store.trouble,
            self._failed or self._watch.trouble,
            self._embedding.trouble,
            self._quickly.trouble,
        ]
        return [reason for reason in reasons if reason]

    def close(self) -> None:
        """Stop; what is not finished is done on the next open."""
        self.refresh.close()
        self._watch.close()
        self._embedding.close()
        self.store.close()

    def _refreshed(self) -> Refreshed:
        """Passages that turn out to be damaged are begun anew, and filled at once."""
        try:
            return self.refresh(seconds=_SOON)
        except (StoreDamaged, WordsDamaged):
            return self.refresh(seconds=_SOON)

    def _look(self) -> None:
        done = self.refresh()
        if done.without_vector:
            self._embedding.poke()

    def _after(self, done: Refreshed) -> None:
        """Who asks soon after he saved a line finds it by meaning too; for more than a few
        lines nobody waits, nor for an embedder that is down."""
        if not self.embedders or not done.without_vector:
            return
        if self.background:
            self._embedding.poke()
            if self._embedding.trouble is not None:
                return
        if done.without_vector <= _AT_ONCE:
            try:
                self.embed()
            except RememError as error:
                self._embedding.trouble = str(error)

    def _make_some_vectors(self) -> bool:
        if not self.embedders:
            return False
        queue = vectors.passages_of(self.store)
        with self._one_at_a_time:
            self._quickly(queue, self.embedders)
            made = vectors.embed_pending(queue, *self.embedders, limit=vectors.BATCH)
        return made >= vectors.BATCH
