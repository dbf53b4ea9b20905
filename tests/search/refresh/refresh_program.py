"""Refreshes the workspace that it is given; prints how many files it read.

With a number it dies at that step: before a batch is kept, or after it. As a mutant it does
what must not be done: without a lock, or marking files as read before their passages are kept.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from remem.model.passage import FileMark
from remem.search.refresh import refresh
from remem.search.refresh.reading import ReadFile
from remem.search.refresh.refresh import Refresh
from tests.faults.dying import Steps
from tests.search.refresh.ground import opened, refreshing


def without_a_lock() -> None:
    """Whoever has seen what is to be done begins when all the others have seen it too."""
    read = Refresh._read

    @contextmanager
    def no_lock(_self: Refresh, _seconds: float | None) -> Iterator[bool]:
        yield True

    def together(self: Refresh, *given: Any) -> Any:
        wait("begins")
        return read(self, *given)

    Refresh._locked = no_lock  # type: ignore[method-assign]
    Refresh._read = together  # type: ignore[method-assign]


def marking_first(steps: Steps) -> None:
    def marks_first(self: Refresh, batch: Sequence[ReadFile | FileMark | str]) -> None:
        taken = [file for file in batch if isinstance(file, ReadFile)]
        self._store.write(lambda tx: tx.update_marks([file.mark for file in taken]))
        steps.take()
        self._store.write(lambda tx: tx.replace([(file.mark, file.passages) for file in taken]))

    Refresh._store_batch = marks_first  # type: ignore[method-assign]


def wait(word: str) -> None:
    print(word, flush=True)
    sys.stdin.readline()


def main(root: Path, batch: int, mutant: str, last: int) -> None:
    refresh._BATCH_BYTES = batch  # type: ignore[misc]
    steps = Steps(last)
    if mutant == "no lock":
        without_a_lock()
    if mutant == "marks first":
        marking_first(steps)
    steps.around(Refresh, "_store_batch")
    store = opened(root)
    wait("ready")
    done = refreshing(root, store)()
    print(done.read, flush=True)
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
