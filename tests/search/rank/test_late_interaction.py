"""Late interaction prefers memories with a similar token for every token of the question."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from remem.ports.models import Bytes, QueryEmbedding
from remem.ports.records import Neighbours
from remem.search.rank.semantic import interaction, neighbour_positions
from tests.deterministic import Deterministic

MODEL = Deterministic()


def tokens(*texts: str) -> list[Bytes | None]:
    return [embedding.tokens for embedding in MODEL.embed(texts)]


def test_the_memory_that_covers_more_of_the_question_scores_higher() -> None:
    query = MODEL.embed_query("blue harbour lantern")

    late = interaction(query, tokens("a blue harbour lantern", "a blue door", "green tea"))

    assert late is not None
    assert all(first > second for first, second in pairwise(late.tolist()))


def test_a_reply_gains_from_the_turn_before_it() -> None:
    query = MODEL.embed_query("harbour lantern")
    memories = tokens("what about the harbour lantern", "it is gone", "it is gone", "nothing")
    alone = interaction(query, memories)
    beside = neighbour_positions(["a", "b", "c", "d"], {"b": Neighbours(before=("a",))})

    together = interaction(query, memories, beside)

    assert alone is not None
    assert together is not None
    assert alone[1] == alone[2]
    assert together[0] > together[1] > together[2]


def test_a_memory_without_tokens_scores_nothing() -> None:
    late = interaction(MODEL.embed_query("tea"), [None, *tokens("tea")])

    assert late is not None
    assert late[0] == 0 < late[1]


def test_a_question_without_tokens_has_no_scores() -> None:
    assert interaction(QueryEmbedding(np.ones(3, np.float32)), tokens("tea")) is None
