"""A question is embedded once and within a time limit, and a missing vector is explained."""

from __future__ import annotations

import threading

import pytest

from remem.errors import EmbedderError, EmbedderTimeout
from remem.ports.models import ModelIdentity
from remem.search.query.embedding import (
    UNSUPPORTED_LANGUAGE,
    QueryEmbedder,
    QuestionVectors,
    TimeLimit,
)
from tests.deterministic import IDENTITY, Deterministic

OTHER = ModelIdentity("other", 3, "none")


class Nameless(Deterministic):
    @property
    def identity(self) -> ModelIdentity:
        raise EmbedderError("no server")


class Illiterate(Deterministic):
    def language_support(self, text: str) -> int:
        return 0


def test_the_model_with_most_vectors_embeds_the_question() -> None:
    embedded = QueryEmbedder((Nameless(), Deterministic()), None).embed_question(
        "x", {IDENTITY: 3, OTHER: 9}
    )

    assert isinstance(embedded, QuestionVectors)
    assert embedded.embedder.identity == IDENTITY


def test_the_reason_for_missing_vectors_is_returned() -> None:
    assert QueryEmbedder((), "none is wanted").embed_question("x", {}) == "none is wanted"
    assert (
        QueryEmbedder((Illiterate(),), None).embed_question("数据", {IDENTITY: 1})
        == UNSUPPORTED_LANGUAGE
    )
    assert QueryEmbedder((Deterministic(),), None).embed_question("x", {}) is None
    with pytest.raises(EmbedderError, match="no server"):
        QueryEmbedder((Nameless(),), None).embed_question("x", {})


def test_a_time_limit_returns_results_and_raises_errors() -> None:
    limit = TimeLimit(30)

    assert limit(lambda: 5) == 5
    with pytest.raises(ZeroDivisionError):
        limit(lambda: 1 // 0)


def workers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "remem embed question"}


def test_late_calls_fail_and_threads_do_not_pile_up() -> None:
    released = threading.Event()
    limit = TimeLimit(0.01)
    before = workers()
    for _ in range(5):
        with pytest.raises(EmbedderTimeout):
            limit(released.wait)

    (waiting,) = workers() - before
    released.set()
    waiting.join()
    limit.seconds = 30
    assert limit(lambda: "again") == "again"


def test_calls_that_nobody_waits_for_do_not_pile_up() -> None:
    released = threading.Event()
    limit = TimeLimit(300)
    before = workers()

    for _ in range(8):
        limit.begin(released.wait)

    with pytest.raises(EmbedderTimeout, match="busy"):
        limit.begin(released.wait)
    waiting = workers() - before
    released.set()
    for thread in waiting:
        thread.join()
    assert len(waiting) == 8
    assert limit(lambda: "again") == "again"


def test_an_early_embedding_is_reused_while_nothing_has_changed() -> None:
    pending = QueryEmbedder((Deterministic(),), None).begin("where is Ana", {IDENTITY: 3})

    assert pending.is_for("where is Ana", {IDENTITY: 3})
    assert not pending.is_for("where is Anna", {IDENTITY: 3})
    assert not pending.is_for("where is Ana", {IDENTITY: 4})
    embedded = pending.wait()
    assert isinstance(embedded, QuestionVectors)
    assert pending.wait() is embedded


def test_waiting_raises_the_error_of_the_model() -> None:
    pending = QueryEmbedder((Nameless(),), None).begin("x", {})

    for _ in range(2):
        with pytest.raises(EmbedderError):
            pending.wait()
    assert QueryEmbedder((), "none is wanted").begin("x", {}).wait() == "none is wanted"
