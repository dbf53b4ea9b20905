"""Which host wrote a file, where did the agent work, and is it a conversation at all?

A name proves nothing: events, queues and logs end in `.jsonl` too. The first records tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from remem.notes.transcripts import chatter, claude_code, codex, openclaw
from remem.notes.transcripts.records import lines, parsed, records
from remem.notes.transcripts.turns import HostName, Reader, Record, Skipped

READERS: Final[dict[HostName, Reader]] = {
    each.host: each for each in (openclaw.READER, claude_code.READER, codex.READER)
}
NOT_A_TRANSCRIPT: Final = "not a transcript"
MACHINE_RUN: Final = "a scheduled run, dreaming or a sub-agent's errand: no conversation"

_FIRST: Final = 50
_ARCHIVE: Final = re.compile(r".+\.jsonl\.(?:reset|deleted)\.[^/]+")
_HINTS: Final = (b"dreaming-narrative-", b":cron:")


@dataclass(frozen=True, slots=True)
class Head:
    """What the first records tell; without a host it is no transcript."""

    reader: Reader | None
    cwd: str | None


def head_of(path: Path) -> Head:
    """Reads no further than it must."""
    found, cwd = None, None
    with closing(records(path, Skipped())) as stream:
        for record in islice(stream, _FIRST):
            found = found or _reader_of(record)
            cwd = cwd or (found.cwd(record.value) if found else None)
            if found and cwd:
                break
    return Head(found, cwd)


def is_machine_run(path: Path, reader: Reader) -> bool:
    """Whether no person took part. It may show only at the end, so that all of it is looked
    at, but only the few lines that could say so are parsed."""
    if reader is openclaw.READER:
        return any(_runs(path))
    if reader is codex.READER:
        with closing(records(path, Skipped())) as stream:
            return any(codex.is_subagent(record.value) for record in islice(stream, _FIRST))
    return False


def _runs(path: Path) -> Iterator[bool]:
    """What each telling line says. An archive has lost its key: there the first prompt tells."""
    opening = _ARCHIVE.fullmatch(path.name) is not None
    with closing(lines(path, Skipped())) as stream:
        for number, line in stream:
            hinted = any(hint in line for hint in _HINTS)
            if not hinted and not (opening and b'"user"' in line):
                continue
            record = parsed(number, line, Skipped())
            if record is None:
                continue
            if opening and (scheduled := openclaw.is_scheduled_prompt(record.value)) is not None:
                opening = False
                yield scheduled
            yield chatter.is_machine_run(record.value)


def _reader_of(record: Record) -> Reader | None:
    return next((each for each in READERS.values() if each.recognises(record.value)), None)
