"""A layer under SQLite that refuses the operation with a given number."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import apsw

NAME = "failing"


@dataclass
class Disk:
    """Counts what SQLite asks of it, and fails at operation `at`, or from there on."""

    at: int = 0
    error: type[apsw.Error] = apsw.IOError
    for_good: bool = False
    count: int = 0
    refused: list[str] = field(default_factory=list)

    def asked(self, what: str) -> None:
        self.count += 1
        if self.at and (self.count == self.at or (self.for_good and self.count > self.at)):
            self.refused.append(what)
            raise self.error(f"refused: {what} number {self.count}")

    def repair(self) -> None:
        self.at = 0


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: apsw.URIFilename | str | None, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._disk = disk

    def xWrite(self, data: bytes, offset: int) -> None:
        self._disk.asked("write")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self._disk.asked("sync")
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:
        self._disk.asked("truncate")
        super().xTruncate(size)

    def xRead(self, amount: int, offset: int) -> bytes:
        self._disk.asked("read")
        return super().xRead(amount, offset)

    def xFileSize(self) -> int:
        self._disk.asked("size")
        return super().xFileSize()


class _Layer(apsw.VFS):
    def __init__(self, disk: Disk) -> None:
        super().__init__(NAME, "")
        self._disk = disk

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> apsw.VFSFile:
        self._disk.asked("open")
        return _File(self._disk, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:
        self._disk.asked("delete")
        super().xDelete(name, sync)


@contextmanager
def failing(disk: Disk) -> Iterator[str]:
    """The name of a layer that stands on this disk, while the block lasts."""
    layer = _Layer(disk)
    try:
        yield NAME
    finally:
        layer.unregister()
