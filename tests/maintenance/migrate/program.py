"""Migrates the workspace named on the command line; says when it begins and when it has ended."""

from __future__ import annotations

import sys

from remem import open_workspace
from tests.conftest import NOW


def main(root: str) -> None:
    with open_workspace(root, background=False, clock=lambda: NOW) as memory:
        print("begun", flush=True)
        memory.migrate(progress=lambda done, _files: print(done, flush=True))
    print("ended", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
