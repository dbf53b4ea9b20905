"""The embedders of measurements: quick vectors only, and cached ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from bench.models import CachedVectors, QuickOnly
from bench.retrieval import Task, measure
from bench.subjects import Setting
from remem.errors import EmbedderError
from remem.ports.models import Embedding
from tests.bench.conversation_set import written
from tests.deterministic import Deterministic


class Both(Deterministic):
    """Fails if it embeds a text fully; has quick vectors while it is open."""

    closed = False

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        raise AssertionError("embedded, although quick vectors were wanted")

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding] | None:  # type: ignore[override]
        return None if self.closed else super().embed(texts)

    def close(self) -> None:
        self.closed = True


def test_every_conversation_is_measured_with_quick_vectors_only(tmp_path: Path) -> None:
    task = Task(written(tmp_path), Setting(quick=True, notes=True))

    result = measure(task, QuickOnly(Both()))

    assert result["conversations"] == 2
    assert result["adapter"] == "remem store, notes, quick"
    assert result["all"]["R@5"] == 100.0


def test_a_model_without_quick_vectors_is_refused() -> None:
    with pytest.raises(EmbedderError, match="no quick vectors"):
        QuickOnly(Deterministic()).embed(["a text"])


class Counting(Deterministic):
    """Records the texts that it embeds."""

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        self.encoded += texts
        return super().embed(texts)


def test_a_text_is_embedded_once_for_all_runs(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    before = CachedVectors(first, tmp_path).embed(["tea", "milk", "tea"])

    after = CachedVectors(second, tmp_path).embed(["milk", "tea", "sugar"])

    assert first.encoded == ["tea", "milk"]
    assert second.encoded == ["sugar"]
    assert np.array_equal(before[0].pooled, after[1].pooled)
    assert before[0].tokens is not None
    assert after[1].tokens is not None
    assert np.array_equal(before[0].tokens, after[1].tokens)


def test_a_question_is_always_embedded(tmp_path: Path) -> None:
    cached = CachedVectors(Deterministic(), tmp_path)

    assert np.array_equal(
        cached.embed_query("tea").pooled, Deterministic().embed_query("tea").pooled
    )
