"""What does a memory file say, however it was saved? Its text, its mark, and what is wrong."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from time import time_ns
from typing import Final

from remem.core.passage import FileMark, Passage
from remem.errors import FileError
from remem.notes import files
from remem.notes.walking import LINK, MemoryFile, Refuse

UNSETTLED: Final = 2_000_000_000  # nanoseconds; some disks keep time in steps as long as this
_WIDE: Final = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True, slots=True)
class Taken:
    """What was read of one file."""

    mark: FileMark
    passages: tuple[Passage, ...]


def is_known(file: MemoryFile, mark: FileMark | None) -> bool:
    """Whether the file looks as it did when it was read. One that could not be read then is
    tried again."""
    if mark is None:
        return False
    if file.refused is not None:
        return mark.trouble == file.refused and not mark.digest
    status = file.status
    return (
        status is not None
        and mark.digest != ""
        and (mark.size, mark.mtime_ns, mark.changed_ns, mark.inode)
        == (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    )


def take(file: MemoryFile, known: FileMark | None, refuse: Refuse) -> Taken | FileMark | None:
    """The file's passages; its new mark alone where the bytes are as they were; None if it is
    gone. Nothing that is wrong with one file is an error for the others."""
    if file.refused is not None:
        return Taken(_mark(file, "", refused=file.refused), ())
    try:
        data = _bytes(file, refuse)
    except (FileError, OSError) as error:
        return Taken(_mark(file, "", refused=_reason(error)), ())
    if data is None:
        return None
    digest = files.digest(data)
    if known is not None and known.digest == digest:
        return _mark(file, digest, tokens=known.tokens, refused=known.trouble)
    from remem.refresh.cutting import cut  # most looks find nothing that has changed

    text, trouble = _text(data)
    made = cut(file.path, file.kind, text)
    mark = _mark(file, digest, tokens=made.tokens, refused=trouble or made.trouble)
    return Taken(mark, made.passages)


def _bytes(file: MemoryFile, refuse: Refuse) -> bytes | None:
    from remem.notes.beneath import Astray, read_beneath

    try:
        found = read_beneath(file.folder, file.parts, refuse)
    except Astray as error:
        raise FileError(str(error) if error.__cause__ is None else LINK) from None
    return None if found is None else found.data


def _mark(
    file: MemoryFile, digest: str, *, tokens: int = 0, refused: str | None = None
) -> FileMark:
    """The status from before the reading: what is saved meanwhile differs from it. A change in
    the same tick of the disk's clock would not, so a fresh file is looked at once more."""
    status = file.status
    if status is None:
        return FileMark(file.path, 0, 0, 0, digest, tokens, refused)
    fresh = status.st_ctime_ns > time_ns() - UNSETTLED
    return FileMark(
        path=file.path,
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        inode=status.st_ino,
        digest=digest,
        tokens=tokens,
        trouble=refused,
        changed_ns=0 if fresh else status.st_ctime_ns,
    )


def _text(data: bytes) -> tuple[str, str | None]:
    """The text, and what of it could not be read; that stands as U+FFFD."""
    try:
        text = data.decode(_WIDE.get(data[:2], "utf-8"))
        trouble = None
    except UnicodeDecodeError as error:
        text = data.decode(errors="replace")
        trouble = f"it is not UTF-8 at byte {error.start}; the rest of it is searched"
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        trouble = trouble or f"it has a NUL character in line {line}; the rest of it is searched"
        text = text.replace("\0", "\ufffd")
    return text, trouble


def _reason(error: FileError | OSError) -> str:
    if isinstance(error, OSError):
        number = error.errno or 0
        if number == errno.EFBIG:
            return f"it is larger than {files.MAX_BYTES} bytes; split it into smaller files"
        return os.strerror(number) if number else str(error)
    return str(error)
