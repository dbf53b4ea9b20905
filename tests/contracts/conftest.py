"""What the contract suites share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.ports.entries import Store
from tests.contracts.stores import ADAPTERS, Opener
from tests.embed.model import minilm, model_folder

__all__ = ["minilm", "model_folder", "open_store", "store"]


@pytest.fixture(params=ADAPTERS)
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """Opens the same store again and again; each adapter in turn."""
    opened: list[Store] = []

    def open_it() -> Store:
        opened.append(ADAPTERS[request.param](tmp_path))
        return opened[-1]

    yield open_it
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Opener) -> Store:
    return open_store()
