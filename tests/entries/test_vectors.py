"""Each text is encoded by the models that know its language, and none stands in another's way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.entries import vectors
from remem.errors import EmbedderError
from remem.ports.models import Embedding, ModelIdentity
from remem.text.language import language_of
from tests.conftest import Opener
from tests.deterministic import Deterministic

ENGLISH = "The dog is called Pip and it is three years old."
CHINESE = "我的狗叫小白，今年三岁。"
GREEK = "Ο σκύλος λέγεται Πιπ."


class Reader(Deterministic):
    """Knows some languages well, and others a little or not at all."""

    def __init__(self, name: str, well: str, somewhat: str = "") -> None:
        self._identity = ModelIdentity(name, 64, "none")
        self._well, self._somewhat = well.split(), somewhat.split()
        self.encoded: list[str] = []
        self.down = False

    @property
    def identity(self) -> ModelIdentity:
        return self._identity

    def language_support(self, text: str) -> int:
        language = language_of(text)
        return 2 if language in self._well else int(language in self._somewhat)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        if self.down:
            raise EmbedderError(f"{self._identity.name} is down")
        self.encoded += texts
        return super().embed(texts)


@pytest.fixture
def english() -> Reader:
    return Reader("english", "en", "de")


@pytest.fixture
def worldly() -> Reader:
    return Reader("worldly", "en de zh", "el")


def stored(opened: Opener, *models: Reader) -> Workspace:
    memory = opened(embedder=models)
    memory.store_many({"category": "fact", "content": text} for text in (ENGLISH, CHINESE, GREEK))
    return memory


def covered(memory: Workspace) -> dict[str, int]:
    with memory.services.store.read() as snapshot:
        return {identity.name: count for identity, count in snapshot.vector_state().vectors.items()}


def test_every_model_that_knows_the_language_well_encodes_a_text(
    opened: Opener, english: Reader, worldly: Reader
) -> None:
    memory = stored(opened, english, worldly)

    memory.maintenance.embed_pending()

    assert english.encoded == [ENGLISH]
    assert worldly.encoded == [ENGLISH, CHINESE, GREEK]
    assert covered(memory) == {"english": 1, "worldly": 3}
    assert memory.status().health.without_vector == 0
    assert memory.status().health.model == f"{english.identity} + {worldly.identity}"
    assert memory.status().health.encoded_by == {
        str(english.identity): 1,
        str(worldly.identity): 3,
    }


def test_a_single_model_encodes_everything_as_before(opened: Opener, english: Reader) -> None:
    memory = stored(opened, english)

    memory.maintenance.embed_pending()

    assert english.encoded == [ENGLISH, CHINESE, GREEK]
    assert memory.status().health.model == str(english.identity)


def test_a_model_that_comes_later_encodes_what_it_knows_and_nothing_twice(
    opened: Opener, english: Reader, worldly: Reader
) -> None:
    memory = stored(opened, english)
    memory.maintenance.embed_pending()
    memory.close()
    english.encoded.clear()

    again = opened(embedder=(english, worldly))
    again.maintenance.embed_pending()

    assert english.encoded == []
    assert worldly.encoded == [ENGLISH, CHINESE, GREEK]
    assert again.status().health.without_vector == 0
    assert covered(again) == {"english": 1, "worldly": 3}, "what it does not read well is dropped"


def test_a_model_that_is_down_does_not_keep_the_other_from_its_texts(
    opened: Opener, english: Reader, worldly: Reader
) -> None:
    memory = stored(opened, english, worldly)
    worldly.down = True

    memory.maintenance.embed_pending()
    with pytest.raises(EmbedderError, match="worldly is down"):
        memory.maintenance.embed_pending()

    assert covered(memory)["english"] == 1
    assert memory.status().health.without_vector == 3
    worldly.down = False
    memory.maintenance.embed_pending()
    assert english.encoded == [ENGLISH]
    assert memory.status().health.without_vector == 0


def test_a_text_that_still_lacks_one_vector_keeps_its_place_in_the_queue(
    opened: Opener, english: Reader, worldly: Reader
) -> None:
    """As after a kill between the two: what was made is kept, what lacks is made."""
    memory = stored(opened, english, worldly)
    store = memory.services.store
    vectors.request_vectors(store, english, worldly)
    with store.read() as snapshot:
        (first, *_) = snapshot.pending(9)
    embedded = [(first.id, first.version, english.embed([first.text])[0])]
    store.write(lambda tx: tx.save_vectors(english.identity, embedded, keep_queued=True))

    assert memory.status().health.without_vector == 3
    memory.maintenance.embed_pending()

    assert english.encoded == [ENGLISH]
    assert covered(memory) == {"english": 1, "worldly": 3}


def test_passages_are_encoded_by_language_too_and_copies_take_their_vectors_over(
    opened: Opener, root: Path, english: Reader, worldly: Reader
) -> None:
    memory = opened(embedder=(english, worldly))
    note = root / "memory" / "2026-11-01.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(f"# Dogs\n\n{CHINESE}\n", encoding="utf-8")
    assert memory.search("小白").results
    memory.services.freshness.embed()
    before = len(worldly.encoded)

    note.with_name("copy.md").write_text(note.read_text(encoding="utf-8"), encoding="utf-8")
    memory.search("小白")
    memory.services.freshness.embed()

    assert memory.status().health.passages_without_vector == 0
    assert before > 0


def test_the_question_goes_to_the_model_that_knows_its_language(
    opened: Opener, english: Reader, worldly: Reader
) -> None:
    memory = stored(opened, english, worldly)
    memory.maintenance.embed_pending()

    def asked(question: str) -> ModelIdentity | None:
        with memory.services.store.read() as snapshot:
            sense = memory.services.scope_search.model.embed_question(
                question, snapshot.vector_state().vectors
            )
        return None if sense is None or isinstance(sense, str) else sense.embedder.identity

    assert asked("狗叫什么名字") == worldly.identity
    assert asked("Wie heißt der Hund?") == worldly.identity
    memory.store_many(
        {"category": "fact", "content": f"The cat number {i} is not a dog."} for i in range(4)
    )
    memory.maintenance.embed_pending()
    assert asked("What is the dog called?") == english.identity
