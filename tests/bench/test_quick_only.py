"""Right after an import: only quick vectors, and questions that the model has read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.quick_only import QuickOnly
from bench.retrieval import Task, measure
from bench.subjects import Setting
from remem.errors import EmbedderError
from remem.ports.models import Embedding
from tests.bench.conversation_set import written
from tests.deterministic import Deterministic


class Both(Deterministic):
    """It must not read a text, and has quick vectors as long as it is open."""

    closed = False

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        raise AssertionError("read, although quick vectors were asked for")

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding] | None:  # type: ignore[override]
        return None if self.closed else super().embed(texts)

    def close(self) -> None:
        self.closed = True


def test_every_conversation_is_asked_with_quick_vectors_alone(tmp_path: Path) -> None:
    task = Task(written(tmp_path), Setting(quick=True, notes=True))

    result = measure(task, QuickOnly(Both()))

    assert result["conversations"] == 2
    assert result["adapter"] == "remem store, notes, quick"
    assert result["all"]["R@5"] == 100.0


def test_a_model_without_quick_vectors_is_refused() -> None:
    with pytest.raises(EmbedderError, match="no quick vectors"):
        QuickOnly(Deterministic()).embed(["a text"])
