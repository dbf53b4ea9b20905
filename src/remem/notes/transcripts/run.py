"""How is a transcript read? Recognised, turned into clean turns, rendered line by line.

reading = read(path)
if reading.why_not: …                  it is not a transcript, or no conversation
for line in reading.lines(): …         text, line of the file, role, moment
reading.skipped                        what was left out, by kind, once the lines are read
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from remem.notes.transcripts.look import MACHINE_RUN, NOT_A_TRANSCRIPT, head_of, is_machine_run
from remem.notes.transcripts.records import records
from remem.notes.transcripts.rendering import Line, rendered
from remem.notes.transcripts.turns import HostName, Reader, Skipped, Turn


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that has been looked at. `why_not` says why it has no lines, if it has none."""

    path: Path
    reader: Reader | None
    why_not: str | None
    skipped: Skipped = field(default_factory=Skipped)

    @property
    def host(self) -> HostName | None:
        return self.reader.host if self.reader else None

    def lines(self) -> Iterator[Line]:
        """The rendered lines in order, one turn in memory at a time."""
        for turn in self.turns():
            yield from rendered(turn)

    def turns(self) -> Iterator[Turn]:
        """What was said, clean and without secrets; counts anew what it skips."""
        self.skipped.clear()
        if self.reader is None or self.why_not:
            return
        with closing(records(self.path, self.skipped)) as stream:
            yield from self.reader.turns(stream, self.skipped)


def read(path: Path) -> Reading:
    """Look at a file; nothing of it is kept until its lines are asked for."""
    head = head_of(path)
    if head.reader is None:
        return Reading(path, None, NOT_A_TRANSCRIPT)
    if is_machine_run(path, head.reader):
        return Reading(path, head.reader, MACHINE_RUN)
    return Reading(path, head.reader, None)
