"""Passages: pieces of memory files and transcripts, and the state in which a file was read."""

from __future__ import annotations

from typing import Final, Literal

from remem.fast_dataclass import dataclass

Source = Literal["memory", "sessions"]
SOURCES: Final[tuple[Source, ...]] = ("memory", "sessions")


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines `start` to `end` of `path`, counted from 1, exactly as in the file.

    `path` is relative to the workspace, with forward slashes. `headings` are the headings above the
    passage, the highest first; `within` are the bullets that it is nested in, the outermost first.
    `curated` means that its file is one in which every line was written to be found. `day` is the
    date in the file's name or in a heading. `importance`, `triggers` and `project` come from
    annotations of the host.
    """

    path: str
    start: int
    end: int
    text: str
    headings: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    source: Source = "memory"
    curated: bool = False
    day: str | None = None
    importance: int | None = None
    triggers: str | None = None
    project: str | None = None

    @property
    def context(self) -> str:
        """The headings and bullets above the passage, which say what it is about."""
        return "\n".join((*self.headings, *self.within))

    @property
    def in_context(self) -> str:
        """The passage with its context, readable without the rest of the file."""
        from remem.text.line_status import without_annotations  # slow to import

        text = without_annotations(self.text)
        return f"{self.context}\n{text}" if self.headings or self.within else text

    @property
    def is_talk(self) -> bool:
        """Whether it comes from a transcript, so that anybody may have said it."""
        return self.source == "sessions"

    @property
    def citation(self) -> str:
        """The path and the lines, such as `MEMORY.md#L4-L6`."""
        if self.start == self.end:
            return f"{self.path}#L{self.start}"
        return f"{self.path}#L{self.start}-L{self.end}"


@dataclass(frozen=True, slots=True)
class FileMark:
    """The state of a file when it was read; a difference shows that it has changed.

    `digest` is the SHA-256 of its bytes, and `tokens` the cost of the whole file. `problem` says
    what could not be read; a file that could not be read at all has no digest and no passages.
    `changed_ns` is the time of the last change that the system recorded; it is 0 if the file was
    read so soon after that a further change could have the same time.
    """

    path: str
    size: int
    mtime_ns: int
    inode: int
    digest: str
    tokens: int = 0
    problem: str | None = None
    changed_ns: int = 0
