"""Report what an installation of remem takes on disk, and what each large part is for.

python scripts/installed_size.py                installs this clone into a new environment
python scripts/installed_size.py remem[tokens]  installs this requirement instead
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import venv
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PURPOSES: Final = {
    "onnxruntime": "runs the local model: semantic search",
    "numpy": "vectors; onnxruntime needs it too",
    "splintr-rs": "counts tokens exactly",
    "apsw": "SQLite with all that remem needs of it",
    "pystemmer": "finds other forms of a word",
    "mcp": "the MCP server",
    "pydantic_core": "checks MCP messages, for mcp",
    "cryptography": "for mcp's authorisation",
    "remem": "remem itself",
}
LARGE: Final = 1_000_000

_LIST: Final = """
import importlib.metadata as metadata
for found in metadata.distributions():
    size = sum(p.stat().st_size for f in found.files or () if (p := f.locate()).is_file())
    print(found.metadata["Name"].lower(), size)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("requirement", nargs="?", default=str(ROOT))
    wanted = parser.parse_args().requirement
    with TemporaryDirectory(prefix="remem-size-") as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / "bin" / "python")
        subprocess.run(  # noqa: S603 - no shell
            [python, "-m", "pip", "install", "--quiet", "--no-compile", wanted],
            check=True,
            stdout=sys.stderr,
        )
        sizes = sizes_of(python)
    show(sizes)


def sizes_of(python: str) -> Counter[str]:
    """The bytes of each distribution in an environment; pip itself is not counted."""
    listed = subprocess.run(  # noqa: S603 - no shell
        [python, "-c", _LIST], capture_output=True, text=True, check=True
    )
    sizes = Counter[str]()
    for line in listed.stdout.splitlines():
        name, size = line.split()
        if name not in ("pip", "setuptools"):
            sizes[name] = int(size)
    return sizes


def show(sizes: Counter[str]) -> None:
    for name, size in sizes.most_common():
        if size >= LARGE:
            print(f"{size / 1e6:7.1f} MB  {name:<22}{PURPOSES.get(name, '')}".rstrip())
    rest = [size for size in sizes.values() if size < LARGE]
    print(f"{sum(rest) / 1e6:7.1f} MB  {len(rest)} smaller packages")
    print(f"{sizes.total() / 1e6:7.1f} MB  in all ({len(sizes)} packages)")


if __name__ == "__main__":
    main()
