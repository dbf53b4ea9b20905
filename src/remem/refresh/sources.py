"""What may have changed? The files of a scope, and its transcripts, where those are allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from remem.core.passage import FileMark
from remem.core.scope import Scope
from remem.errors import RememError
from remem.notes.layout import Layout
from remem.notes.memory_files import MemoryFile, domain_files, memory_files, second_names
from remem.notes.walking import Refuse
from remem.refresh.reading import Taken, is_known, take

if TYPE_CHECKING:
    from remem.notes.transcripts.places import Listing, Transcript

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
    from remem.refresh.conversations import is_known_transcript, take_transcript

    mtime, _, size, _ = transcript.signature
    return Source(
        path=transcript.reference,
        order=(2, -mtime),
        size=size,
        known=lambda mark: is_known_transcript(transcript, mark),
        take=lambda mark: take_transcript(transcript, mark),
    )
