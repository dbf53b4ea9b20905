"""Recognise transcripts, read them as clean turns or rendered lines, and find what is new.

    reading = open_transcript(path)
    if reading.why_not: …                  it is not a transcript, or not a conversation
    for line in reading.lines(): …         text, line of the file, role, time
    reading.skipped                        what was left out, by reason, once the lines are read

A file name proves nothing, since events, queues and logs end in `.jsonl` too: the first records
show whether a file is a transcript. How far a transcript was read is recorded as an offset with a
digest of the bytes before it; a file that was rewritten has a different digest and is read again
from the beginning.
"""

from __future__ import annotations

import hashlib
import os.path
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from remem.errors import FileError
from remem.files import atomic
from remem.files.transcripts import claude_code, codex, openclaw
from remem.files.transcripts.openclaw import base_name
from remem.files.transcripts.records import (
    HEAD_RECORDS,
    HostName,
    JsonRecord,
    Skipped,
    TranscriptReader,
    Turn,
    records,
    render,
)
from remem.ports.state import Namespace
from remem.text.path_escapes import printable

READERS: Final[dict[HostName, TranscriptReader]] = {
    reader.host: reader for reader in (openclaw.READER, claude_code.READER, codex.READER)
}
NOT_A_TRANSCRIPT: Final = "not a transcript"
MACHINE_RUN: Final = "not a conversation: a scheduled run, an OpenClaw dreaming run or a sub-agent"


@dataclass(frozen=True, slots=True)
class TranscriptHead:
    """The host and working folder of a file; if `reader` is None, it is not a transcript."""

    reader: TranscriptReader | None
    cwd: str | None


def head_of(path: Path) -> TranscriptHead:
    """Find out the host and the working folder, reading no more records than needed."""
    reader, cwd = None, None
    with closing(records(path, Skipped())) as stream:
        for record in islice(stream, HEAD_RECORDS):
            reader = reader or _reader_of(record)
            cwd = cwd or (reader.cwd(record.value) if reader else None)
            if reader and cwd:
                break
    return TranscriptHead(reader, cwd)


def _reader_of(record: JsonRecord) -> TranscriptReader | None:
    return next((reader for reader in READERS.values() if reader.recognises(record.value)), None)


@dataclass(frozen=True, slots=True)
class OpenedTranscript:
    """A file to be read as a transcript; `why_not` is the reason if that is impossible."""

    path: Path
    reader: TranscriptReader | None
    why_not: str | None
    skipped: Skipped = field(default_factory=Skipped)

    @property
    def host(self) -> HostName | None:
        return self.reader.host if self.reader else None

    def lines(self) -> Iterator[Turn]:
        """Yield the rendered turns in order; only one turn of the file is in memory at a time."""
        for turn in self.turns():
            yield from render(turn)

    def turns(self) -> Iterator[Turn]:
        """Yield the turns, clean and without secrets; every call counts `skipped` from zero."""
        self.skipped.clear()
        if self.reader is None or self.why_not:
            return
        with closing(records(self.path, self.skipped)) as stream:
            yield from self.reader.turns(stream, self.skipped)


def open_transcript(path: Path) -> OpenedTranscript:
    """Check whether a file is a transcript; its lines are only read when they are requested."""
    head = head_of(path)
    if head.reader is None:
        return OpenedTranscript(path, None, NOT_A_TRANSCRIPT)
    if head.reader.is_machine_run(path):
        return OpenedTranscript(path, head.reader, MACHINE_RUN)
    return OpenedTranscript(path, head.reader, None)


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """The position up to which a transcript was read.

    It consists of an offset, the number of lines up to it, and a digest of the bytes before it.

    `size` is the file size at that time; it exceeds the offset if the last line was incomplete.
    """

    offset: int = 0
    lines: int = 0
    digest: str = ""
    size: int = 0


LEARNED: Final[Namespace[ReadPosition]] = Namespace("conversation", ReadPosition)
"""How far each source has been read to learn from it."""
CITED: Final[Namespace[ReadPosition]] = Namespace("cited", ReadPosition)
"""How far each conversation has been read to count citations."""


_DIGESTED_BYTES: Final = 2**16
_CHUNK: Final = 2**20


@dataclass(frozen=True, slots=True)
class NewTurns:
    """The new turns, or all turns if the file was `rewritten`; `upto` is how far it was read.

    `why_not` is the reason if it cannot be read as a transcript.
    """

    turns: Sequence[Turn]
    upto: ReadPosition
    why_not: str | None = None
    rewritten: bool = False


def source_of(path: Path) -> str:
    """Return the name of a conversation.

    An archived transcript keeps the name that it had before.
    """
    source = str(path.parent / (base_name(path.name) or path.name))
    if printable(source) != source:
        raise FileError(
            f"the name of the transcript {printable(source)} is not valid UTF-8", hint="rename it"
        )
    return source


def new_turns(path: Path, last_read: ReadPosition | None) -> NewTurns:
    """Return the turns after `last_read`; all turns if the file was rewritten since then."""
    if not os.path.isfile(path):  # noqa: PTH113 - `Path` raises an error if a name is too long
        raise FileError(f"there is no transcript at {path}", hint="pass the host's JSONL file")
    upto = _end_of_complete_lines(path)
    rewritten = last_read is not None and not _read_part_is_unchanged(path, last_read, upto)
    start = 0 if last_read is None or rewritten else last_read.lines
    if upto.lines <= start:
        return NewTurns((), upto, rewritten=rewritten)
    reading = open_transcript(path)
    if reading.why_not:
        return NewTurns((), upto, reading.why_not, rewritten)
    turns = [turn for turn in reading.turns() if start < turn.line <= upto.lines]
    return NewTurns(turns, upto, rewritten=rewritten)


def _end_of_complete_lines(path: Path) -> ReadPosition:
    """Return the end of the last complete line; the host may be writing the next line."""
    end = lines = at = 0
    with atomic.open_stream(path) as file:
        while chunk := file.read(_CHUNK):
            if (last := chunk.rfind(b"\n")) >= 0:
                end = at + last + 1
                lines += chunk.count(b"\n")
            at += len(chunk)
        return ReadPosition(end, lines, _digest(file, end), at)


def _read_part_is_unchanged(path: Path, last_read: ReadPosition, now: ReadPosition) -> bool:
    if last_read.offset > now.offset:
        return False
    with atomic.open_stream(path) as file:
        return _digest(file, last_read.offset) == last_read.digest


def _digest(file: BinaryIO, end: int) -> str:
    start = max(0, end - _DIGESTED_BYTES)
    file.seek(start)
    return hashlib.sha256(file.read(end - start)).hexdigest()
