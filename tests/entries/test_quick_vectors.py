"""Where very many wait for their vectors, each is found by its meaning before the model read it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from remem.app.workspace import Workspace
from remem.entries.vectors import QUICK_THRESHOLD
from remem.errors import EmbedderError
from remem.ports.models import Embedding, ModelIdentity
from tests import limits
from tests.conftest import Opener
from tests.deterministic import Deterministic

NOTES = [f"Item {i} lies in drawer {i * 7}." for i in range(QUICK_THRESHOLD + 5)]


class Rough(Deterministic):
    """Its quick vectors are its own; it counts what it was asked, and can be out of order."""

    def __init__(self) -> None:
        self.quick: list[str] = []
        self.read: list[str] = []
        self.down = self.torn = False

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("rough", 64, "none")

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        if self.down:
            raise EmbedderError("the model is down")
        self.read += texts
        return super().embed(texts)

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding]:
        if self.torn:
            raise EmbedderError("the table is torn")
        self.quick += texts
        return super().embed(texts)


def stored(opened: Opener, model: Rough, notes: Sequence[str] = NOTES, **how: object) -> Workspace:
    memory = opened(embedder=model, **how)
    memory.store_many({"category": "fact", "content": note} for note in notes)
    return memory


def test_many_are_found_by_meaning_before_the_model_has_read_them(opened: Opener) -> None:
    model = Rough()
    memory = stored(opened, model)

    answer = memory.recall("which thing is in drawer 49?")

    assert answer.entries[0].content == NOTES[7]
    assert model.quick == NOTES
    left = len(NOTES) - len(model.read)
    assert f"{left} entries have only a quick vector so far" in answer.notes
    health = memory.status().health
    assert health.with_quick_vector == health.without_vector == left


def test_entries_that_may_answer_are_embedded_before_the_others(opened: Opener) -> None:
    model = Rough()
    memory = stored(opened, model)

    memory.recall("which thing is in drawer 49?")

    assert NOTES[7] in model.read[:4]
    assert len(model.read) < len(NOTES)


def test_once_all_texts_are_embedded_there_is_no_notice(opened: Opener) -> None:
    model = Rough()
    memory = stored(opened, model)
    memory.recall("drawer")

    memory.maintenance.embed_pending()

    answer, health = memory.recall("which thing is in drawer 49?"), memory.status().health
    assert sorted(model.read) == sorted(NOTES)
    assert model.quick == NOTES
    assert answer.notes == ()
    assert (health.with_quick_vector, health.without_vector) == (0, 0)
    assert health.encoded_by == {str(model.identity): len(NOTES)}


def test_few_are_read_at_once_and_need_no_quick_vector(opened: Opener) -> None:
    model = Rough()
    memory = stored(opened, model, NOTES[:10])

    memory.recall("drawer")

    assert model.quick == []
    assert model.read == NOTES[:10]


def test_nobody_gets_a_quick_vector_twice(opened: Opener) -> None:
    model = Rough()
    memory = stored(opened, model)
    memory.recall("drawer")
    memory.recall("drawer")
    more = [f"Thing {i} hangs on hook {i}." for i in range(QUICK_THRESHOLD)]
    memory.store_many({"category": "fact", "content": text} for text in more)
    memory.recall("hook")
    memory.close()

    again = opened(embedder=model)
    again.recall("hook")

    assert model.quick == [*NOTES, *more]


def test_nobody_waits_for_very_many_quick_vectors(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits.MAX_QUICK_VECTORS, QUICK_THRESHOLD)
    model = Rough()
    memory = stored(opened, model)

    answer = memory.recall("which thing is in drawer 49?")

    assert model.quick == []
    assert answer.entries[0].content == NOTES[7]
    left = len(NOTES) - len(model.read)
    assert f"{left} entries have no vector yet and can be found by keyword only" in answer.notes


def test_a_damaged_table_is_reported_and_the_model_continues(opened: Opener) -> None:
    model = Rough()
    model.torn = True
    memory = stored(opened, model)

    memory.maintenance.embed_pending()

    assert model.read == NOTES
    assert "no quick vectors: the table is torn" in memory.problems


def test_a_model_that_is_down_leaves_what_is_quick(opened: Opener) -> None:
    model = Rough()
    model.down = True
    memory = stored(opened, model)

    with pytest.raises(EmbedderError):
        memory.maintenance.embed_pending()

    answer = memory.recall("which thing is in drawer 49?")
    assert model.quick == NOTES
    assert answer.entries[0].content == NOTES[7]
    assert memory.status().health.with_quick_vector == len(NOTES)


def test_many_are_made_in_steps_and_none_is_passed_over(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits.QUICK_VECTOR_BATCH, 8)
    model = Rough()
    memory = stored(opened, model)

    memory.recall("drawer")

    assert model.quick == NOTES
    assert memory.status().health.with_quick_vector == len(NOTES) - len(model.read)


def test_a_rebuild_recreates_the_vectors(opened: Opener) -> None:
    model = Rough()
    memory = stored(opened, model)
    memory.recall("drawer")
    memory.maintenance.rebuild()
    model.read.clear()

    memory.recall("drawer")

    assert model.quick == [*NOTES, *NOTES]
    assert memory.status().health.with_quick_vector == len(NOTES) - len(model.read)
