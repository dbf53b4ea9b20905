"""Is the local model on this machine, whole, and built by this version of remem?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from remem.errors import ModelMissing, shown

NAME: Final = "all-MiniLM-L6-v2"
SHORT_NAME: Final = "minilm"  # what `remem models fetch` calls it, and its folder
# The first digits of the built file's SHA-256: another graph makes other vectors.
BUILD: Final = "c1a3a066"

MODEL: Final = "model.onnx"
VOCABULARY: Final = "vocab.txt"
MANIFEST: Final = "manifest.json"
HINT: Final = f"run `remem models fetch {SHORT_NAME}`"


def manifest(files: Mapping[str, bytes]) -> bytes:
    """What the folder must hold, as the file that is written last."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    return json.dumps({"model": NAME, "build": BUILD, "sha256": hashes}, indent=2).encode()


def present(folder: Path) -> bool:
    """Whether each file is there and of this build; their bytes are not read."""
    try:
        return all((folder / name).is_file() for name in _hashes(folder))
    except ModelMissing:
        return False


def sound(folder: Path) -> bool:
    """Whether each file is there, of this build, and holds what it should."""
    try:
        for name in _hashes(folder):
            verified(folder, name)
    except ModelMissing:
        return False
    return True


def verified(folder: Path, name: str) -> bytes:
    """A file's content, once its hash was found right: a flipped bit would spoil every vector."""
    hashes = _hashes(folder)
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        raise ModelMissing(f"{NAME} cannot be read: {error}", hint=HINT) from error
    if hashlib.sha256(data).hexdigest() != hashes.get(name):
        raise ModelMissing(f"{shown(str(folder / name), 200)} is damaged", hint=HINT)
    return data


def _hashes(folder: Path) -> dict[str, str]:
    try:
        content = json.loads((folder / MANIFEST).read_bytes())
        build, hashes = content["build"], dict(content["sha256"])
    except FileNotFoundError as error:
        raise ModelMissing(f"{NAME} is not in {shown(str(folder), 200)}", hint=HINT) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelMissing(
            f"{shown(str(folder / MANIFEST), 200)} is unreadable", hint=HINT
        ) from error
    if build != BUILD or not {MODEL, VOCABULARY} <= hashes.keys():
        raise ModelMissing(f"{NAME} was built by another version of remem", hint=HINT)
    return hashes
