"""List the files and transcripts of a scope that search reads, and read those that changed.

A problem with one file does not affect the others: it is recorded in the mark of the file, with the
state in which the file was read.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Final

from remem.errors import FileError, RememError
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.locks import signature_of
from remem.files.memory_files import domain_files, hard_link_rule, memory_files
from remem.files.walking import MemoryFile, Refuse
from remem.model.passage import FileMark, Passage
from remem.model.scope import Scope

if TYPE_CHECKING:
    from remem.files.transcripts.locate import Listing, Transcript


UNSETTLED_NS: Final = 2_000_000_000  # the time stamps of some file systems are this coarse
_BYTE_ORDER_MARKS: Final = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_CHUNK_BYTES: Final = 1 << 20
TRANSCRIPTS: Final = "sessions"
"""The path under which problems with finding transcripts are reported."""

Signature = tuple[int, int, int, int]
"""The modification time, status change time, size and inode of a file."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The passages of one file, and the mark that records the state in which it was read."""

    mark: FileMark
    passages: tuple[Passage, ...]


def read_file(
    file: MemoryFile, known: FileMark | None, refuse: Refuse
) -> ReadFile | FileMark | None:
    """Read a memory file.

    Returns only a new mark if the content is unchanged, and None if the file no longer exists.
    """
    signature = _signature(file)
    try:
        data = file.read(refuse)
    except (FileError, OSError) as error:
        return ReadFile(_mark(file.path, signature, "", trouble=_reason(error)), ())
    if data is None:
        return None
    digest = atomic.digest(data)
    if known is not None and known.digest == digest:
        return _mark(file.path, signature, digest, known.tokens, known.trouble)
    from remem.search.refresh.cutting import cut_file  # lazy: most refreshes find no change

    text, trouble = _text(data)
    split = cut_file(file.path, file.kind, text)
    mark = _mark(file.path, signature, digest, split.tokens, trouble or split.trouble)
    return ReadFile(mark, split.passages)


def read_transcript(transcript: Transcript, known: FileMark | None) -> ReadFile | FileMark | None:
    """Read a transcript.

    Returns only a new mark if the content is unchanged, and None if the file no longer exists.
    """
    # Imported here, because most workspaces have no transcripts.
    from remem.files.transcripts.reading import open_transcript
    from remem.search.refresh.cutting import cut_transcript

    if not transcript.file.exists():
        return None
    path, signature = transcript.reference, transcript.signature
    try:
        digest = _stream_digest(transcript.file)
        if known is not None and known.digest == digest:
            return _mark(path, signature, digest, known.tokens, known.trouble)
        split = cut_transcript(path, open_transcript(transcript.file).lines())
    except RememError as error:
        return ReadFile(_mark(path, signature, "", trouble=str(error)), ())
    return ReadFile(_mark(path, signature, digest, split.tokens), split.passages)


def _stream_digest(path: Path) -> str:
    digest = hashlib.sha256()
    with atomic.open_stream(path) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def _signature(file: MemoryFile) -> Signature:
    """Return the signature of a file from when it was listed; zeros if it has no status."""
    status = file.status
    return (0, 0, 0, 0) if status is None else signature_of(status)


def _mark(
    path: str, signature: Signature, digest: str, tokens: int = 0, trouble: str | None = None
) -> FileMark:
    """Return the mark of a file, with its signature from before it was read.

    If the file changes while it is read, its signature then differs from the mark, unless both have
    the same time stamp. So the mark of a file that has just changed makes it be read once more.
    """
    mtime, changed, size, inode = signature
    is_fresh = changed > time_ns() - UNSETTLED_NS
    return FileMark(path, size, mtime, inode, digest, tokens, trouble, 0 if is_fresh else changed)


def _is_unchanged(signature: Signature, mark: FileMark | None) -> bool:
    """Whether a file is the same as when it was read; False if it could not be read."""
    if mark is None or not mark.digest:
        return False
    return (mark.mtime_ns, mark.changed_ns, mark.size, mark.inode) == signature


def _is_known(file: MemoryFile, mark: FileMark | None) -> bool:
    if file.refused is not None:
        return mark is not None and mark.trouble == file.refused and not mark.digest
    return file.status is not None and _is_unchanged(_signature(file), mark)


def _text(data: bytes) -> tuple[str, str | None]:
    """Return the text and what is wrong with it, if anything; invalid characters become U+FFFD."""
    try:
        text = data.decode(_BYTE_ORDER_MARKS.get(data[:2], "utf-8"))
        trouble = None
    except UnicodeDecodeError as error:
        text = data.decode(errors="replace")
        trouble = f"not UTF-8 at byte {error.start}; the rest is searched"
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        trouble = trouble or f"NUL character in line {line}; the rest is searched"
        text = text.replace("\0", "\ufffd")
    return text, trouble


def _reason(error: FileError | OSError) -> str:
    if isinstance(error, OSError):
        number = error.errno or 0
        if number == errno.EFBIG:
            return f"larger than {atomic.MAX_BYTES} bytes; split it into smaller files"
        return os.strerror(number) if number else str(error)
    return str(error)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that search reads.

    `known` says whether it is unchanged since its mark was made; `read` reads it if it still
    exists. Files are read by `order`, those that are likely to be needed soonest first. `hides` is
    set if there may be files below this path that could not be listed.
    """

    path: str
    order: tuple[int, int]
    size: int
    known: Callable[[FileMark | None], bool]
    read: Callable[[FileMark | None], ReadFile | FileMark | None]
    hides: bool = False


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """Lists the source files of one scope on each call."""

    layout: Layout
    scope: Scope
    extra_paths: tuple[str, ...] = ()
    transcripts: Callable[[], Listing] | None = None

    def __call__(self) -> Iterator[SourceFile]:
        refuse = hard_link_rule(self.layout, self.scope)
        for file in memory_files(self.layout, self.scope, self.extra_paths):
            yield _from_file(file, refuse)
        yield from self._conversations(refuse)

    def _conversations(self, refuse: Refuse) -> Iterator[SourceFile]:
        """Yield the transcripts; if they cannot be listed, known passages of them are kept."""
        if self.transcripts is None:
            return
        try:
            listing = self.transcripts()
            transcripts, troubles = listing.transcripts, listing.problems
        except RememError as error:
            transcripts, troubles = (), (str(error),)
        yield from map(_from_transcript, transcripts)
        if troubles:
            placeholder = MemoryFile(
                TRANSCRIPTS,
                self.layout.root,
                (TRANSCRIPTS,),
                "folder",
                refused="; ".join(troubles),
                unknown=True,
            )
            yield _from_file(placeholder, refuse)


def domain_sources(layout: Layout, scope: Scope) -> Iterator[SourceFile]:
    """Yield the domain files of a scope, to be searched if its entries are not available."""
    refuse = hard_link_rule(layout, scope)
    for file in domain_files(layout, scope):
        yield _from_file(file, refuse)


def _from_file(file: MemoryFile, refuse: Refuse) -> SourceFile:
    status = file.status
    return SourceFile(
        path=file.path,
        order=(0 if file.kind == "curated" else 1, -(status.st_mtime_ns if status else 0)),
        size=status.st_size if status else 0,
        known=lambda mark: _is_known(file, mark),
        read=lambda mark: read_file(file, mark, refuse),
        hides=file.unknown,
    )


def _from_transcript(transcript: Transcript) -> SourceFile:
    mtime, _, size, _ = transcript.signature
    return SourceFile(
        path=transcript.reference,
        order=(2, -mtime),
        size=size,
        known=lambda mark: _is_unchanged(transcript.signature, mark),
        read=lambda mark: read_transcript(transcript, mark),
    )
