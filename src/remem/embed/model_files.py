"""Is a local model on this machine, whole, and built by this version of remem?

How do a model's files get into their place? Each whole, the manifest last, or none at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from remem.errors import EmbedderError, InvalidInput, ModelMissing, shown

_PART: Final = ".part"
_STALE: Final = 24 * 3600  # seconds; nobody builds that long, so its process was killed


def publish(folder: Path, files: Mapping[str, bytes], *, megabytes: int) -> None:
    """Put each file in place whole, in their order: without its manifest the folder is no model.

    Two processes that do this at once write the same bytes, so the order does not matter.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        for name, data in files.items():
            _replace(folder / name, data)
        _sync(folder)
    except OSError as error:
        raise EmbedderError(
            f"the model cannot be written to {shown(str(folder), 200)}: {error.strerror}",
            hint=f"it needs {megabytes} MB; nothing was left half-written",
        ) from error


def _replace(path: Path, data: bytes) -> None:
    part = path.with_name(f".{path.name}-{os.getpid()}-{threading.get_ident()}{_PART}")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    for part in folder.glob(f".*{_PART}"):
        with suppress(FileNotFoundError):  # another process has just put it in place
            if part.stat().st_mtime < time.time() - _STALE:
                part.unlink()


def _sync(folder: Path) -> None:
    """Make the renames outlive a power cut, where folders can be synced at all."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


MODEL: Final = "model.onnx"
VOCABULARY: Final = "vocab.txt"
MANIFEST: Final = "manifest.json"
QUICK: Final = "quick.npy"
"""A table that a model may have beside it, made from it: with it, very many texts get vectors at
once, which the model's own replace later."""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that can be fetched, under the short name that is also its folder's.

    `build` is the first digits of the SHA-256 of its `model.onnx`: another graph makes other
    vectors.
    """

    short: str
    name: str
    build: str
    files: tuple[str, ...]
    megabytes: int
    needs: str | None = None
    """A library that the model runs on, and that an install does not bring by itself."""

    @property
    def usable(self) -> bool:
        return self.needs is None or find_spec(self.needs) is not None

    @property
    def hint(self) -> str:
        return f"run `remem models fetch {self.short}`"


MINILM: Final = LocalModel("minilm", "all-MiniLM-L6-v2", "c1a3a066", (MODEL, VOCABULARY), 36)
MULTILINGUAL: Final = LocalModel(
    "multilingual",
    "universal-sentence-encoder-multilingual-3",
    "b8b05b01",
    (MODEL,),
    75,
    needs="onnxruntime_extensions",
)
LOCAL: Final = {local_model.short: local_model for local_model in (MINILM, MULTILINGUAL)}


def named(name: str) -> LocalModel:
    if name not in LOCAL:
        there_are = " and ".join(map(repr, LOCAL))
        raise InvalidInput(f"there is no local model {shown(name)}", hint=f"there is {there_are}")
    return LOCAL[name]


def installed(name: str, cache: Path) -> bool:
    """Whether the model is there, of this version's build, and can run; its bytes are not read."""
    model = named(name)
    return present(cache / name, model) and model.usable


def manifest(files: Mapping[str, bytes], model: LocalModel = MINILM) -> bytes:
    """What the folder must hold, as the file that is written last."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    content = {"model": model.name, "build": model.build, "sha256": hashes}
    return json.dumps(content, indent=2).encode()


def present(folder: Path, model: LocalModel = MINILM) -> bool:
    """Whether each file is there and of this build; their bytes are not read."""
    try:
        _hashes(folder, model)
        return all((folder / name).is_file() for name in model.files)
    except ModelMissing:
        return False


def has(folder: Path, name: str, model: LocalModel = MINILM) -> bool:
    """Whether a file that need not be there was made; its bytes are not read."""
    try:
        return name in _hashes(folder, model)
    except ModelMissing:
        return False


def intact(folder: Path, name: str, model: LocalModel = MINILM) -> bool:
    """Whether a file is there and holds what it should."""
    try:
        verified(folder, name, model)
    except ModelMissing:
        return False
    return True


def sound(folder: Path, model: LocalModel = MINILM) -> bool:
    """Whether each file is there, of this build, and holds what it should."""
    try:
        for name in model.files:
            verified(folder, name, model)
    except ModelMissing:
        return False
    return True


def verified(folder: Path, name: str, model: LocalModel = MINILM) -> Path:
    """Where a file lies, once its hash was found right: a flipped bit would spoil every vector.

    The runtime reads it from there: handing over its bytes would copy tens of megabytes twice.
    """
    hashes, path = _hashes(folder, model), folder / name
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelMissing(f"{model.name} cannot be read: {error}", hint=model.hint) from error
    if found != hashes.get(name):
        raise ModelMissing(f"{shown(str(path), 200)} is damaged", hint=model.hint)
    return path


def _hashes(folder: Path, model: LocalModel) -> dict[str, str]:
    try:
        content = json.loads((folder / MANIFEST).read_bytes())
        build, hashes = content["build"], dict(content["sha256"])
    except FileNotFoundError as error:
        raise ModelMissing(
            f"{model.name} is not in {shown(str(folder), 200)}", hint=model.hint
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelMissing(
            f"{shown(str(folder / MANIFEST), 200)} is unreadable", hint=model.hint
        ) from error
    if build != model.build or not set(model.files) <= hashes.keys():
        raise ModelMissing(f"{model.name} was built by another version of remem", hint=model.hint)
    return hashes
