"""How far was a transcript read? A mark that every opening of a memory may look at.

Which host wrote a file, where did the agent work, and is it a conversation at all?

A name proves nothing: events, queues and logs end in `.jsonl` too. The first records tell.

How is a transcript read? Recognised, turned into clean turns, rendered line by line.

reading = read(path)
if reading.why_not: …                  it is not a transcript, or no conversation
for line in reading.lines(): …         text, line of the file, role, moment
reading.skipped                        what was left out, by kind, once the lines are read

What was said since a conversation was last read? Only whole lines, each of them once.

How far it was read is told by an offset and by a digest of the bytes before it. A file that
was written anew has another digest, and is read from its beginning.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from remem.errors import FileError
from remem.files import atomic
from remem.files.transcripts import claude_code, cleaning, codex, openclaw
from remem.files.transcripts.openclaw import base_name
from remem.files.transcripts.records import (
    HostName,
    Line,
    Reader,
    Record,
    Skipped,
    Turn,
    lines,
    parsed,
    records,
    rendered,
)

READERS: Final[dict[HostName, Reader]] = {
    reader.host: reader for reader in (openclaw.READER, claude_code.READER, codex.READER)
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
            yield cleaning.is_machine_run(record.value)


def _reader_of(record: Record) -> Reader | None:
    return next((reader for reader in READERS.values() if reader.recognises(record.value)), None)


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that has been looked at. `why_not` says why it has no lines, if it has none."""

    path: Path
    reader: Reader | None
    why_not: str | None
    skipped: Skipped = field(default_factory=Skipped)

    @property
    def host(self) -> HostName | None:
        return self.reader.host if self.reader else None

    def lines(self) -> Iterator[Line]:
        """The rendered lines in order, one turn in memory at a time."""
        for turn in self.turns():
            yield from rendered(turn)

    def turns(self) -> Iterator[Turn]:
        """What was said, clean and without secrets; counts anew what it skips."""
        self.skipped.clear()
        if self.reader is None or self.why_not:
            return
        with closing(records(self.path, self.skipped)) as stream:
            yield from self.reader.turns(stream, self.skipped)


def read(path: Path) -> Reading:
    """Look at a file; nothing of it is kept until its lines are asked for."""
    head = head_of(path)
    if head.reader is None:
        return Reading(path, None, NOT_A_TRANSCRIPT)
    if is_machine_run(path, head.reader):
        return Reading(path, head.reader, MACHINE_RUN)
    return Reading(path, head.reader, None)


@dataclass(frozen=True, slots=True)
class ReadUpTo:
    """How far a transcript was read: bytes, lines, and what stood before that place.

    `size` is how long the file was then; its last line may not have been whole.
    """

    offset: int = 0
    lines: int = 0
    digest: str = ""
    size: int = 0


_LOOKED_BACK: Final = 2**16
_PIECE: Final = 2**20


@dataclass(frozen=True, slots=True)
class News:
    """What was said since; `why_not` says why nothing can be taken from the file."""

    turns: Sequence[Turn]
    upto: ReadUpTo
    why_not: str | None = None
    anew: bool = False


def source_of(path: Path) -> str:
    """The name of a conversation; its archive has the name that it had before."""
    return str(path.parent / (base_name(path.name) or path.name))


def news_in(path: Path, before: ReadUpTo | None) -> News:
    """The turns behind `before`; all of them where the file is another one by now."""
    if not path.is_file():
        raise FileError(f"there is no transcript at {path}", hint="name the host's JSONL file")
    upto = _whole_lines(path)
    anew = before is not None and not _still_stands(path, before, upto)
    start = 0 if before is None or anew else before.lines
    if upto.lines <= start:
        return News((), upto, anew=anew)
    reading = read(path)
    if reading.why_not:
        return News((), upto, reading.why_not, anew)
    turns = [turn for turn in reading.turns() if start < turn.line <= upto.lines]
    return News(turns, upto, anew=anew)


def _whole_lines(path: Path) -> ReadUpTo:
    """Where the last line ends that is whole: the host may be writing the next one."""
    end = lines = at = 0
    with atomic.streamed(path) as file:
        while piece := file.read(_PIECE):
            if (last := piece.rfind(b"\n")) >= 0:
                end = at + last + 1
                lines += piece.count(b"\n")
            at += len(piece)
        return ReadUpTo(end, lines, _digest(file, end), at)


def _still_stands(path: Path, before: ReadUpTo, now: ReadUpTo) -> bool:
    if before.offset > now.offset:
        return False
    with atomic.streamed(path) as file:
        return _digest(file, before.offset) == before.digest


def _digest(file: BinaryIO, end: int) -> str:
    start = max(0, end - _LOOKED_BACK)
    file.seek(start)
    return hashlib.sha256(file.read(end - start)).hexdigest()
