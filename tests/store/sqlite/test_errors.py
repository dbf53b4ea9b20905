import errno
from pathlib import Path

import apsw
import pytest

from remem.errors import (
    DiskFull,
    FullTextIndexDamaged,
    RememError,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
)
from remem.store.sqlite.connection import translate_error, translating_errors
from tests.tables import each_row

PATH = Path("somewhere/entries.db")
EVERY_ERROR = [
    value
    for value in vars(apsw).values()
    if isinstance(value, type) and issubclass(value, apsw.Error)
]


@each_row("error", EVERY_ERROR, ids=lambda error: error.__name__)
def test_every_sqlite_error_becomes_a_remem_error_that_names_the_file(
    error: type[apsw.Error],
) -> None:
    ours = translate_error(error("details"), PATH)

    assert isinstance(ours, StoreError)
    assert "entries.db" in str(ours)


@each_row(
    ("error", "ours"),
    [
        (apsw.FullError, DiskFull),
        (apsw.ReadOnlyError, StoreReadOnly),
        (apsw.CantOpenError, StoreReadOnly),
        (apsw.CorruptError, StoreDamaged),
        (apsw.NotADBError, StoreDamaged),
        (apsw.ConnectionClosedError, StoreClosed),
    ],
)
def test_errors_that_users_can_act_on_have_their_own_type(
    error: type[apsw.Error], ours: type[RememError]
) -> None:
    assert type(translate_error(error("details"), PATH)) is ours


@each_row("error", [apsw.BusyError, apsw.LockedError, apsw.IOError])
def test_busy_files_and_failing_disks_are_not_reported_as_damage(error: type[apsw.Error]) -> None:
    assert type(translate_error(error("details"), PATH)) in (StoreError, StoreBusy)


@each_row("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_an_exhausted_quota_is_reported_as_a_full_disk(number: int) -> None:
    assert type(translate_error(apsw.IOError("details"), PATH, number)) is DiskFull
    assert type(translate_error(apsw.IOError("details"), PATH, errno.EIO)) is StoreError
    assert type(translate_error(apsw.CorruptError("details"), PATH, number)) is StoreDamaged


def test_damaged_full_text_is_not_a_damaged_record() -> None:
    error = apsw.CorruptError("fts5: corruption")
    error.extendedresult = apsw.SQLITE_CORRUPT_VTAB  # type: ignore[attr-defined]
    ours = translate_error(error, PATH)

    assert type(ours) is FullTextIndexDamaged
    assert "remem rebuild`" in str(ours)


def test_the_cause_is_kept() -> None:
    with pytest.raises(StoreError) as caught, translating_errors(PATH):
        raise apsw.IOError("details")

    assert isinstance(caught.value.__cause__, apsw.IOError)
