"""A model is asked once, within its time, and its silence is told."""

from __future__ import annotations

import threading

import pytest

from remem.embed.deterministic import IDENTITY, Deterministic
from remem.errors import EmbedderError, EmbedderLate
from remem.ports.models import ModelIdentity
from remem.search.query.embedding import UNREAD, Model, Patience, Sense

OTHER = ModelIdentity("other", 3, "none")


class Nameless(Deterministic):
    @property
    def identity(self) -> ModelIdentity:
        raise EmbedderError("no server")


class Illiterate(Deterministic):
    def reads(self, text: str) -> int:
        return 0


def test_the_model_that_most_has_vectors_of_is_asked() -> None:
    sense = Model((Nameless(), Deterministic()), None).sense("x", {IDENTITY: 3, OTHER: 9})

    assert isinstance(sense, Sense)
    assert sense.embedder.identity == IDENTITY


def test_why_there_are_no_vectors_is_told() -> None:
    assert Model((), "none is wanted").sense("x", {}) == "none is wanted"
    assert Model((Illiterate(),), None).sense("数据", {IDENTITY: 1}) == UNREAD
    assert Model((Deterministic(),), None).sense("x", {}) is None
    with pytest.raises(EmbedderError, match="no server"):
        Model((Nameless(),), None).sense("x", {})


def test_patience_gives_back_what_came_in_time_and_raises_what_was_raised() -> None:
    patience = Patience(30)

    assert patience(lambda: 5) == 5
    with pytest.raises(ZeroDivisionError):
        patience(lambda: 1 // 0)


def senses() -> set[threading.Thread]:
    return {each for each in threading.enumerate() if each.name == "remem sense"}


def test_patience_ends_and_does_not_gather_threads() -> None:
    released = threading.Event()
    patience = Patience(0.01)
    before = senses()
    for _ in range(5):
        with pytest.raises(EmbedderLate):
            patience(released.wait)

    (waiting,) = senses() - before
    released.set()
    waiting.join()
    assert Patience(30)(lambda: "again") == "again"
    assert patience._under_way is not None
    assert not patience._under_way.is_alive()


def test_a_question_that_is_read_early_serves_while_nothing_has_changed() -> None:
    begun = Model((Deterministic(),), None).begin("where is Ana", {IDENTITY: 3})

    assert begun.serves("where is Ana", {IDENTITY: 3})
    assert not begun.serves("where is Anna", {IDENTITY: 3})
    assert not begun.serves("where is Ana", {IDENTITY: 4})
    sense = begun.wait()
    assert isinstance(sense, Sense)
    assert begun.wait() is sense


def test_who_waits_hears_why_a_model_could_not_read() -> None:
    begun = Model((Nameless(),), None).begin("x", {})

    for _ in range(2):
        with pytest.raises(EmbedderError):
            begun.wait()
    assert Model((), "none is wanted").begin("x", {}).wait() == "none is wanted"
