"""Refreshes the workspace that it is given; prints how many files it read.

With a number it dies at that step: before a batch is kept, or after it. As a mutant it does
what must not be done: without a lock, or marking files as read before their passages are kept.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.faults.dying import Steps
from tests.limits import REFRESH_BATCH_BYTES
from tests.mutants.refresh import dying_around_batches, marking_first, without_a_lock
from tests.search.refresh.ground import opened, refreshing


def wait(word: str) -> None:
    print(word, flush=True)
    sys.stdin.readline()


def main(root: Path, batch: int, mutant: str, last: int) -> None:
    pytest.MonkeyPatch().setattr(REFRESH_BATCH_BYTES, batch)
    steps = Steps(last)
    if mutant == "no lock":
        without_a_lock(lambda: wait("begins"))
    if mutant == "marks first":
        marking_first(steps)
    dying_around_batches(steps)
    store = opened(root)
    wait("ready")
    done = refreshing(root, store)()
    print(done.read, flush=True)
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
