"""Somebody looks now and then whether a conversation has fallen silent."""

from __future__ import annotations

import threading

import pytest

from remem.errors import FileError
from remem.maintenance.flush.alarm import Alarm
from remem.maintenance.flush.idle import is_idle


def test_it_looks_again_and_again_and_remembers_what_went_wrong() -> None:
    looked = threading.Semaphore(0)
    failing = threading.Event()
    failing.set()

    def look() -> None:
        looked.release()
        if failing.is_set():
            raise FileError("the transcript is gone")

    alarm = Alarm(look, every=0.001)
    for _ in range(3):
        looked.acquire()
    assert alarm.trouble == "the transcript is gone"
    failing.clear()
    for _ in range(3):
        looked.acquire()
    alarm.close()

    assert alarm.trouble is None
    assert not any(each.name == "remem idle" for each in threading.enumerate())


@pytest.mark.parametrize(
    ("last", "idle"),
    [
        ("2026-11-15T11:31:00Z", False),
        ("2026-11-15T11:30:00Z", True),
        ("2026-11-14T12:00:00Z", True),
        ("2026-11-14T11:59:59Z", False),
        ("2026-11-15T12:30:00Z", False),
    ],
)
def test_half_an_hour_is_silence_and_a_day_is_the_past(last: str, idle: bool) -> None:
    assert is_idle(last, "2026-11-15T12:00:00Z") is idle
