"""The journal of files that setup changes, such as AGENTS.md and the settings of hosts.

Before a file is changed, its bytes and a description of the change are saved in two files, synced
to disk. The description is written last and removed first, so bytes without a description belong to
a change that was never begun, or that is finished.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from remem.errors import FileError, RememError
from remem.files import atomic
from remem.files.layout import Layout
from remem.model.scope import MAIN

_DESCRIPTION: Final = "plan-{:06}.json"
_BYTES: Final = "before-{:06}"


@dataclass(frozen=True, slots=True)
class SetupChange:
    """A change to one file.

    `before` and `after` are digests; `before` is None for a new file. `gap` is the number of blank
    lines that were written above the text that was added.
    """

    number: int
    path: str
    before: str | None
    after: str
    gap: int


@dataclass(frozen=True, slots=True)
class SetupJournal:
    """The changes that are recorded in a folder: unfinished ones, and those that can be undone."""

    folder: Path

    @classmethod
    def of_activation(cls, layout: Layout) -> SetupJournal:
        """Return the journal of `remem activate`."""
        return cls(layout.state_folder(MAIN) / "activation")

    def changes(self, problems: list[str]) -> list[SetupChange]:
        """Return the changes whose description is readable, the newest last.

        The errors of the others are added to `problems`.
        """
        changes = []
        for path in sorted(self.folder.glob("plan-*.json")):
            try:
                changes.append(_parse_change(atomic.read(path), path))
            except RememError as error:
                problems.append(str(error))
        return changes

    def begin(self, path: str, before: bytes | None, after: bytes, gap: int) -> SetupChange:
        """Record a change before it is made; the earlier bytes then survive a power cut."""
        number = 1 + max(self._numbers(), default=0)
        change = SetupChange(
            number,
            path,
            None if before is None else atomic.digest(before),
            atomic.digest(after),
            gap,
        )
        if before is not None:
            atomic.create(self._bytes(change), before)
        atomic.create(self._description(number), json.dumps(asdict(change)).encode())
        return change

    def before(self, change: SetupChange) -> bytes | None:
        """Return the bytes before a change; raise FileError if their copy was changed."""
        if change.before is None:
            return None
        data = atomic.read(self._bytes(change))
        if data is None or atomic.digest(data) != change.before:
            raise FileError(f"{self._bytes(change)} is missing or was changed")
        return data

    def end(self, change: SetupChange) -> None:
        """Remove a change from the journal, and the bytes before it."""
        atomic.remove(self._description(change.number))
        atomic.remove(self._bytes(change))

    def keep_bytes(self, change: SetupChange, target: Path) -> None:
        """Remove a change from the journal, but move the bytes before it to `target`."""
        if atomic.read(self._bytes(change)) is not None:
            atomic.set_aside(self._bytes(change), target)
        self.end(change)

    def tidy(self) -> None:
        """Remove what an interrupted process has left.

        This is temporary files, and bytes without a description.
        """
        for path in self.folder.glob("before-*"):
            if not path.with_name(f"plan-{path.name.removeprefix('before-')}.json").exists():
                atomic.remove(path)
        for path in atomic.temporary_files(self.folder):
            atomic.remove(path)

    def _numbers(self) -> list[int]:
        names = [path.stem.rpartition("-")[2] for path in self.folder.glob("*-*")]
        return [int(name) for name in names if name.isdecimal()]

    def _description(self, number: int) -> Path:
        return self.folder / _DESCRIPTION.format(number)

    def _bytes(self, change: SetupChange) -> Path:
        return self.folder / _BYTES.format(change.number)


def _parse_change(data: bytes | None, path: Path) -> SetupChange:
    try:
        return SetupChange(**json.loads(data or b""))
    except (ValueError, TypeError) as error:
        raise FileError(f"{path} is damaged: {error}") from error
