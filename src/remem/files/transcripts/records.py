"""How are the records of a JSONL file read, however long or broken its lines are?

One line is held at a time, and none that is longer than `LONGEST`. Lines end at LF alone, so
that their numbers are those of every other program.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO, Final

from remem.notes import files
from remem.notes.transcripts.turns import Record, Skipped

LONGEST: Final = 8 * 2**20
_PIECE: Final = 2**16
_BOM: Final = b"\xef\xbb\xbf"


def records(path: Path, skipped: Skipped) -> Generator[Record, None, None]:
    """Every JSON object of the file; what is none is counted."""
    for number, line in lines(path, skipped):
        if record := parsed(number, line, skipped):
            yield record


def lines(path: Path, skipped: Skipped) -> Generator[tuple[int, bytes], None, None]:
    """Every line with its number, from 1; empty ones and those that are too long are left out."""
    with files.streamed(path) as file:
        number = 0
        while line := file.readline(LONGEST + 1):
            number += 1
            if len(line) > LONGEST and not line.endswith(b"\n"):
                skipped["too long"] += 1
                _pass_over(file)
            elif not line.isspace():
                yield number, line.removeprefix(_BOM) if number == 1 else line


def parsed(number: int, line: bytes, skipped: Skipped) -> Record | None:
    try:
        value = json.loads(line.decode())
    except UnicodeDecodeError:
        skipped["not utf-8"] += 1
    except (ValueError, RecursionError):  # also numbers and nesting beyond all measure
        skipped["not json"] += 1
    else:
        if isinstance(value, dict):
            return Record(number, value)
        skipped["wrong shape"] += 1
    return None


def _pass_over(file: BinaryIO) -> None:
    """Read on to the end of the line without keeping it."""
    while piece := file.readline(_PIECE):
        if piece.endswith(b"\n"):
            return
