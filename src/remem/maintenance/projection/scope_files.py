"""Where do the files of a scope lie, and how is one put in the place of another's bytes?"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from remem.core.homes import place_from
from remem.core.scope import Scope
from remem.notes import files
from remem.notes.checksums import Checksums
from remem.notes.layout import Layout
from remem.notes.locks import alone, alone_within
from remem.ports import Clock, Store


@dataclass(frozen=True, slots=True)
class ScopeFiles:
    """The Markdown of one scope, beside its store."""

    store: Store
    layout: Layout
    scope: Scope
    clock: Clock

    @property
    def checksums(self) -> Checksums:
        """Makes and checks the checksums of these files."""
        return Checksums(self.layout, self.scope)

    def path(self, mark: str) -> Path:
        return self.layout.domain_path(self.scope, *place(mark))

    def name(self, path: Path) -> str:
        return path.relative_to(self.layout.root).as_posix()

    def announce(self, text: str) -> None:
        self.store.write(lambda tx: tx.announce(self.clock(), text))

    def alone(self) -> AbstractContextManager[None]:
        """One process at a time brings files and store together."""
        return alone(self._lock)

    def alone_within(self, seconds: float | None) -> AbstractContextManager[bool]:
        """The same, or False for whoever did not get the lock in time."""
        return alone_within(self._lock, seconds)

    @property
    def _lock(self) -> Path:
        return self.layout.state_folder(self.scope) / "files.lock"

    def write(
        self, path: Path, text: bytes, now: bytes | None
    ) -> tuple[files.Outcome, bytes | None]:
        """Put `text` in the place of `now`; else the bytes of whoever was faster."""
        if now is None:
            created = files.create(path, text)
            return ("swapped", None) if created else ("changed", files.read(path))
        swapped = files.swap(
            path,
            text,
            expected=files.digest(now),
            keep=files.unused(self.layout.aside(self.scope), f"{path.name}.{files.digest(now)}"),
            conflict=files.unused(self.layout.conflicts(self.scope), path.name),
        )
        if swapped.kept is not None and swapped.outcome == "displaced":
            self.announce(
                f"{self.name(path)} was saved while it was written; "
                f"that save is kept in {self.name(swapped.kept)}"
            )
        return swapped.outcome, swapped.found


def place(mark: str) -> tuple[str, int]:
    """The home and the part of it that a mark names."""
    found = place_from(mark)
    assert found is not None, mark
    return found
