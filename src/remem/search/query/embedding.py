"""Embed a question with the model that suits its language, within a time limit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from time import monotonic
from typing import Any, Final, Generic, TypeVar

from remem.errors import EmbedderError, EmbedderTimeout, counted
from remem.fast_dataclass import dataclass
from remem.ports.entries import Snapshot
from remem.ports.models import Embedder, ModelIdentity, QueryEmbedding, require_comparable

_MAX_CALLS: Final = 8
"""How many questions may be embedded at the same time."""
UNSUPPORTED_LANGUAGE: Final = (
    "no installed model supports this language "
    "(the owner can run `remem models fetch multilingual`)"
)


def pending_vector_notes(snapshot: Snapshot, models: Iterable[ModelIdentity]) -> list[str]:
    """Return notes for an answer about entries that have no vector of the model yet."""
    state = snapshot.vector_state()
    pending = state.pending
    if not pending:
        return []
    quick = max((state.quick.get(model, 0) for model in models), default=0)
    notes = []
    if quick:
        entries = counted(quick, "entry has", "entries have")
        notes.append(f"{entries} only a quick vector so far")
    if pending > quick:
        entries = counted(pending - quick, "entry has", "entries have")
        notes.append(f"{entries} no vector yet and can be found by keyword only")
    return notes


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class QuestionVectors:
    """The vectors of a question.

    `embedder` made them; they may be compared with the vectors of its model.
    """

    embedder: Embedder
    embedding: QueryEmbedding
    text: str = ""


@dataclass(frozen=True, slots=True)
class QueryEmbedder:
    """Embeds questions.

    `standby` are models whose vectors may be used while `embedders` have made fewer;
    `no_model_reason` says why there is no model.
    """

    embedders: Sequence[Embedder]
    no_model_reason: str | None
    standby: Sequence[Embedder] = ()

    def knows(self, word: str) -> bool:
        """Return whether a model knows a word; if so, it is not a typo even if it is not stored."""
        try:
            return any(embedder.knows(word) for embedder in self.embedders)
        except EmbedderError:  # reported when the question is embedded
            return False

    def embed_question(
        self, text: str, vector_counts: Mapping[ModelIdentity, int]
    ) -> QuestionVectors | str | None:
        """Embed a question with a model that supports its language and has vectors to compare.

        Return the reason if no model supports it, and None if there are no vectors to compare with.
        `vector_counts` is the number of vectors of each model. Raise EmbedderError if a model
        fails.
        """
        if not self.embedders:
            return self.no_model_reason or "no model is configured"
        capable = [
            embedder
            for embedder in (*self.embedders, *self.standby)
            if embedder.language_support(text)
        ]
        if not capable:
            return UNSUPPORTED_LANGUAGE
        embedder = self._choose(capable, text, vector_counts)
        if embedder is None:
            return None
        query = embedder.embed_query(text)
        require_comparable(query.pooled, embedder.identity)
        return QuestionVectors(embedder, query, text)

    def begin(self, text: str, vector_counts: Mapping[ModelIdentity, int]) -> PendingQuery:
        """Start embedding a question in the background."""
        if not self.embedders:  # there is nothing to wait for
            return PendingQuery(
                text, vector_counts, lambda: self.embed_question(text, vector_counts)
            )
        call = _Call(lambda: self.embed_question(text, vector_counts))
        call.start()
        return PendingQuery(text, vector_counts, call.result)

    def _choose(
        self, capable: Sequence[Embedder], text: str, vector_counts: Mapping[ModelIdentity, int]
    ) -> Embedder | None:
        """Choose the model that supports the language best, among those with enough vectors.

        Enough is half as many as the model with the most vectors has. A standby model is chosen
        only if it has more vectors than any other. A model that fails to identify itself does not
        block the others.
        """
        counts: dict[Embedder, int] = {}
        unavailable: EmbedderError | None = None
        for embedder in capable:
            try:
                counts[embedder] = vector_counts.get(embedder.identity, 0)
            except EmbedderError as error:
                unavailable = error
        best = max((counts.get(embedder, 0) for embedder in self.embedders), default=0)
        better = [embedder for embedder in self.standby if counts.get(embedder, 0) > best]
        if better:
            return max(better, key=counts.__getitem__)
        enough = [
            embedder for embedder in self.embedders if counts.get(embedder, 0) * 2 >= max(best, 1)
        ]
        if enough:
            return max(enough, key=lambda embedder: embedder.language_support(text))
        if unavailable is not None:
            raise unavailable
        return None


class _Call(threading.Thread, Generic[T]):
    """Calls a function in a daemon thread, so that a model that hangs does not block the exit."""

    def __init__(self, work: Callable[[], T]) -> None:
        super().__init__(name="remem embed question", daemon=True)
        self.started = monotonic()
        self._work = work
        self._result: T | None = None
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._result = self._work()
        except BaseException as error:  # noqa: BLE001 - raised again by result()
            self._error = error

    def result(self) -> T | None:
        """Wait for the function, and return its result or raise its error."""
        if self.is_alive():
            self.join()
        if self._error is not None:
            raise self._error
        return self._result


@dataclass(frozen=True, slots=True)
class PendingQuery:
    """A question that is being embedded; `wait` returns the result of `embed_question`."""

    text: str
    vector_counts: Mapping[ModelIdentity, int]
    wait: Callable[[], QuestionVectors | str | None]

    def is_for(self, text: str, vector_counts: Mapping[ModelIdentity, int]) -> bool:
        """Return whether this embeds the same question, for comparison with the same vectors."""
        return self.text == text and self.vector_counts == vector_counts


class TimeLimit:
    """Calls functions in threads, with a timeout.

    A new call fails at once while an earlier one has been running for longer than the timeout, or
    while `_MAX_CALLS` are running, so that threads do not pile up.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._running: list[_Call[Any]] = []

    def __call__(self, work: Callable[[], T]) -> T | None:
        return self.begin(work)()

    def begin(self, work: Callable[[], T]) -> Callable[[], T | None]:
        """Start a call, and return a function that waits for its result."""
        call = _Call(work)
        with self._lock:
            self._running = [running for running in self._running if running.is_alive()]
            overdue = monotonic() - self.seconds
            if len(self._running) >= _MAX_CALLS or any(
                running.started <= overdue for running in self._running
            ):
                raise EmbedderTimeout("the model is still busy with an earlier question")
            call.start()
            self._running.append(call)
        return lambda: self._wait(call)

    def _wait(self, call: _Call[T]) -> T | None:
        call.join(self.seconds)
        if call.is_alive():
            raise EmbedderTimeout(f"the model did not answer within {self.seconds:g} seconds")
        return call.result()


class TimedQuery:
    """A question that is being embedded while the keywords are searched.

    After `wait`, `vectors` is its result, `fallback_reason` says why no model was used, and `error`
    why the model failed.
    """

    def __init__(
        self,
        model: QueryEmbedder,
        time_limit: TimeLimit,
        text: str,
        vector_counts: Mapping[ModelIdentity, int],
    ) -> None:
        self.vectors: QuestionVectors | None = None
        self.fallback_reason: str | None = None
        self.error: EmbedderError | None = None
        self._result: Callable[[], QuestionVectors | str | None] = lambda: None
        try:
            self._result = time_limit.begin(lambda: model.embed_question(text, vector_counts))
        except EmbedderError as error:
            self.error = error

    def wait(self) -> QuestionVectors | None:
        try:
            result = self._result()
        except EmbedderError as error:
            self.error = error
            return None
        if isinstance(result, str):
            self.fallback_reason = result
            return None
        self.vectors = result
        return result


def vectors_when_ready(
    pending: PendingQuery | None, notes: list[str]
) -> Callable[[], QuestionVectors | None]:
    """Return a function that waits for the question's vectors.

    It returns None if nothing can be compared; if no model can be used, `notes` gets the reason.
    """

    @cache
    def wait() -> QuestionVectors | None:
        try:
            result = pending.wait() if pending else None
        except EmbedderError as error:
            result = str(error)
        if isinstance(result, str):
            notes.append(f"keyword only: {result}")
            return None
        return result

    return wait
