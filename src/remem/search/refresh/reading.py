"""List the files and transcripts of a scope that search reads, and read those that changed.

A problem with one file does not affect the others: it is recorded in the mark of the file, with the
state in which the file was read.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import time_ns
from typing import TYPE_CHECKING, Final

from remem.errors import FileError, RememError
from remem.fast_dataclass import dataclass
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.locks import Signature, signature_of
from remem.files.memory_files import domain_files, hard_link_rule, memory_files
from remem.files.walking import MemoryFile, Refuse
from remem.model.passage import FileMark, Passage
from remem.model.scope import Scope

if TYPE_CHECKING:
    from remem.files.transcripts.locate import Transcript, TranscriptListing
    from remem.search.refresh.cutting import FilePassages


UNSETTLED_NS: Final = 2_000_000_000  # the time stamps of some file systems are this coarse
_BYTE_ORDER_MARKS: Final = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_ORDER: Final = {"curated": 0, "sessions": 2}
TRANSCRIPTS: Final = "sessions"
"""The path under which problems with finding transcripts are reported."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The passages of one file, and the mark that records the state in which it was read."""

    mark: FileMark
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class _Content:
    """The content of a file: its digest, and a function that cuts it into passages."""

    digest: str
    cut: Callable[[], FilePassages]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file or transcript that search reads, with its signature from when it was listed.

    `open` returns None if the file no longer exists. `refused` is why it must not be opened;
    `is_unlistable`: there may be files below this path that could not be listed.
    """

    path: str
    kind: str
    signature: Signature | None
    open: Callable[[], _Content | None]
    refused: str | None = None
    is_unlistable: bool = False

    @property
    def modified_ns(self) -> int:
        return self.signature[0] if self.signature else 0

    @property
    def size(self) -> int:
        return self.signature[2] if self.signature else 0

    @property
    def order(self) -> tuple[int, int]:
        """The sort key by which files that are likely to be needed soonest are read first."""
        return _ORDER.get(self.kind, 1), -self.modified_ns

    def is_known(self, mark: FileMark | None) -> bool:
        """Return whether the file is as it was when it was read; False if it was unreadable."""
        if mark is None:
            return False
        if self.refused is not None:
            return mark.problem == self.refused and not mark.digest
        signature = (mark.mtime_ns, mark.changed_ns, mark.size, mark.inode)
        return bool(mark.digest) and signature == self.signature

    def read(self, old_mark: FileMark | None) -> ReadFile | FileMark | None:
        """Read the file.

        Return only a new mark if the content is unchanged, and None if it no longer exists.
        """
        try:
            content = self.open()
            if content is None:
                return None
            if old_mark is not None and old_mark.digest == content.digest:
                return self._mark(content.digest, old_mark.tokens, old_mark.problem)
            split = content.cut()
        except (RememError, OSError) as error:
            return ReadFile(self._mark("", problem=_reason(error)))
        return ReadFile(self._mark(content.digest, split.tokens, split.problem), split.passages)

    def _mark(self, digest: str, tokens: int = 0, problem: str | None = None) -> FileMark:
        """Return the mark of the file, with its signature from before it was read.

        If the file changes while it is read, its signature then differs from the mark, unless both
        have the same time stamp. So a file that has just changed is read once more.
        """
        mtime, changed, size, inode = self.signature or (0, 0, 0, 0)
        if changed > time_ns() - UNSETTLED_NS:
            changed = 0
        return FileMark(self.path, size, mtime, inode, digest, tokens, problem, changed)


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """Lists the source files of one scope on each call."""

    layout: Layout
    scope: Scope
    extra_paths: tuple[str, ...] = ()
    transcripts: Callable[[], TranscriptListing] | None = None

    def __call__(self) -> Iterator[SourceFile]:
        refuse = hard_link_rule(self.layout, self.scope)
        for file in memory_files(self.layout, self.scope, self.extra_paths):
            yield _from_file(file, refuse)
        if self.transcripts is not None:
            yield from _conversations(self.transcripts)


def domain_sources(layout: Layout, scope: Scope) -> Iterator[SourceFile]:
    """Yield the domain files of a scope, to be searched if its entries are not available."""
    refuse = hard_link_rule(layout, scope)
    for file in domain_files(layout, scope):
        yield _from_file(file, refuse)


def _from_file(file: MemoryFile, refuse: Refuse) -> SourceFile:
    def content() -> _Content | None:
        data = file.read(refuse)
        if data is None:
            return None
        return _Content(atomic.digest(data), lambda: _cut(file, data))

    signature = signature_of(file.status) if file.status else None
    return SourceFile(file.path, file.kind, signature, content, file.refused, file.unknown)


def _cut(file: MemoryFile, data: bytes) -> FilePassages:
    """Cut a file into passages; characters that are not valid become U+FFFD."""
    from remem.search.refresh.cutting import cut_file  # lazy: most refreshes find no change

    problem = None
    try:
        text = data.decode(_BYTE_ORDER_MARKS.get(data[:2], "utf-8"))
    except UnicodeDecodeError as error:
        text = data.decode(errors="replace")
        problem = f"not UTF-8 at byte {error.start}; the rest is searched"
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        problem = problem or f"NUL character in line {line}; the rest is searched"
        text = text.replace("\0", "\ufffd")
    split = cut_file(file.path, file.kind, text)
    return replace(split, problem=problem or split.problem)


def _conversations(list_transcripts: Callable[[], TranscriptListing]) -> Iterator[SourceFile]:
    """Yield the transcripts; if they cannot be listed, known passages of them are kept."""
    try:
        listing = list_transcripts()
        transcripts, problems = listing.transcripts, listing.problems
    except RememError as error:
        transcripts, problems = (), (str(error),)
    yield from map(_from_transcript, transcripts)
    if problems:
        reason = "; ".join(problems)

        def refuse() -> None:
            raise FileError(reason)

        yield SourceFile(TRANSCRIPTS, "folder", None, refuse, refused=reason, is_unlistable=True)


def _from_transcript(transcript: Transcript) -> SourceFile:
    def content() -> _Content | None:
        if not transcript.file.exists():
            return None
        with atomic.open_stream(transcript.file) as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return _Content(digest, lambda: _cut_transcript(transcript))

    return SourceFile(transcript.reference, "sessions", transcript.signature, content)


def _cut_transcript(transcript: Transcript) -> FilePassages:
    # Imported here, because most workspaces have no transcripts.
    from remem.files.transcripts.reading import open_transcript
    from remem.search.refresh.cutting import cut_transcript

    return cut_transcript(transcript.reference, open_transcript(transcript.file).lines())


def _reason(error: RememError | OSError) -> str:
    if isinstance(error, OSError) and error.errno == errno.EFBIG:
        return f"larger than {atomic.MAX_BYTES} bytes; split it into smaller files"
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    return str(error)
