"""Recognise transcripts, read them as clean turns or rendered lines, and find what is new.

    transcript = open_transcript(path)
    transcript.refusal                     why it cannot be read: it is not a conversation
    for line in transcript.lines(): …      text, line of the file, role, time
    transcript.skipped                     what was left out, by reason, after the lines were read

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
_MAX_DIGESTED_BYTES: Final = 2**16
_CHUNK: Final = 2**20


@dataclass(frozen=True, slots=True)
class TranscriptHead:
    """The host and working folder of a file; if `reader` is None, it is not a transcript."""

    reader: TranscriptReader | None
    cwd: str | None


def head_of(path: Path) -> TranscriptHead:
    """Return the host and the working folder of a file, according to its first records."""
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
    """A file to be read as a transcript.

    `refusal` says why it is not read; None if it is. `skipped` counts the records that the last
    call of `turns` or `lines` left out.
    """

    path: Path
    reader: TranscriptReader | None
    refusal: str | None
    skipped: Skipped = field(default_factory=Skipped)

    @property
    def host(self) -> HostName | None:
        return self.reader.host if self.reader else None

    def lines(self) -> Iterator[Turn]:
        """Yield the turns as lines of text (`render`); only one turn is in memory at a time."""
        for turn in self.turns():
            yield from render(turn)

    def turns(self) -> Iterator[Turn]:
        """Yield the turns, without secrets and without what the host has added."""
        self.skipped.clear()
        if self.reader is None or self.refusal:
            return
        with closing(records(self.path, self.skipped)) as stream:
            yield from self.reader.turns(stream, self.skipped)


def open_transcript(path: Path) -> OpenedTranscript:
    """Return a file as a transcript, after checking whether it is one; the turns are read later."""
    head = head_of(path)
    if head.reader is None:
        return OpenedTranscript(path, None, NOT_A_TRANSCRIPT)
    if head.reader.is_machine_run(path):
        return OpenedTranscript(path, head.reader, MACHINE_RUN)
    return OpenedTranscript(path, head.reader, None)


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """How far a transcript was read: an offset, and the number of lines before it.

    `digest` is that of the bytes before the offset, `size` that of the whole file at that time,
    which exceeds the offset if the last line was incomplete.
    """

    offset: int = 0
    lines: int = 0
    digest: str = ""
    size: int = 0


LEARNED: Final[Namespace[ReadPosition]] = Namespace("conversation", ReadPosition)
"""How far each source has been read to learn from it."""
CITED: Final[Namespace[ReadPosition]] = Namespace("cited", ReadPosition)
"""How far each conversation has been read to count citations."""


@dataclass(frozen=True, slots=True)
class NewTurns:
    """The new turns of a transcript, or all turns if the file was `rewritten`.

    `read_to` is how far it was read; `refusal` says why it is not read as a transcript.
    """

    turns: Sequence[Turn]
    read_to: ReadPosition
    refusal: str | None = None
    rewritten: bool = False


def source_of(path: Path) -> str:
    """Return the source of what is learned from a transcript: its path before it was archived."""
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
    read_to = _end_of_complete_lines(path)
    rewritten = last_read is not None and not _read_part_is_unchanged(path, last_read, read_to)
    start = 0 if last_read is None or rewritten else last_read.lines
    if read_to.lines <= start:
        return NewTurns((), read_to, rewritten=rewritten)
    transcript = open_transcript(path)
    if transcript.refusal:
        return NewTurns((), read_to, transcript.refusal, rewritten)
    turns = [turn for turn in transcript.turns() if start < turn.line <= read_to.lines]
    return NewTurns(turns, read_to, rewritten=rewritten)


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
    """Return whether the file still begins with the bytes that were read before."""
    if last_read.offset > now.offset:
        return False
    with atomic.open_stream(path) as file:
        return _digest(file, last_read.offset) == last_read.digest


def _digest(file: BinaryIO, end: int) -> str:
    """Return the digest of the last bytes before an offset."""
    start = max(0, end - _MAX_DIGESTED_BYTES)
    file.seek(start)
    return hashlib.sha256(file.read(end - start)).hexdigest()
