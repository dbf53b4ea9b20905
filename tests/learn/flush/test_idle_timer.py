"""Conversations that became idle are noticed by a timer."""

from __future__ import annotations

import threading
import time

import pytest

from remem.errors import FileError
from remem.learn.flush.flush import IdleTimer, is_idle


def test_the_timer_checks_repeatedly_and_keeps_the_last_error() -> None:
    looked = 0
    gone, back = threading.Event(), threading.Event()

    def look() -> None:
        """The third waits, and is the last that fails."""
        nonlocal looked
        looked += 1
        if looked == 3:
            gone.set()
            back.wait()
        if looked <= 3:
            raise FileError("the transcript is gone")

    alarm = IdleTimer(look, every=0.001)
    gone.wait()
    assert alarm.trouble == "the transcript is gone"
    back.set()
    while looked < 5:
        time.sleep(0.001)
    alarm.close()

    assert alarm.trouble is None
    assert not alarm._thread.is_alive()


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
def test_a_conversation_is_idle_after_half_an_hour_and_old_after_a_day(
    last: str, idle: bool
) -> None:
    assert is_idle(last, "2026-11-15T12:00:00Z") is idle
