"""Checked lines of an import wait unchanged until the last line is checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import pytest

from remem.entries import transfer
from remem.entries.draft import MAX_BATCH_ITEMS
from remem.entries.pending_facts import FactDraft
from remem.entries.receipt import ReviewedFields
from remem.entries.transfer import after_reading_all
from remem.entries.transfer_line import EntryHistory, ImportLine
from remem.errors import FileError, InvalidInput
from remem.model.entry import Draft, Entry, Origin, Version
from tests import limits


def version(number: int, content: str, **values: Any) -> Version:
    at = f"2026-01-0{number}T00:00:00Z"
    entry = Entry("mem-00000000", "fact", content, at, at, version=number, **values)
    return Version(number, at, f"change {number}", entry)


LINES = [
    ImportLine(Draft("fact", "One.")),
    ImportLine(
        Draft(
            "person",
            "Zoë lives in Köln. 🏠",
            context="said at lunch",
            priority="high",
            tags=("a", "b"),
            related_to=("mem-00000000",),
            supersedes=("mem-11111111",),
            source="import",
            origin=Origin("chat", 3, "Mara", "user"),
            trust="untrusted",
            created_at="2026-01-01T00:00:00Z",
            expires_at="2027-01-01T00:00:00Z",
            redacted=("jwt",),
        ),
        ReviewedFields("instruction", "critical"),
        masked=2,
        bounded=True,
    ),
    ImportLine(
        EntryHistory((version(1, "Alone."),)),
        proven=True,
        fact=FactDraft("mara", "Mara moved.", redacted=("jwt",)),
    ),
    ImportLine(
        EntryHistory(
            (
                version(1, "At first.", tags=("x",), origins=(Origin("a"), Origin("b", 7))),
                version(2, "Later.", archived=True, related_to=("mem-11111111",), strength=3),
            )
        ),
        bounded=True,
    ),
]


def test_spooled_lines_come_back_unchanged() -> None:
    assert list(after_reading_all(LINES)) == LINES
    assert list(after_reading_all([])) == []


def test_more_than_fits_into_memory_comes_back_in_its_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits.IMPORT_BYTES_IN_MEMORY, 1_000)
    many = [ImportLine(Draft("fact", f"Number {i}.")) for i in range(MAX_BATCH_ITEMS + 10)]

    assert list(after_reading_all([*many, *LINES])) == [*many, *LINES]


def test_no_line_is_yielded_before_the_last_was_read() -> None:
    def lines() -> Iterator[ImportLine]:
        yield from LINES
        raise InvalidInput("line 5")

    with pytest.raises(InvalidInput, match="line 5"):
        next(after_reading_all(lines()))


def test_a_full_disk_is_reported_and_nothing_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __init__(self, _size: int) -> None: ...
        def __enter__(self) -> IO[bytes]:
            return self  # type: ignore[return-value]

        def __exit__(self, *_: object) -> None: ...
        def write(self, _data: bytes) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(transfer, "SpooledTemporaryFile", Full)

    with pytest.raises(FileError, match="No space left") as raised:
        next(after_reading_all(LINES))

    assert "nothing was imported" in str(raised.value.hint)
