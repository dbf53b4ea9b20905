"""Tests of many rows that run as one: a row costs its own time, and no fixtures of its own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pytest

_Test = Callable[..., None]
_PARAM = type(pytest.param())


def each_row(
    names: str | Sequence[str],
    rows: Iterable[Any],
    *,
    ids: Iterable[str] | Callable[[Any], str] | None = None,
) -> Callable[[_Test], _Test]:
    """Call the test with every row, and report each row that fails.

    It is written like `pytest.mark.parametrize`, for tests that leave nothing behind. A row has a
    `tmp_path` of its own, and shares all other fixtures with the rest.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    table = list(_labelled(columns, list(rows), ids))

    def decorate(test: _Test) -> _Test:
        @functools.wraps(test)
        def every_row(**fixtures: Any) -> None:
            failed: list[Exception] = []
            for number, (label, values) in enumerate(table):
                given = {**fixtures, **values}
                if "tmp_path" in fixtures:
                    given["tmp_path"] = fixtures["tmp_path"] / f"row{number}"
                    given["tmp_path"].mkdir()
                try:
                    test(**given)
                except Exception as error:  # noqa: BLE001
                    error.add_note(f"in the row {label}")
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(table)} rows fail", failed)

        signature = inspect.signature(test)
        shared = [value for name, value in signature.parameters.items() if name not in columns]
        every_row.__signature__ = signature.replace(parameters=shared)  # type: ignore[attr-defined]
        return every_row

    return decorate


def _labelled(
    columns: list[str], rows: list[Any], ids: Iterable[str] | Callable[[Any], str] | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of each row, and its values by column."""
    labels = map(ids or repr, rows) if ids is None or callable(ids) else ids
    for label, row in zip(labels, rows, strict=True):
        if isinstance(row, _PARAM):
            assert not row.marks, "all rows run together: a marked one needs `parametrize`"
            yield str(row.id or row.values), dict(zip(columns, row.values, strict=True))
        else:
            values = (row,) if len(columns) == 1 else row
            yield label, dict(zip(columns, values, strict=True))
