"""Which passages does a transcript give? What was said, some turns each, with its own lines.

Transcripts grow at their end: what was said before keeps its passages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import groupby
from time import time_ns
from typing import TYPE_CHECKING, Final

from remem.core.passage import FileMark, Passage
from remem.core.tokens import estimate
from remem.errors import RememError
from remem.notes import files
from remem.refresh.pieces import pieces
from remem.refresh.reading import UNSETTLED, Taken

if TYPE_CHECKING:
    from remem.notes.transcripts.places import Transcript
    from remem.notes.transcripts.rendering import Line

_STEP: Final = 1 << 20


def is_known_transcript(transcript: Transcript, mark: FileMark | None) -> bool:
    if mark is None or not mark.digest:
        return False
    mtime, changed, size, inode = transcript.signature
    return (mark.mtime_ns, mark.changed_ns, mark.size, mark.inode) == (mtime, changed, size, inode)


def take_transcript(transcript: Transcript, known: FileMark | None) -> Taken | FileMark | None:
    """Its passages; its new mark alone where the bytes are as they were; None if it is gone."""
    from remem.notes.transcripts.run import read  # most memories keep no transcripts

    if not transcript.file.exists():
        return None
    try:
        digest = _digest(transcript)
        if known is not None and known.digest == digest:
            return _mark(transcript, digest, known.tokens, known.trouble)
        passages = tuple(cut_lines(transcript.reference, read(transcript.file).lines()))
    except RememError as error:
        return Taken(_mark(transcript, "", 0, str(error)), ())
    tokens = sum(estimate(each.text) for each in passages)
    return Taken(_mark(transcript, digest, tokens, None), passages)


def cut_lines(reference: str, lines: Iterator[Line]) -> Iterator[Passage]:
    """Passages of one day each; those of a long conversation overlap a little."""
    for day, of_day in groupby(lines, lambda line: line.moment[:10] if line.moment else None):
        said = list(of_day)
        for piece in pieces([each.text for each in said], 1, len(said)):
            yield Passage(
                path=reference,
                start=said[piece.start - 1].line,
                end=said[piece.end - 1].line,
                text=piece.text,
                source="sessions",
                day=day,
            )


def _digest(transcript: Transcript) -> str:
    found = hashlib.sha256()
    with files.streamed(transcript.file) as stream:
        while step := stream.read(_STEP):
            found.update(step)
    return found.hexdigest()


def _mark(transcript: Transcript, digest: str, tokens: int, trouble: str | None) -> FileMark:
    mtime, changed, size, inode = transcript.signature
    return FileMark(
        path=transcript.reference,
        size=size,
        mtime_ns=mtime,
        inode=inode,
        digest=digest,
        tokens=tokens,
        trouble=trouble,
        changed_ns=0 if changed > time_ns() - UNSETTLED else changed,
    )
