"""Defects of a store, each planted in this process by one function."""

from __future__ import annotations

import time
from contextlib import suppress

import apsw
import pytest

from remem.errors import RememError
from remem.model.entry import Entry
from remem.ports.records import Home
from remem.store.sqlite import connection
from remem.store.sqlite.transaction import SqliteTransaction
from remem.store.sqlite.writer import Job, JobFailure, Writer


def synchronous_normal() -> None:
    """Nothing is synced before the first checkpoint: a power cut takes it all."""
    connection._WRITER_PRAGMAS["synchronous"] = 1
    connection._READER_PRAGMAS["synchronous"] = 1


def synchronous_off() -> None:
    connection._WRITER_PRAGMAS["synchronous"] = 0
    connection._READER_PRAGMAS["synchronous"] = 0


def acknowledge_before_commit() -> None:
    """Answer when the work is done, and commit a moment later: more may come by then."""

    def transact(self: Writer, group: list[Job]) -> JobFailure | None:
        opened = self._connected()
        opened.execute("BEGIN IMMEDIATE")
        transaction = self._begin(opened)
        for job in group:
            job.result = job.operation(transaction)
            job.finish(None)
        time.sleep(0.2)
        opened.execute("COMMIT")
        return None

    def answer(self: Writer, group: list[Job], failure: JobFailure | None) -> None:
        assert failure is None, failure

    Writer._transact = transact
    Writer._answer = answer


def keep_no_history(patch: pytest.MonkeyPatch) -> None:
    """A changed entry replaces the earlier version."""

    real = SqliteTransaction.update

    def replace_it(
        tx: SqliteTransaction, entry: Entry, home: Home, change: str | None = None
    ) -> None:
        real(tx, entry, home)

    patch.setattr(SqliteTransaction, "update", replace_it)


def swallow_pragma_errors() -> None:
    """Set each pragma and look at nothing."""

    def settle(opened: apsw.Connection, pragma: str, value: str | int, _path: object) -> None:
        with suppress(apsw.Error):
            opened.execute(f"PRAGMA {pragma}={value}")

    connection._set_pragma = settle


def swallow_commit_errors() -> None:
    """The disk refused the commit, and no error is reported."""
    attempt = Writer._attempt

    def deaf(self: Writer, group: list[Job]) -> JobFailure | None:
        failure = attempt(self, group)
        refused = failure is not None and failure.job is None
        return None if refused and isinstance(failure.error, RememError) else failure

    Writer._attempt = deaf
