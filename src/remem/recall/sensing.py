"""What does a model make of a question? Vectors, or the reason why there are none in time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from remem.errors import EmbedderError, EmbedderLate
from remem.ports import Embedder, ModelIdentity, QueryEmbedding
from remem.recall.comparable import require_comparable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sense:
    """The question as a model sees it, and whose vectors it may be compared with."""

    embedder: Embedder
    query: QueryEmbedding


@dataclass(frozen=True, slots=True)
class Model:
    """The wanted model first, then those whose vectors may still serve while its own are made.

    `without` says why there is none.
    """

    embedders: Sequence[Embedder]
    without: str | None

    def sense(self, text: str, covered: Mapping[ModelIdentity, int]) -> Sense | str | None:
        """The question's vectors, from the model that most has vectors of; else why there are
        none, or None where nothing has a vector yet. Raises EmbedderError."""
        if not self.embedders:
            return self.without or "no model is configured"
        embedder = self._most_covered(covered)
        if embedder is None:
            return None
        if not embedder.reads(text):
            return "the model does not read this script"
        query = embedder.embed_query(text)
        require_comparable(query.pooled, embedder.identity)
        return Sense(embedder, query)

    def _most_covered(self, covered: Mapping[ModelIdentity, int]) -> Embedder | None:
        """One that cannot even name itself does not stand in the way of the others."""
        counts: dict[Embedder, int] = {}
        unavailable: EmbedderError | None = None
        for each in self.embedders:
            try:
                counts[each] = covered.get(each.identity, 0)
            except EmbedderError as error:
                unavailable = error
        best = max(counts, key=lambda each: counts[each], default=None)
        if best is not None and counts[best]:
            return best
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
        if worker.error is not None:
            raise worker.error
        return worker.result
