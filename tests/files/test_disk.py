from pathlib import Path

import pytest

from remem.files import disk
from tests.faults.renames import rename_with_flags


@pytest.fixture
def one(tmp_path: Path) -> Path:
    (tmp_path / "one").write_text("first")
    return tmp_path / "one"


@pytest.fixture
def other(tmp_path: Path) -> Path:
    (tmp_path / "other").write_text("second")
    return tmp_path / "other"


def test_two_files_are_exchanged(one: Path, other: Path) -> None:
    disk.exchange(one, other)

    assert (one.read_text(), other.read_text()) == ("second", "first")


def test_exchanging_missing_files_is_an_error(one: Path) -> None:
    with pytest.raises(FileNotFoundError, match="missing"):
        disk.exchange(one, one.with_name("missing"))
    assert one.read_text() == "first"


def test_a_name_that_is_taken_stays_taken(one: Path, other: Path) -> None:
    with pytest.raises(FileExistsError):
        disk.rename_exclusive(one, other)
    assert (one.read_text(), other.read_text()) == ("first", "second")

    disk.rename_exclusive(one, one.with_name("free"))
    assert not one.exists()


def test_an_unsupported_call_is_distinguished_from_an_error(one: Path, other: Path) -> None:
    both_at_once = 3  # every kernel refuses to exchange and not to replace in one call

    with pytest.raises(disk.Unsupported):
        rename_with_flags(one, other, both_at_once)
