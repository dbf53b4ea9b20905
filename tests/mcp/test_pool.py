"""A few memories are open at a time, each of them once, and none that nobody uses."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from remem.errors import NotAllowed, StoreClosed
from remem.mcp.sessions import WorkspacePool


class Memory:
    """Counts how many of its kind are open."""

    def __init__(self, whose: str, log: list[str]) -> None:
        self.whose, self.log, self.closed = whose, log, False
        log.append(f"open {whose}")

    def close(self) -> None:
        assert not self.closed
        self.closed = True
        self.log.append(f"close {self.whose}")


@pytest.fixture
def log() -> list[str]:
    return []


def use(pool: WorkspacePool, whose: str, log: list[str]) -> Any:
    with pool.borrow(whose, lambda: Memory(whose, log)) as memory:  # type: ignore[arg-type, return-value]
        assert not memory.closed  # type: ignore[attr-defined]
        assert memory.whose == whose  # type: ignore[attr-defined]
        return memory


def test_a_memory_stays_open_for_the_next_call(log: list[str]) -> None:
    pool = WorkspacePool()

    assert use(pool, "a", log) is use(pool, "a", log)
    assert log == ["open a"]
    pool.close()
    assert log == ["open a", "close a"]


def test_the_one_unused_for_longest_gives_way(log: list[str]) -> None:
    time = iter(range(100))
    pool = WorkspacePool(max_open=2, now=lambda: float(next(time)))

    for whose in ("a", "b", "a", "c"):
        use(pool, whose, log)

    assert log == ["open a", "open b", "close b", "open c"]
    pool.close()


def test_what_nobody_uses_is_closed_and_what_is_in_use_is_not(log: list[str]) -> None:
    now = [0.0]
    pool = WorkspacePool(idle=60, now=lambda: now[0])
    use(pool, "a", log)

    with pool.borrow("b", lambda: Memory("b", log)):  # type: ignore[arg-type, return-value]
        now[0] = 61
        pool.close_idle()
        assert log == ["open a", "open b", "close a"]

    pool.close_idle()
    assert log[-1] == "close a"
    now[0] = 122
    pool.close_idle()
    assert log[-1] == "close b"
    pool.close()


def test_idle_memories_are_closed_without_being_asked(log: list[str]) -> None:
    pool = WorkspacePool(idle=0.01)
    use(pool, "a", log)

    while "close a" not in log:
        threading.Event().wait(0.01)

    assert log == ["open a", "close a"]
    pool.close()


def test_who_is_refused_takes_no_place(log: list[str]) -> None:
    pool = WorkspacePool(max_open=1)

    def refuse() -> Any:
        raise NotAllowed("this room has no name")

    for _ in range(3):
        with pytest.raises(NotAllowed), pool.borrow("x", refuse):
            pass
    use(pool, "a", log)

    assert log == ["open a"]
    pool.close()


def test_forty_callers_of_ten_sessions_share_three_places(log: list[str]) -> None:
    pool, most = WorkspacePool(max_open=3), 0
    inside: set[str] = set()
    guard = threading.Lock()

    def call(number: int) -> None:
        nonlocal most
        whose = f"s{number % 10}"
        with pool.borrow(whose, lambda: Memory(whose, log)) as memory:  # type: ignore[arg-type, return-value]
            with guard:
                inside.add(whose)
                most = max(most, len(inside))
            assert memory.whose == whose  # type: ignore[attr-defined]
            assert not memory.closed  # type: ignore[attr-defined]
            threading.Event().wait(0.001)
            with guard:
                inside.discard(whose)

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(call, range(400)))
    pool.close()

    assert most <= 3
    opened = [event for event in log if event.startswith("open")]
    assert len(opened) == len(log) - len(opened)


def test_a_closed_pool_lends_nothing_and_waiting_callers_get_an_error(log: list[str]) -> None:
    pool, told = WorkspacePool(max_open=1), list[str]()

    def wait() -> None:
        try:
            use(pool, "b", log)
        except StoreClosed as error:
            told.append(str(error))

    with pool.borrow("a", lambda: Memory("a", log)):  # type: ignore[arg-type, return-value]
        waiting = threading.Thread(target=wait)
        waiting.start()
        pool.close()
        waiting.join()

    assert told == ["the server is shutting down"]
    with pytest.raises(StoreClosed):
        use(pool, "a", log)
