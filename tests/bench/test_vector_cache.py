"""A text is encoded once, for all runs that share a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.vector_cache import CachedVectors
from remem.ports.models import Embedding
from tests.deterministic import Deterministic


class Counting(Deterministic):
    """Remembers what it was asked to encode."""

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        self.encoded += texts
        return super().embed(texts)


def test_what_was_encoded_in_an_earlier_run_is_not_encoded_again(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    before = CachedVectors(first, tmp_path).embed(["tea", "milk", "tea"])

    after = CachedVectors(second, tmp_path).embed(["milk", "tea", "sugar"])

    assert first.encoded == ["tea", "milk"]
    assert second.encoded == ["sugar"]
    assert np.array_equal(before[0].pooled, after[1].pooled)
    assert before[0].tokens is not None
    assert after[1].tokens is not None
    assert np.array_equal(before[0].tokens, after[1].tokens)


def test_a_question_is_always_encoded(tmp_path: Path) -> None:
    cached = CachedVectors(Deterministic(), tmp_path)

    assert np.array_equal(
        cached.embed_query("tea").pooled, Deterministic().embed_query("tea").pooled
    )
