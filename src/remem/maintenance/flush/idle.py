"""Is it time to flush because nobody speaks any more? Once after half an hour, if something
was said that is not flushed yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Final

from remem.core.moments import parsed
from remem.maintenance.flush import ledger
from remem.notes.transcripts.places import Transcript
from remem.notes.transcripts.since import source_of
from remem.ports import Reading

IDLE: Final = timedelta(minutes=30)
_LONG_AGO: Final = timedelta(days=1)
"""Conversations that ended before remem was asked to listen are left alone."""


def is_idle(last_said: str, now: str) -> bool:
    """Whether a conversation has been quiet for so long, and not for much longer."""
    quiet = parsed(now) - parsed(last_said)
    return IDLE <= quiet <= _LONG_AGO


def quiet_ones(
    transcripts: Iterable[Transcript], reading: Reading, now: str
) -> Iterator[Transcript]:
    """Those that have grown quiet and hold something new."""
    for each in transcripts:
        if not is_idle(each.moment, now):
            continue
        mark = ledger.read_up_to(reading, source_of(each.file))
        size = each.signature[2]
        if mark is None or mark.size != size:
            yield each
