"""A conversation is idle for a while after its last message, and then belongs to the past."""

from __future__ import annotations

from remem.learn.flush.flush import is_idle
from tests.tables import each_row


@each_row(
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
