"""A test of many rows names each row that fails, and runs the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tables import each_row


def test_every_row_runs_and_each_failure_is_named() -> None:
    seen: list[tuple[str, int]] = []

    @each_row(("name", "number"), [("one", 1), ("two", 2), pytest.param("three", 3, id="last")])
    def rows(name: str, number: int) -> None:
        seen.append((name, number))
        assert number == 1

    with pytest.raises(ExceptionGroup, match="2 of 3 rows fail") as failed:
        rows()

    assert seen == [("one", 1), ("two", 2), ("three", 3)]
    notes = [error.__notes__ for error in failed.value.exceptions]
    assert notes == [["in the row ('two', 2)"], ["in the row last"]]


def test_two_tables_are_combined() -> None:
    seen: list[str] = []

    @each_row("first", "ab")
    @each_row("second", "xy")
    def rows(first: str, second: str) -> None:
        seen.append(first + second)

    rows()

    assert seen == ["ax", "ay", "bx", "by"]


@each_row("name", ["one", "two"])
def test_a_row_has_a_folder_of_its_own(name: str, tmp_path: Path) -> None:
    assert list(tmp_path.iterdir()) == []
    (tmp_path / name).touch()


def test_a_marked_row_is_refused() -> None:
    with pytest.raises(AssertionError, match="needs `parametrize`"):
        each_row("name", [pytest.param("one", marks=pytest.mark.slow)])
