"""What may have changed? The files of a scope, and its transcripts, where those are allowed.

What does a memory file say, however it was saved? Its text, its mark, and what is wrong.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import time_ns
from typing import TYPE_CHECKING, Final

from remem.errors import FileError, RememError
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.memory_files import domain_files, memory_files, second_names
from remem.files.walking import LINK, MemoryFile, Refuse
from remem.model.passage import FileMark, Passage
from remem.model.scope import Scope

if TYPE_CHECKING:
    from remem.files.transcripts.places import Listing, Transcript


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
    digest = atomic.digest(data)
    if known is not None and known.digest == digest:
        return _mark(file, digest, tokens=known.tokens, refused=known.trouble)
    from remem.search.refresh.cutting import cut  # most looks find nothing that has changed

    text, trouble = _text(data)
    made = cut(file.path, file.kind, text)
    mark = _mark(file, digest, tokens=made.tokens, refused=trouble or made.trouble)
    return Taken(mark, made.passages)


def _bytes(file: MemoryFile, refuse: Refuse) -> bytes | None:
    from remem.files.safe_open import Astray, read_beneath

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
            return f"it is larger than {atomic.MAX_BYTES} bytes; split it into smaller files"
        return os.strerror(number) if number else str(error)
    return str(error)


TRANSCRIPTS: Final = "sessions"
"""The path under which trouble with finding transcripts is told."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that search reads. `known` says whether it looks as it did when it was marked;
    `take` reads it, if it is still there. `order` puts first what is asked for soonest.

    `hides` is set where files below this path may be there although they were not seen.
    """

    path: str
    order: tuple[int, int]
    size: int
    known: Callable[[FileMark | None], bool]
    take: Callable[[FileMark | None], Taken | FileMark | None]
    hides: bool = False


@dataclass(frozen=True, slots=True)
class Sources:
    """Lists the sources of one scope anew each time it is called."""

    layout: Layout
    scope: Scope
    extra_paths: tuple[str, ...] = ()
    transcripts: Callable[[], Listing] | None = None

    def __call__(self) -> Iterator[Source]:
        refuse = second_names(self.layout, self.scope)
        for file in memory_files(self.layout, self.scope, self.extra_paths):
            yield _of_file(file, refuse)
        yield from self._conversations(refuse)

    def _conversations(self, refuse: Refuse) -> Iterator[Source]:
        """The transcripts; where they cannot be found, what was known of them stays."""
        if self.transcripts is None:
            return
        try:
            listing = self.transcripts()
            found, troubles = listing.transcripts, listing.troubles
        except RememError as error:
            found, troubles = (), (str(error),)
        yield from map(_of_transcript, found)
        if troubles:
            place = MemoryFile(
                TRANSCRIPTS,
                self.layout.root,
                (TRANSCRIPTS,),
                "folder",
                refused="; ".join(troubles),
                unknown=True,
            )
            yield _of_file(place, refuse)


def domain_sources(layout: Layout, scope: Scope) -> Iterator[Source]:
    """The domain files of a scope, in place of entries that cannot be had."""
    refuse = second_names(layout, scope)
    for file in domain_files(layout, scope):
        yield _of_file(file, refuse)


def _of_file(file: MemoryFile, refuse: Refuse) -> Source:
    status = file.status
    return Source(
        path=file.path,
        order=(0 if file.kind == "curated" else 1, -(status.st_mtime_ns if status else 0)),
        size=status.st_size if status else 0,
        known=lambda mark: is_known(file, mark),
        take=lambda mark: take(file, mark, refuse),
        hides=file.unknown,
    )


def _of_transcript(transcript: Transcript) -> Source:
    from remem.search.refresh.cutting import is_known_transcript, take_transcript

    mtime, _, size, _ = transcript.signature
    return Source(
        path=transcript.reference,
        order=(2, -mtime),
        size=size,
        known=lambda mark: is_known_transcript(transcript, mark),
        take=lambda mark: take_transcript(transcript, mark),
    )
