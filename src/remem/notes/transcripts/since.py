"""What was said since a conversation was last read? Only whole lines, each of them once.

How far it was read is told by an offset and by a digest of the bytes before it. A file that
was written anew has another digest, and is read from its beginning.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from remem.errors import FileError
from remem.notes import files
from remem.notes.transcripts.read_up_to import ReadUpTo
from remem.notes.transcripts.run import read
from remem.notes.transcripts.sessions_file import base_name
from remem.notes.transcripts.turns import Turn

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
    with files.streamed(path) as file:
        while piece := file.read(_PIECE):
            if (last := piece.rfind(b"\n")) >= 0:
                end = at + last + 1
                lines += piece.count(b"\n")
            at += len(piece)
        return ReadUpTo(end, lines, _digest(file, end), at)


def _still_stands(path: Path, before: ReadUpTo, now: ReadUpTo) -> bool:
    if before.offset > now.offset:
        return False
    with files.streamed(path) as file:
        return _digest(file, before.offset) == before.digest


def _digest(file: BinaryIO, end: int) -> str:
    start = max(0, end - _LOOKED_BACK)
    file.seek(start)
    return hashlib.sha256(file.read(end - start)).hexdigest()
