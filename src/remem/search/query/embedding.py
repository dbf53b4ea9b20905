"""What does a model make of a question? Vectors, or the reason why there are none in time.

Who still waits for a model's vector, and what finds him until then?
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from remem.errors import EmbedderError, EmbedderLate
from remem.ports.entries import Snapshot
from remem.ports.models import Embedder, ModelIdentity, QueryEmbedding, require_comparable


def who_waits(snapshot: Snapshot, models: Iterable[ModelIdentity]) -> list[str]:
    """What an answer says of it."""
    waiting = snapshot.pending_count()
    if not waiting:
        return []
    quick = max((snapshot.quick_count(model) for model in models), default=0)
    notes = []
    if quick:
        notes.append(f"{quick} entries have a quick vector until the model has read them")
    if waiting > quick:
        notes.append(f"{waiting - quick} entries have no vector yet; keywords find them")
    return notes


T = TypeVar("T")

UNREAD: Final = (
    "no model here reads this language; `remem models fetch multilingual` brings one that does"
)


@dataclass(frozen=True, slots=True)
class Sense:
    """The question as a model sees it, and whose vectors it may be compared with."""

    embedder: Embedder
    query: QueryEmbedding


@dataclass(frozen=True, slots=True)
class Model:
    """The models that encode, and those on standby whose vectors may still serve while theirs
    are made.

    `without` says why there is none.
    """

    embedders: Sequence[Embedder]
    without: str | None
    standby: Sequence[Embedder] = ()

    def knows(self, word: str) -> bool:
        """Whether a word is right as it is, although no memory holds it."""
        try:
            return any(embedder.knows(word) for embedder in self.embedders)
        except EmbedderError:  # who encodes the question tells what is wrong with the model
            return False

    def sense(self, text: str, covered: Mapping[ModelIdentity, int]) -> Sense | str | None:
        """The question's vectors, from the model that knows its language and has vectors to
        compare them with; else why there are none, or None where nothing has a vector yet.
        Raises EmbedderError."""
        if not self.embedders:
            return self.without or "no model is configured"
        literate = [
            embedder for embedder in (*self.embedders, *self.standby) if embedder.reads(text)
        ]
        if not literate:
            return UNREAD
        embedder = self._chosen(literate, text, covered)
        if embedder is None:
            return None
        query = embedder.embed_query(text)
        require_comparable(query.pooled, embedder.identity)
        return Sense(embedder, query)

    def begin(self, text: str, covered: Mapping[ModelIdentity, int]) -> Begun:
        """The same, while the caller does something else."""
        work = _Work(lambda: self.sense(text, covered))
        if self.embedders:
            work.start()
        else:  # there is nothing to wait for
            work.run()
        return Begun(text, covered, work)

    def _chosen(
        self, literate: Sequence[Embedder], text: str, covered: Mapping[ModelIdentity, int]
    ) -> Embedder | None:
        """Of those that have vectors of most texts, or half as many, the one that knows the
        language best; one on standby only where it has more than any other. One that cannot
        even name itself does not stand in the way of the others."""
        counts: dict[Embedder, int] = {}
        unavailable: EmbedderError | None = None
        for each in literate:
            try:
                counts[each] = covered.get(each.identity, 0)
            except EmbedderError as error:
                unavailable = error
        most = max((counts.get(embedder, 0) for embedder in self.embedders), default=0)
        better = [embedder for embedder in self.standby if counts.get(embedder, 0) > most]
        if better:
            return max(better, key=counts.__getitem__)
        enough = [
            embedder for embedder in self.embedders if counts.get(embedder, 0) * 2 >= max(most, 1)
        ]
        if enough:
            return max(enough, key=lambda each: each.reads(text))
        if unavailable is not None:
            raise unavailable
        return None


class _Work(threading.Thread, Generic[T]):
    """One piece of work in a thread that dies with the process."""

    def __init__(self, work: Callable[[], T]) -> None:
        super().__init__(name="remem sense", daemon=True)
        self._work = work
        self.result: T | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self._work()
        except BaseException as error:  # noqa: BLE001 - whoever waits hears of it
            self.error = error

    def wait(self) -> T | None:
        if self.is_alive():
            self.join()
        if self.error is not None:
            raise self.error
        return self.result


@dataclass(frozen=True, slots=True)
class Begun:
    """A question that a model is reading."""

    text: str
    covered: Mapping[ModelIdentity, int]
    work: _Work[Sense | str | None]

    def serves(self, text: str, covered: Mapping[ModelIdentity, int]) -> bool:
        """Whether it is the same question still, with the same vectors to compare it with."""
        return self.text == text and self.covered == covered

    def wait(self) -> Sense | str | None:
        """What `sense` returns, or raises."""
        return self.work.wait()


class Patience:
    """Waits so many seconds for a model, and not at all while it still works on another question:
    a model that hangs must not gather threads."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._under_way: threading.Thread | None = None

    def __call__(self, work: Callable[[], T]) -> T | None:
        worker = _Work(work)
        with self._lock:
            if self._under_way is not None and self._under_way.is_alive():
                raise EmbedderLate("the model still works on an earlier question")
            worker.start()
        worker.join(self.seconds)
        if worker.is_alive():
            with self._lock:
                self._under_way = worker
            raise EmbedderLate(f"the model did not answer within {self.seconds:g} seconds")
        return worker.wait()
