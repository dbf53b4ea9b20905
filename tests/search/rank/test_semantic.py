"""Texts in a language that the model does not support get no vector scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from remem.model.passage import Passage
from remem.ports.models import Embedding, ModelIdentity
from remem.ports.passages import PassageReader
from remem.search.query.embedding import QuestionVectors
from remem.search.rank.ranking import Candidate
from remem.search.rank.semantic import score_by_vectors
from tests.deterministic import Deterministic


class English(Deterministic):
    def language_support(self, text: str) -> int:
        return 2 if text.isascii() else 0


class Vectors:
    """Every row has a vector."""

    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]:
        return {row: Deterministic().embed([f"dog {row}"])[0] for row in rows}

    def sample_vectors(self, identity: ModelIdentity, count: int) -> list[Embedding]:
        return []


def candidate(row: int, text: str) -> Candidate:
    return Candidate(Passage("memory/a.md", row, row, text), kind="passage", number=row)


def test_only_texts_in_a_supported_language_get_vector_scores() -> None:
    model = English()
    sense = QuestionVectors(model, model.embed_query("dog"))

    reader = cast(PassageReader, Vectors())
    english, chinese = score_by_vectors(
        sense, [candidate(1, "the dog is called Pip"), candidate(2, "狗叫小白")], None, reader
    )

    assert english.meaning is not None
    assert english.late_interaction is not None
    assert chinese.meaning is None
    assert chinese.late_interaction is None


def test_texts_in_another_language_than_the_question_are_known() -> None:
    reader = cast(PassageReader, Vectors())
    texts = ["o cão chama-se Pip e não gosta de chuva", "the dog is called Pip", "Pip: 4 kg"]
    listed = [candidate(row, text) for row, text in enumerate(texts, 1)]

    def others(model: Deterministic, question: str) -> list[bool]:
        query = QuestionVectors(model, model.embed_query(question), question)
        return [c.other_language for c in score_by_vectors(query, listed, None, reader)]

    assert others(Deterministic(), "como se chama o cão?") == [False, True, True]
    assert others(Deterministic(), "what is the name of the dog?") == [True, False, False]
    assert others(Deterministic(), "Pip") == [False, False, False]
    english_only = others(English(), "what is the name of the dog?")
    assert english_only == [False, False, False]
