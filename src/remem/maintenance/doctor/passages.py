"""Does search know what the files say? They are read again, into memory, and compared."""

from __future__ import annotations

from collections.abc import Iterator

from remem.core.passage import FileMark
from remem.ports import PassageReading, PassageStore


def differences(kept: PassageStore, fresh: PassageStore) -> Iterator[str]:
    """What search knows differently of a file that has not changed since it was read. Files
    that have changed, or came or went, are no flaw: the next search reads them."""
    with kept.read() as known, fresh.read() as read:
        now = read.files()
        wrong = [
            path
            for path, mark in known.files().items()
            if path in now and _same(mark, now[path]) and _said(known, path) != _said(read, path)
        ]
    if wrong:
        some = ", ".join(wrong[:5]) + (" …" if len(wrong) > 5 else "")
        yield f"the passages of {len(wrong)} files are not what the files say: {some}"


def _same(mark: FileMark, now: FileMark) -> bool:
    return (mark.size, mark.mtime_ns, mark.inode) == (now.size, now.mtime_ns, now.inode)


def _said(reading: PassageReading, path: str) -> list[object]:
    return [passage for _, passage in reading.of_file(path)]
