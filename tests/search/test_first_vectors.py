"""Right after many files were read, a search uses quick vectors and embeds its candidates first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from remem import open_workspace
from remem.app.workspace import Workspace
from remem.ports.models import Embedding, ModelIdentity
from tests.deterministic import Deterministic

LINES = [f"Item {number} lies in drawer {7 * number}." for number in range(200)]


class Counting(Deterministic):
    """Counts the texts that it embeds, quickly and fully."""

    def __init__(self, name: str = "counting") -> None:
        super().__init__()
        self.name = name
        self.quick: list[str] = []
        self.read: list[str] = []

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity(self.name, 64, "none")

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        self.read += texts
        return super().embed(texts)

    def embed_quickly(self, texts: Sequence[str]) -> list[Embedding]:
        self.quick += texts
        return super().embed(texts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "memory" / "2026-05-04.md"
    path.parent.mkdir()
    path.write_text("# Drawers\n\n" + "\n\n".join(LINES), encoding="utf-8")
    (tmp_path / "MEMORY.md").write_text("".join(f"- {line}\n" for line in LINES), encoding="utf-8")
    return tmp_path


def opened(folder: Path, model: Counting) -> Workspace:
    return open_workspace(folder, session="main", embedder=model, background=False)


def test_the_first_search_embeds_its_candidates_and_leaves_the_rest(folder: Path) -> None:
    model = Counting()
    with opened(folder, model) as memory:
        found = memory.search("which item is in drawer 1393?")

    assert "drawer 1393." in found.results[0].snippet
    assert len(model.quick) > 100
    assert any("drawer 1393." in text for text in model.read)
    assert len(model.read) < len(model.quick)


def test_after_a_change_of_model_a_search_starts_making_the_new_vectors(folder: Path) -> None:
    with opened(folder, Counting("old")) as memory:
        memory.refresh(with_vectors=True)
    new = Counting("new")
    with opened(folder, new) as memory:
        memory.search("which item is in drawer 1393?")

    assert new.quick
    assert new.read


def test_refresh_with_vectors_embeds_entries_too(folder: Path) -> None:
    model = Counting()
    with opened(folder, model) as memory:
        memory.store(category="fact", content="Bo keeps bees.")
        memory.refresh(with_vectors=True)
        health = memory.status().health

    assert "Bo keeps bees." in model.read
    assert (health.without_vector, health.passages_without_vector) == (0, 0)
