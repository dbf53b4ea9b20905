"""Save the bytes of a file, synced to disk, before the file is changed.

A plan consists of two files: the earlier bytes, and a page that describes the change. The page is
written last and removed first, so a plan without a page was never begun, or is finished.
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

_PAGE: Final = "plan-{:06}.json"
_BYTES: Final = "before-{:06}"


@dataclass(frozen=True, slots=True)
class PlannedWrite:
    """One change to one file.

    `before` and `after` are digests, and `before` is None for a new file.
    """

    number: int
    path: str
    before: str | None
    after: str
    gap: int


@dataclass(frozen=True, slots=True)
class PlanJournal:
    """The unfinished plans in a folder."""

    folder: Path

    @classmethod
    def for_layout(cls, layout: Layout) -> PlanJournal:
        return cls(layout.state_folder(MAIN) / "activation")

    def plans(self, problems: list[str]) -> list[PlannedWrite]:
        """Return every readable plan, the newest last.

        `problems` collects the errors of unreadable plans.
        """
        plans = []
        for page in sorted(self.folder.glob("plan-*.json")):
            try:
                plans.append(_plan(atomic.read(page), page))
            except RememError as error:
                problems.append(str(error))
        return plans

    def begin(self, path: str, before: bytes | None, after: bytes, gap: int) -> PlannedWrite:
        """Save the earlier bytes; when this returns, they survive a power cut."""
        number = 1 + max(self._numbers(), default=0)
        plan = PlannedWrite(
            number,
            path,
            None if before is None else atomic.digest(before),
            atomic.digest(after),
            gap,
        )
        if before is not None:
            atomic.create(self._bytes(plan), before)
        atomic.create(self._page(number), json.dumps(asdict(plan)).encode())
        return plan

    def before(self, plan: PlannedWrite) -> bytes | None:
        """Return the earlier bytes; FileError if the copy has been changed."""
        if plan.before is None:
            return None
        data = atomic.read(self._bytes(plan))
        if data is None or atomic.digest(data) != plan.before:
            raise FileError(f"{self._bytes(plan)} is missing or was changed")
        return data

    def end(self, plan: PlannedWrite) -> None:
        """Remove a finished plan; its bytes are no longer needed here."""
        atomic.remove(self._page(plan.number))
        atomic.remove(self._bytes(plan))

    def keep_bytes(self, plan: PlannedWrite, target: Path) -> None:
        """End a plan, but move the earlier bytes to `target`."""
        if atomic.read(self._bytes(plan)) is not None:
            atomic.set_aside(self._bytes(plan), target)
        self.end(plan)

    def tidy(self) -> None:
        """Remove what an interrupted process has left.

        Bytes without a page are not needed: the file still has them, or the plan is finished.
        """
        for path in self.folder.glob("before-*"):
            if not path.with_name(f"plan-{path.name.removeprefix('before-')}.json").exists():
                atomic.remove(path)
        for stray in atomic.strays(self.folder):
            atomic.remove(stray)

    def _numbers(self) -> list[int]:
        names = [path.stem.rpartition("-")[2] for path in self.folder.glob("*-*")]
        return [int(name) for name in names if name.isdecimal()]

    def _page(self, number: int) -> Path:
        return self.folder / _PAGE.format(number)

    def _bytes(self, plan: PlannedWrite) -> Path:
        return self.folder / _BYTES.format(plan.number)


def _plan(data: bytes | None, page: Path) -> PlannedWrite:
    try:
        return PlannedWrite(**json.loads(data or b""))
    except (ValueError, TypeError) as error:
        raise FileError(f"{page} is damaged: {error}") from error
