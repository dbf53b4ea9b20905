"""Migrate the workspace named on the command line; die at the n-th step if a number follows.

A step is a file that was read, or a change of an entry, in the middle of its transaction. One
that runs to the end prints the number of steps.
"""

from __future__ import annotations

import sys

import pytest

from remem.app.opening import open_workspace
from remem.store.sqlite.transaction import SqliteTransaction
from tests.conftest import NOW
from tests.faults.dying import Steps
from tests.limits import MIGRATION_BATCH


def main(root: str, last: int = 0) -> None:
    steps = Steps(last)
    steps.around(SqliteTransaction, "insert", "update")
    pytest.MonkeyPatch().setattr(MIGRATION_BATCH, 40)  # a small workspace takes several batches too
    with open_workspace(root, background=False, clock=lambda: NOW) as memory:
        memory.setup.migrate(progress=lambda _done, _files: steps.take())
    print(steps.taken)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
