"""Passages: pieces of memory files and transcripts, and the state in which a file was read."""

from __future__ import annotations

from typing import Final, Literal

from remem.fast_dataclass import dataclass

Source = Literal["memory", "sessions"]
SOURCES: Final[tuple[Source, ...]] = ("memory", "sessions")


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines `start` to `end` of `path`, counted from 1, exactly as in the file.

    `path` is relative to the workspace, with forward slashes. `headings` are those above
    the passage, highest first; `within` are the bullets that it is nested in, outermost
    first. `day` is the date in the file's name or in a heading.
    `importance`, `triggers` and `project` come from the host's annotations.
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
        """Whether it is from a transcript, where anybody may have spoken."""
        return self.source == "sessions"

    @property
    def citation(self) -> str:
        if self.start == self.end:
            return f"{self.path}#L{self.start}"
        return f"{self.path}#L{self.start}-L{self.end}"


@dataclass(frozen=True, slots=True)
class FileMark:
    """The state of a file when it was read, from which a change is detected.

    `digest` is the SHA-256 of its bytes; `tokens` is what the whole file costs a model.
    `problem` says what could not be read; an entirely unreadable file has no digest and no
    passages. `changed_ns` is the time of the last change that the system recorded; 0 if that
    was too close to the reading to tell one change from the next.
    """

    path: str
    size: int
    mtime_ns: int
    inode: int
    digest: str
    tokens: int = 0
    problem: str | None = None
    changed_ns: int = 0
