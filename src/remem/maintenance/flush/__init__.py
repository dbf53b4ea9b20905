"""How does what a conversation taught get into memory, exactly once, however it ends?"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from remem.maintenance.flush.conversation import Heard, listen, require_own
from remem.maintenance.flush.items import read_items
from remem.maintenance.flush.job import Flushing
from remem.maintenance.flush.result import Flushed, Kept, Refused
from remem.maintenance.flush.run import flush, is_due, settle

__all__ = [
    "Flushed",
    "Flushing",
    "Heard",
    "Kept",
    "Refused",
    "flush",
    "flush_transcript",
    "is_due",
    "listen",
    "read_items",
    "require_own",
    "settle",
]


class _Flushes(Protocol):
    """A workspace, which stands above this."""

    def flush_transcript(self, transcript: Path, reason: str) -> Flushed: ...


def flush_transcript(workspace: _Flushes, transcript: Path, reason: str) -> Flushed:
    """What hooks call: write down what a transcript says that is not written yet."""
    return workspace.flush_transcript(transcript, reason)
