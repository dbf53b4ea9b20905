"""How does a file that is remem's alone come into a host's folder, and out of it?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.errors import NotAllowed
from remem.hosts.targets import Before, Unknown

MARK: Final = b"written by `remem connect`"
"""Stands in every file that is ours whole; a person who makes it his own takes it out."""


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file that nobody else writes."""

    path: Path
    content: bytes
    mark: bytes = MARK

    def added(self, data: bytes | None) -> bytes:
        if data is not None and data != self.content and self.mark not in data:
            raise NotAllowed(
                f"{self.path} is there already, and remem did not write it",
                hint="move it away; it was not touched",
            )
        return self.content

    def cleared(self, data: bytes, before: Before) -> bytes | None:
        if self.mark not in data:
            return data
        return None if isinstance(before, Unknown) else before
