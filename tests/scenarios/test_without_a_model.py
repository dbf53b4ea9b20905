"""With no embedder and no network everything but semantic similarity still works, and the
answer says so; an embedder that fails delays vectors, never a store or a keyword search."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from time import sleep

import numpy as np
import pytest

from remem.app.workspace import Workspace
from remem.errors import EmbedderError
from remem.ports.models import Embedding, QueryEmbedding
from remem.store.sqlite.connection import inside_transaction
from tests import limits
from tests.conftest import Opener
from tests.deterministic import Deterministic

NOTES = [f"Note {i}: the {word} is kept in room {i}." for i, word in enumerate("abcdefghij")]


class Failing(Deterministic):
    """An embedder that fails as often as `rate` says."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.calls = 0
        self._random = Random(3)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        self._perhaps()
        return super().embed(texts)

    def embed_query(self, text: str) -> QueryEmbedding:
        self._perhaps()
        return super().embed_query(text)

    def _perhaps(self) -> None:
        self.calls += 1
        if self._random.random() < self.rate:
            raise EmbedderError("the server answered 500")


class Wrong(Deterministic):
    """An embedder whose answers are not what was asked for, until `well` is set."""

    def __init__(self, spoil: Callable[[list[Embedding]], list[Embedding]]) -> None:
        self.spoil = spoil
        self.well = False

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        right = super().embed(texts)
        return right if self.well else self.spoil(right)

    def embed_query(self, text: str) -> QueryEmbedding:
        right = super().embed_query(text)
        spoiled = self.spoil([Embedding(right.pooled)])
        return right if self.well or not spoiled else QueryEmbedding(spoiled[0].pooled)


WRONGS = {
    "too short": lambda right: [Embedding(vector.pooled[:32]) for vector in right],
    "too long": lambda right: [Embedding(np.tile(vector.pooled, 2)) for vector in right],
    "too few": lambda right: right[1:],
    "too many": lambda right: [*right, *right],
    "no numbers": lambda right: [Embedding(vector.pooled * np.nan) for vector in right],
}


def is_clean(memory: Workspace) -> bool:
    health = memory.status().health
    return not health.degraded and health.without_vector == 0


def without_vector(memory: Workspace) -> int:
    """Counted from what is there, not from the queue."""
    with memory.services.store.read() as snapshot:
        return len(snapshot.ids()) - max(snapshot.vector_state().vectors.values(), default=0)


def eventually(holds: Callable[[], bool]) -> None:
    """For what happens by itself, on a machine that may be busy."""
    while not holds():
        sleep(0.01)


def found(memory: Workspace, question: str) -> list[str]:
    return [entry.content for entry in memory.recall(question).entries]


def test_everything_but_likeness_works_without_a_model(opened: Opener, root: Path) -> None:
    memory = opened(embedder=None, environment={"REMEM_MODELS": str(root / "none")})
    ids = [
        stored.id for stored in memory.store_many({"category": "fact", "content": n} for n in NOTES)
    ]
    answer = memory.recall("where is the c kept")

    assert NOTES[2] in [entry.content for entry in answer.entries]
    assert [note for note in answer.notes if note.startswith("keyword only: ")]
    assert "remem models fetch" in " ".join(answer.notes)
    memory.store(category="fact", content="The c has gone.", supersedes=[ids[2]])
    assert NOTES[2] not in found(memory, "where is the c kept")
    memory.maintenance.rebuild()
    exported = list(memory.export())
    assert len(exported) == len(NOTES) + 1
    assert memory.index().tokens
    assert any("keyword only" in reason for reason in memory.status().health.degraded)
    memory.close()
    again = opened(embedder=None, environment={"REMEM_MODELS": str(root / "none")})
    assert list(again.export()) == exported


def test_an_embedder_that_always_fails_stops_nothing(opened: Opener) -> None:
    memory = opened(embedder=Failing(1.0))
    for note in NOTES:
        memory.store(category="fact", content=note)

    answer = memory.recall("where is the c kept")

    assert answer.entries[0].content == NOTES[2]
    assert (
        f"{len(NOTES)} entries have no vector yet and can be found by keyword only" in answer.notes
    )
    assert not is_clean(memory)
    assert any("500" in reason for reason in memory.status().health.degraded)


def test_b07_an_embedder_that_fails_now_and_then_is_never_called_clean_over_a_gap(
    opened: Opener,
) -> None:
    embedder = Failing(0.3)
    memory = opened(embedder=embedder)
    for i in range(40):
        memory.store(category="fact", content=f"Item {i} lies in drawer {i}.")
        assert f"Item {i} lies in drawer {i}." in found(memory, f"item {i}")
        assert not (is_clean(memory) and without_vector(memory))
    gaps = embedder.calls
    embedder.rate = 0.0
    memory.recall("item")

    assert gaps > 40
    assert without_vector(memory) == 0
    assert is_clean(memory)


@pytest.mark.parametrize("kind", WRONGS)
def test_wrong_vectors_are_refused_and_keywords_answer(opened: Opener, kind: str) -> None:
    embedder = Wrong(WRONGS[kind])
    memory = opened(embedder=embedder)
    for note in NOTES:
        memory.store(category="fact", content=note)

    assert found(memory, "where is the c kept")[0] == NOTES[2]
    assert without_vector(memory) == len(NOTES)
    assert not is_clean(memory)
    embedder.well = True
    assert found(memory, "where is the c kept")[0] == NOTES[2]
    assert without_vector(memory) == 0
    assert is_clean(memory)


@pytest.mark.parametrize("kind", ["too short", "too long", "no numbers"])
def test_a_question_with_a_wrong_vector_is_answered_by_keywords(opened: Opener, kind: str) -> None:
    embedder = Wrong(WRONGS[kind])
    embedder.well = True
    memory = opened(embedder=embedder)
    for note in NOTES:
        memory.store(category="fact", content=note)
    memory.recall("anything")
    embedder.well = False

    answer = memory.recall("where is the c kept")

    assert answer.entries[0].content == NOTES[2]
    assert any(note.startswith("keyword only: a vector of") for note in answer.notes)


def test_one_text_that_the_model_refuses_does_not_hold_up_the_others(opened: Opener) -> None:
    class Picky(Deterministic):
        def embed(self, texts: Sequence[str]) -> list[Embedding]:
            if any("poison" in text for text in texts):
                raise EmbedderError("the server answered 400")
            return super().embed(texts)

    memory = opened(embedder=Picky())
    memory.store(category="fact", content="A poison for the model.")
    memory.store_many({"category": "fact", "content": f"Item {i}."} for i in range(60))
    memory.recall("item")

    assert without_vector(memory) == 1
    assert memory.status().health.without_vector == 1
    memory.recall("item")
    assert any("400" in reason for reason in memory.status().health.degraded)
    assert "A poison for the model." in found(memory, "poison")


def test_a_store_does_not_wait_for_a_slow_embedder(opened: Opener) -> None:
    may_go_on = threading.Event()

    class Slow(Deterministic):
        def embed(self, texts: Sequence[str]) -> list[Embedding]:
            may_go_on.wait()
            return super().embed(texts)

    memory = opened(embedder=Slow(), background=True)
    try:
        for note in NOTES:
            memory.store(category="fact", content=note)
        waiting = memory.status().health.without_vector
        exported = list(memory.export())
    finally:
        may_go_on.set()

    assert waiting == len(exported) == len(NOTES)
    assert found(memory, "where is the c kept")[0] == NOTES[2]


def test_no_question_waits_for_an_embedder_that_is_known_to_be_down(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits.EMBEDDER_RETRY_SECONDS, 3600)  # it is not tried again meanwhile
    embedder = Failing(1.0)
    memory = opened(embedder=embedder, background=True)
    memory.store(category="fact", content=NOTES[2])
    eventually(lambda: bool(memory.problems))
    tried = embedder.calls

    assert found(memory, "where is the c kept") == [NOTES[2]]
    assert embedder.calls == tried


def test_b07_vectors_are_made_unattended_once_the_embedder_answers(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits.EMBEDDER_RETRY_SECONDS, 0.01)
    embedder = Failing(1.0)
    memory = opened(embedder=embedder, background=True)
    memory.store(category="fact", content=NOTES[0])
    eventually(lambda: embedder.calls >= 3)
    assert not is_clean(memory)
    embedder.rate = 0.0

    eventually(lambda: is_clean(memory) and not without_vector(memory))


def test_w8_no_embedder_is_called_while_the_store_holds_a_transaction(opened: Opener) -> None:
    held: list[bool] = []

    class Watching(Deterministic):
        def embed(self, texts: Sequence[str]) -> list[Embedding]:
            held.append(inside_transaction())
            return super().embed(texts)

        def embed_query(self, text: str) -> QueryEmbedding:
            held.append(inside_transaction())
            return super().embed_query(text)

    for in_background in (False, True):
        memory = opened(embedder=Watching(), background=in_background)
        memory.store_many({"category": "fact", "content": f"{n} {in_background}"} for n in NOTES)
        memory.recall("where is the c kept")
        memory.maintenance.rebuild()
        memory.maintenance.embed_pending()
        memory.import_lines(lambda: [b'{"category":"fact","content":"From a line."}'])
        memory.recall("line")
        memory.close()

    assert len(held) > 6
    assert not any(held)


def test_b06_after_a_restart_nothing_has_to_be_made_again(opened: Opener) -> None:
    first = Failing(0.0)
    memory = opened(embedder=first)
    memory.store_many({"category": "fact", "content": note} for note in NOTES)
    memory.recall("c")
    memory.close()

    second = Failing(0.0)
    again = opened(embedder=second)
    again.recall("where is the c kept")

    assert is_clean(again)
    assert without_vector(again) == 0
    assert second.calls == 1
