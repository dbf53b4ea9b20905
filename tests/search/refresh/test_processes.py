"""Several processes share the work of a refresh, and a killed one loses nothing."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from remem.ports.passages import PassageStore
from remem.text.words import search_terms
from tests import limits
from tests.mutants.refresh import refresh_under_a_held_lock
from tests.search.refresh.ground import opened, passages_by_file, refreshing, write
from tests.tiers import EVERYTHING

FILES = 80
WORDS = "tea cake garden hall winter storm 数据中心 greenhouse seeds wall".split()
HERE = next(p for p in Path(__file__).parents if (p / "pyproject.toml").exists())


def fill(root: Path, files: int, seed: int) -> None:
    random = Random(seed)
    for number in range(files):
        lines = [" ".join(random.choices(WORDS, k=12)) for _ in range(random.randrange(1, 60))]
        path = f"memory/{number}.md"
        write(root, {path: f"# Note {number}\n\n- " + "\n- ".join(lines)})
        os.utime(root / path, (1_700_000_000 + number,) * 2)  # the newest are read first


def started(
    root: Path, batch: int = 1 << 20, mutant: str = "", last: int = 0
) -> subprocess.Popen[str]:
    given = [str(root), str(batch), mutant, str(last)]
    program = [sys.executable, "-m", "tests.search.refresh.refresh_program", *given]
    return subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE
    )


def ready(process: subprocess.Popen[str], word: str = "ready") -> subprocess.Popen[str]:
    assert process.stdout is not None
    assert process.stdout.readline() == f"{word}\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def everything(store: PassageStore) -> dict[str, Any]:
    """All that search can learn of the store, but for the numbers of rows."""
    with store.read() as reading:
        hits = {
            word: sorted(
                reading.passages([row])[row].citation + f" {score:.6f}"
                for row, score in reading.keyword(search_terms(word), ("memory",), 10_000).hits
            )
            for word in WORDS
        }
        counts, waiting = reading.counts(), reading.vector_state().pending
    return {"passages": passages_by_file(store), "hits": hits, "counts": counts, "waiting": waiting}


def from_scratch(root: Path, tmp_path: Path) -> dict[str, Any]:
    state = tmp_path / "scratch/.remem/main"
    state.mkdir(parents=True)
    store = opened(tmp_path / "scratch")
    refreshing(root, store)()
    try:
        return everything(store)
    finally:
        store.close()


def read_by_four(root: Path, mutant: str = "") -> int:
    """How many files four processes read together."""
    fill(root, FILES, 1)
    opened(root).close()
    processes = [ready(started(root, mutant=mutant)) for _ in range(4)]
    for process in processes:
        go(process)
    if mutant:
        for process in [ready(process, "begins") for process in processes]:
            go(process)
    return sum(int(process.communicate()[0]) for process in processes)


def differs_after_kills(root: Path, tmp_path: Path, kills: int, mutant: str = "") -> bool:
    """Whether search knows anything else than after a refresh that nobody disturbed."""
    random = Random(5)
    fill(root, FILES, 2)
    killed = 0
    for attempt in range(kills):
        process = ready(started(root, 3_000, mutant, random.randint(1, 12)))
        go(process)
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        fill(root, 10, 100 + attempt)  # and somebody goes on editing
        (root / f"memory/{20 + attempt}.md").unlink(missing_ok=True)
    assert killed > kills // 2  # a late process may have too few steps left to reach its death
    store = opened(root)
    refreshing(root, store)()
    assert store.problem is None
    try:
        return everything(store) != from_scratch(root, tmp_path)
    finally:
        store.close()


def test_several_processes_read_every_file_once(root: Path, tmp_path: Path) -> None:
    assert read_by_four(root) == FILES
    store = opened(root)
    assert everything(store) == from_scratch(root, tmp_path)
    store.close()


@pytest.mark.slow
def test_without_the_lock_files_are_read_more_than_once(root: Path) -> None:
    assert read_by_four(root, "no lock") == 4 * FILES


@pytest.mark.kill
def test_a_refresh_that_is_killed_at_any_step_loses_nothing(root: Path, tmp_path: Path) -> None:
    assert not differs_after_kills(root, tmp_path, kills=8 if EVERYTHING else 4)


@pytest.mark.slow
@pytest.mark.kill
def test_a_refresh_that_marks_files_too_early_is_caught(root: Path, tmp_path: Path) -> None:
    assert differs_after_kills(root, tmp_path, 8, "marks first")


@pytest.mark.kill
def test_the_lock_of_a_killed_process_is_released(root: Path) -> None:
    fill(root, 5, 3)
    store = opened(root)
    lock = root / ".remem/main/refresh.lock"
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import fcntl, sys, time\n"
            f"file = open({str(lock)!r}, 'w'); fcntl.flock(file, fcntl.LOCK_EX)\n"
            "print('held', flush=True); time.sleep(600)",
        ],
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    holder.stdout.readline()

    waiting = refreshing(root, store)(seconds=0.05)
    holder.kill()
    holder.communicate()
    done = refreshing(root, store)()

    assert (waiting.read, waiting.waiting) == (0, 5)
    assert (done.read, done.waiting) == (5, 0)
    store.close()


def test_a_process_that_waited_for_another_has_nothing_left_to_do(root: Path) -> None:
    fill(root, 5, 4)
    store = opened(root)
    with (root / ".remem/main/refresh.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = ready(started(root))
        go(process)
        time.sleep(0.3)
        assert process.poll() is None, "it waits"
        # The one who holds the lock does the work meanwhile.
        refresh_under_a_held_lock(refreshing(root, store))
    assert int(process.communicate()[0]) == 0
    store.close()


def test_a_closed_refresh_stops_after_the_current_batch(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits.REFRESH_BATCH_BYTES, 1)
    fill(root, 20, 6)
    store = opened(root)
    refresh = refreshing(root, store)

    done = refresh(lambda read, _of: refresh.close() if read >= 3 else None)

    assert done.read < 10
    assert done.waiting == 20 - done.read
    store.close()
