from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from remem.errors import StoreError, StoreReadOnly
from remem.store.sqlite.process_lock import ProcessLock

HOLDER = """
import sys, time
from pathlib import Path
from remem.store.sqlite.process_lock import ProcessLock
with ProcessLock(Path(sys.argv[1])):
    print("inside", flush=True)
    time.sleep(600)
"""


def is_locked(path: Path) -> bool:
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_only_one_process_holds_the_lock(tmp_path: Path) -> None:
    inside, most = 0, 0

    def visit(turns: ProcessLock) -> None:
        nonlocal inside, most
        for _ in range(50):
            with turns:
                inside += 1
                most = max(most, inside)
                time.sleep(0.0001)
                inside -= 1
        turns.close()

    threads = [threading.Thread(target=visit, args=(ProcessLock(tmp_path),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == 1


def test_a_waiting_process_comes_before_the_previous_holder(tmp_path: Path) -> None:
    order = []
    first, second = ProcessLock(tmp_path), ProcessLock(tmp_path)

    def wait() -> None:
        with second:
            order.append("second")

    thread = threading.Thread(target=wait)
    with first:
        order.append("first")
        thread.start()
        while not is_locked(tmp_path / "door.lock"):
            time.sleep(0.001)
    with first:
        order.append("first again")
    thread.join()

    assert order == ["first", "second", "first again"]


@pytest.mark.kill
def test_a_lock_is_released_when_its_process_dies(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "inside\n"
    assert is_locked(tmp_path / "pen.lock")
    holder.kill()
    holder.wait()
    holder.stdout.close()

    with ProcessLock(tmp_path):
        assert is_locked(tmp_path / "pen.lock")


def test_lock_files_are_private_and_not_inherited(tmp_path: Path) -> None:
    turns = ProcessLock(tmp_path)

    for name in ("door.lock", "pen.lock"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    descriptors = [
        int(link.name)
        for link in Path("/proc/self/fd").iterdir()
        if os.path.lexists(link) and Path(os.readlink(link)).parent == tmp_path
    ]
    assert len(descriptors) >= 2
    assert not any(os.get_inheritable(descriptor) for descriptor in descriptors)
    turns.close()


def test_a_missing_folder_makes_the_lock_fail(tmp_path: Path) -> None:
    with pytest.raises(StoreReadOnly, match="nowhere"):
        ProcessLock(tmp_path / "nowhere")


def test_a_file_system_without_locks_is_a_store_error(tmp_path: Path) -> None:
    turns = ProcessLock(tmp_path)
    turns.close()

    with pytest.raises(StoreError, match="cannot lock files in"), turns:
        pass
