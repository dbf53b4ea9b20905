"""How does what a conversation taught get into memory, exactly once, however it ends?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from remem.maintenance.flush.result import Flushed


class _Flushes(Protocol):
    """A workspace, which stands above this."""

    def flush_transcript(self, transcript: Path, reason: str) -> Flushed: ...


def flush_transcript(workspace: _Flushes, transcript: Path, reason: str) -> Flushed:
    """What hooks call: write down what a transcript says that is not written yet."""
    return workspace.flush_transcript(transcript, reason)
