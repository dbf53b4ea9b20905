"""Runs a command of remem that dies at a chosen step, if it comes that far.

    python -m tests.faults.command_program N ARGUMENTS...

A step is just before, or just after, a call that changes a file or a transaction of the store.
"""

from __future__ import annotations

import os
import sys

from remem.cli.main import main
from tests.faults.dying import Steps

_CALLS = ("fsync", "fchmod", "link", "mkdir", "rename", "replace", "unlink")

if __name__ == "__main__":
    steps = Steps(int(sys.argv.pop(1)))
    steps.around(os, *_CALLS)
    steps.around_transactions()
    main()
