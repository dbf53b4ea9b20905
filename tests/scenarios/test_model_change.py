"""Another model: the old vectors serve until the new ones are made, and the two never meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from remem.app import settings
from remem.app.workspace import Workspace
from remem.entries import vectors
from remem.errors import EmbedderError
from remem.model.entry import Filter
from remem.ports.models import Embedder, Embedding, Floats, ModelIdentity, QueryEmbedding
from tests.conftest import Opener
from tests.deterministic import Deterministic


class Model(Deterministic):
    """The same words in a space of its own; a comparison across two spaces says nothing."""

    def __init__(self, name: str, dimension: int = 64) -> None:
        self._identity = ModelIdentity(name, dimension, "none")
        self._turn = np.random.default_rng(len(name)).permutation(64)[:dimension]
        self.asked = 0
        self.down = False

    @property
    def identity(self) -> ModelIdentity:
        return self._identity

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        if self.down:
            raise EmbedderError(f"{self._identity.name} is down")
        return [Embedding(self._turned(vector.pooled)) for vector in super().embed(texts)]

    def embed_query(self, text: str) -> QueryEmbedding:
        self.asked += 1
        return QueryEmbedding(self._turned(super().embed_query(text).pooled))

    def _turned(self, vector: Floats) -> Floats:
        turned = -vector[self._turn]
        return np.asarray(turned / np.linalg.norm(turned), np.float32)


Chooser = Callable[..., Workspace]


@pytest.fixture
def with_models(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> Chooser:
    """Opens the workspace with these embedders: the wanted one first."""

    def open_it(*embedders: Embedder, **options: object) -> Workspace:
        wanted, standby = embedders[:1], embedders[1:]
        monkeypatch.setattr(settings, "choose_embedders", lambda _config, _env: (wanted, None))
        monkeypatch.setattr(settings, "standby_embedders", lambda _config, _env: standby)
        return opened(embedder=None, **options)

    return open_it


COUNT = 100


@pytest.fixture
def filled(with_models: Chooser) -> Model:
    """A memory whose vectors are all of the old model."""
    old = Model("old")
    memory = with_models(old)
    memory.store_many(
        {"category": "fact", "content": f"Parcel {i} for harbour {i % 9}."} for i in range(COUNT)
    )
    memory.maintenance.embed_pending()
    memory.close()
    return old


def covered(memory: Workspace) -> dict[str, int]:
    with memory.services.store.read() as snapshot:
        return {identity.name: count for identity, count in snapshot.vector_state().vectors.items()}


def best(memory: Workspace, question: str) -> str:
    return memory.recall(question).entries[0].content


@pytest.mark.parametrize("dimension", [64, 32])
def test_b08_the_old_vectors_serve_until_the_new_ones_are_made(
    with_models: Chooser, filled: Model, dimension: int
) -> None:
    new = Model("the new one", dimension)
    memory = with_models(new, filled)
    filled.asked = 0

    assert best(memory, "parcels 17") == "Parcel 17 for harbour 8."
    assert (filled.asked, new.asked) == (1, 0)
    assert memory.status().health.without_vector == COUNT

    vectors.embed_pending(memory.services.store, new, limit=vectors.BATCH_SIZE)
    assert best(memory, "parcels 17") == "Parcel 17 for harbour 8."
    assert (filled.asked, new.asked) == (2, 0)
    assert memory.status().health.without_vector == COUNT - vectors.BATCH_SIZE
    assert covered(memory) == {"old": COUNT, "the new one": vectors.BATCH_SIZE}

    memory.maintenance.embed_pending()
    assert best(memory, "parcels 17") == "Parcel 17 for harbour 8."
    assert (filled.asked, new.asked) == (2, 1)
    assert memory.status().health.without_vector == 0
    assert memory.status().health.model == str(new.identity)


def test_vectors_of_two_models_are_never_compared(with_models: Chooser, filled: Model) -> None:
    new = Model("the new one")
    memory = with_models(new, filled)
    vectors.embed_pending(memory.services.store, new, limit=1)
    question = new.embed_query("Parcel 1").pooled

    with memory.services.store.read() as snapshot:
        ids = snapshot.ids()
        near = snapshot.nearest(new.identity, question, Filter(), COUNT)
        stored = snapshot.vectors_of(new.identity, ids)

    assert len(near) == len(stored) == vectors.BATCH_SIZE


def test_without_the_old_model_keywords_answer_until_the_new_vectors_are_made(
    with_models: Chooser, filled: Model
) -> None:
    new = Model("the new one")
    new.down = True
    memory = with_models(new)

    answer = memory.recall("parcel 17")

    assert answer.entries[0].content == "Parcel 17 for harbour 8."
    assert f"{COUNT} entries have no vector yet and can be found by keyword only" in answer.notes
    assert new.asked == 0
    new.down = False
    memory.maintenance.embed_pending()
    assert best(memory, "parcel 17") == "Parcel 17 for harbour 8."
    assert new.asked == 1


def test_going_back_to_the_old_model_makes_only_what_it_lacks(
    with_models: Chooser, filled: Model
) -> None:
    new = Model("the new one")
    memory = with_models(new, filled)
    memory.maintenance.embed_pending()
    memory.store(category="fact", content="A letter for the harbour master.")
    memory.maintenance.embed_pending()
    memory.close()

    again = with_models(filled, new)
    made: list[int] = []
    again.maintenance.embed_pending(made.append)

    assert made[-1] == 1
    assert covered(again) == {"old": COUNT + 1, "the new one": COUNT + 1}


def test_a_model_that_is_never_ready_keeps_the_old_one_serving(
    with_models: Chooser, filled: Model
) -> None:
    new = Model("the new one")
    new.down = True
    memory = with_models(new, filled)
    filled.asked = 0
    memory.store(category="fact", content="A letter for the harbour master.")

    assert best(memory, "letter") == "A letter for the harbour master."
    assert best(memory, "parcels 17") == "Parcel 17 for harbour 8."
    assert filled.asked == 2
    assert memory.status().health.without_vector == COUNT + 1
