"""What is a passage? A piece of a memory file or transcript, with its lines, and what was
read of the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from remem.text.line_status import without_annotations

Source = Literal["memory", "sessions"]


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines `start` to `end` of `path`, counted from 1, as they stand in the file.

    `path` is relative to the workspace, with forward slashes. `headings` are those above
    the passage, the highest first; `within` are the bullets that it is nested in, the
    outermost first. `day` is the date that the file's name or the heading gives.
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
        """What stands above the passage and tells what it is about."""
        return "\n".join((*self.headings, *self.within))

    @property
    def in_context(self) -> str:
        """The passage as one understands it without the rest of its file."""
        told = without_annotations(self.text)
        return f"{self.context}\n{told}" if self.headings or self.within else told

    @property
    def is_talk(self) -> bool:
        """Whether it was said in a conversation, where anybody may have spoken."""
        return self.source == "sessions"

    @property
    def citation(self) -> str:
        if self.start == self.end:
            return f"{self.path}#L{self.start}"
        return f"{self.path}#L{self.start}-L{self.end}"


@dataclass(frozen=True, slots=True)
class FileMark:
    """What was read of a file, by which a change is seen.

    `digest` is that of the bytes, in SHA-256; `tokens` is what the whole file costs a model.
    `trouble` says what could not be read; a file of which nothing could be has no digest and
    no passages. `changed_ns` is when the system last saw any change of it; 0 if that was too
    shortly before it was read to tell one change from the next.
    """

    path: str
    size: int
    mtime_ns: int
    inode: int
    digest: str
    tokens: int = 0
    trouble: str | None = None
    changed_ns: int = 0
