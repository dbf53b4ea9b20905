"""Texts in a language that the model does not support get no vector scores."""

from __future__ import annotations

from collections.abc import Iterable

from remem.model.passage import Passage
from remem.ports.models import Embedding, ModelIdentity
from remem.search.passages.ranking import Candidate
from remem.search.query.embedding import EmbeddedQuery
from remem.search.rank.semantic import score_passages
from tests.deterministic import Deterministic


class English(Deterministic):
    def language_support(self, text: str) -> int:
        return 2 if text.isascii() else 0


class Vectors:
    """Every row has a vector."""

    def vectors_of(self, identity: ModelIdentity, rows: Iterable[int]) -> dict[int, Embedding]:
        return {row: Deterministic().embed([f"dog {row}"])[0] for row in rows}


def candidate(row: int, text: str) -> Candidate:
    return Candidate(row, Passage("memory/a.md", row, row, text))


def test_only_texts_in_a_supported_language_get_vector_scores() -> None:
    model = English()
    sense = EmbeddedQuery(model, model.embed_query("dog"))

    english, chinese = score_passages(
        Vectors(), sense, [candidate(1, "the dog is called Pip"), candidate(2, "狗叫小白")]
    )

    assert english.meaning is not None
    assert english.late_interaction is not None
    assert chinese.meaning is None
    assert chinese.late_interaction is None
