"""One thing goes on beside its caller, and no error of it is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from remem.search.refresh.refresh import BackgroundTask


def fail() -> None:
    raise OSError("the disk is full")


def test_work_goes_on_in_a_thread_of_its_own() -> None:
    where: list[str] = []
    with BackgroundTask() as beside:
        beside.begin(lambda: where.append(threading.current_thread().name))

    assert where == ["remem passages"]


def test_one_thing_is_done_after_the_other() -> None:
    done: list[int] = []
    with BackgroundTask() as beside:
        for number in range(20):
            beside.begin(lambda number=number: done.append(number))  # type: ignore[misc]

    assert done == list(range(20))


def one_after_the_other(*works: Callable[[], None]) -> None:
    with BackgroundTask() as beside:
        for work in works:
            beside.begin(work)


def test_an_error_is_told_before_anything_else_is_begun() -> None:
    done: list[str] = []

    with pytest.raises(OSError, match="the disk is full"):
        one_after_the_other(fail, lambda: done.append("more"))

    assert done == []


def test_an_error_of_the_last_thing_is_told_at_the_end() -> None:
    with pytest.raises(OSError, match="the disk is full"):
        one_after_the_other(lambda: None, fail)


def test_the_callers_own_error_comes_first_and_nothing_is_left_running() -> None:
    done: list[str] = []

    def work() -> None:
        done.append("work")
        fail()

    def reading() -> None:
        with BackgroundTask() as beside:
            beside.begin(work)
            raise ValueError("unreadable")

    with pytest.raises(ValueError, match="unreadable"):
        reading()

    assert done == ["work"]
    assert "remem passages" not in [each.name for each in threading.enumerate()]
