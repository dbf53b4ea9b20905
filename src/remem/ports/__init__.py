"""Interfaces to the outside: entry and passage stores, models, the clock."""

from __future__ import annotations

from collections.abc import Callable

Clock = Callable[[], str]
"""Returns the current time in UTC, `YYYY-MM-DDTHH:MM:SSZ`."""
