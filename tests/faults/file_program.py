"""Writes one memory file, says so, and waits to be killed.

    python -m tests.faults.file_program FOLDER create|swap [--mutant NAME]

What it says is the path and the words that must stand there, with a tab between them.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from remem.files import atomic
from tests.mutants import apply

OLD, NEW = "old words\n" * 400, "new words " * 400


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("way", choices=["create", "swap"])
    parser.add_argument("--mutant")
    options = parser.parse_args()
    path = options.folder / "facts.md"
    if options.way == "swap":
        atomic.create(path, OLD.encode())
        os.sync()
    if options.mutant:
        apply(options.mutant)
    if options.way == "create":
        atomic.create(path, NEW.encode())
    else:
        expected = atomic.digest(OLD.encode())
        keep, conflict = options.folder / "keep", options.folder / "conflict"
        atomic.swap(path, NEW.encode(), expected=expected, keep=keep, conflict=conflict)
    os.write(sys.stdout.fileno(), f"{path}\t{NEW}\n".encode())
    time.sleep(600)


if __name__ == "__main__":
    main()
