"""What is a passage? A piece of a memory file or transcript, with its lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Source = Literal["memory", "sessions"]


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines `start` to `end` of `path`, counted from 1, as they stand in the file.

    `path` is relative to the workspace, with forward slashes. `headings` are those above
    the passage, the highest first. `day` is the date that the file's name or the heading
    gives. `importance`, `triggers` and `project` come from the host's annotations.
    """

    path: str
    start: int
    end: int
    text: str
    headings: tuple[str, ...] = ()
    source: Source = "memory"
    curated: bool = False
    day: str | None = None
    importance: int | None = None
    triggers: str | None = None
    project: str | None = None

    @property
    def citation(self) -> str:
        if self.start == self.end:
            return f"{self.path}#L{self.start}"
        return f"{self.path}#L{self.start}-L{self.end}"
