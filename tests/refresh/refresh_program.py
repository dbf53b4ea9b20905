"""Refreshes the workspace that it is given; prints how many files it read.

As a mutant it does what must not be done: without a lock, or marking files as read before
their passages are kept.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from remem.core.passage import FileMark
from remem.refresh import Refresh, run
from remem.refresh.reading import Taken
from tests.refresh.ground import opened, refreshing


@contextmanager
def no_turn(_self: Refresh, _seconds: float | None) -> Iterator[bool]:
    yield True


def marks_first(self: Refresh, batch: Sequence[Taken | FileMark | str]) -> None:
    taken = [each for each in batch if isinstance(each, Taken)]
    self._store.remark([each.mark for each in taken])
    time.sleep(0.05)
    self._store.replace([(each.mark, each.passages) for each in taken])


def main(root: Path, batch: int, mutant: str) -> None:
    run._BATCH = batch  # type: ignore[misc]
    if mutant == "no lock":
        Refresh._turn = no_turn  # type: ignore[method-assign]
    if mutant == "marks first":
        Refresh._keep = marks_first  # type: ignore[method-assign]
    store = opened(root)
    print("ready", flush=True)
    sys.stdin.readline()
    done = refreshing(root, store)()
    print(done.read, flush=True)
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
