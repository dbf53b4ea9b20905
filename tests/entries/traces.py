"""Search every byte of a workspace for traces of a memory, from another process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

GREP = """
import sys
from pathlib import Path
words = [word.encode() for word in sys.argv[2].split(",")]
for path in sorted(Path(sys.argv[1]).rglob("*")):
    if path.is_file():
        data = path.read_bytes().lower()
        for word in words:
            if word in data:
                print(path.relative_to(sys.argv[1]).as_posix(), word.decode())
"""
STEMS = ("zanzibarian", "zanzibar", "quetzal", "observatori", "observatory", "yucatan")


def traces(root: Path) -> str:
    """The files that hold one of the words, or of their stems, each with the word."""
    command = [sys.executable, "-c", GREP, str(root), ",".join(STEMS)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
