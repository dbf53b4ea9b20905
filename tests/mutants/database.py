"""How could a store lie? Each function makes it do so, in this process."""

from __future__ import annotations

from typing import Any

import apsw

from remem.errors import RememError
from remem.stores.sqlite import connection
from remem.stores.sqlite.jobs import Failure, Job
from remem.stores.sqlite.transaction import Transaction
from remem.stores.sqlite.writer import Writer


def synchronous_normal() -> None:
    """Nothing is synced before the first checkpoint: a power cut takes it all."""
    connection._WRITING["synchronous"] = 1
    connection._READING["synchronous"] = 1


def synchronous_off() -> None:
    connection._WRITING["synchronous"] = 0
    connection._READING["synchronous"] = 0


def acknowledge_before_commit() -> None:
    """Answer when the work is done, not when it is durable."""

    def transact(self: Writer, group: list[Job[Any]]) -> Failure | None:
        opened = self._ready()
        opened.execute("BEGIN IMMEDIATE")
        transaction = Transaction(opened)
        for job in group:
            job.result = job.operation(transaction)
            job._done.release()
        opened.execute("COMMIT")
        return None

    Writer._transact = transact
    _answer_failures_only()


def acknowledge_on_arrival() -> None:
    """Answer from a look at the present, and write when there is time."""
    submit = Writer._submit

    def queue(self: Writer, job: Job[Any]) -> Job[Any]:
        if job.late:
            return submit(self, job)
        rehearsal = Job(_rehearsed(job.operation), late=False)
        submit(self, rehearsal)
        try:
            rehearsal.wait()
        except _Rehearsed as done:
            submit(self, Job(job.operation, late=True))
            job.result = done.args[0]
            job._done.release()
            return job
        raise AssertionError("a rehearsal always ends")

    Writer._submit = queue


class _Rehearsed(Exception):
    """Carries the answer out of a transaction that is rolled back."""


def _rehearsed(operation: Any) -> Any:
    def rehearse(transaction: Transaction) -> None:
        raise _Rehearsed(operation(transaction))

    return rehearse


def swallow_pragma_errors() -> None:
    """Set each pragma and look at nothing."""

    def settle(opened: apsw.Connection, pragma: str, value: str | int, _path: object) -> None:
        try:
            opened.execute(f"PRAGMA {pragma}={value}")
        except apsw.Error:
            pass

    connection._settle = settle


def swallow_commit_errors() -> None:
    """The disk refused to take the commit, and nobody is told."""
    attempt = Writer._attempt

    def deaf(self: Writer, group: list[Job[Any]]) -> Failure | None:
        failure = attempt(self, group)
        refused = failure is not None and failure.job is None
        return None if refused and isinstance(failure.error, RememError) else failure

    Writer._attempt = deaf


def _answer_failures_only() -> None:
    answer = Writer._answer

    def answer_failures(self: Writer, group: list[Job[Any]], failure: Failure | None) -> None:
        if failure is not None:
            answer(self, group, failure)

    Writer._answer = answer_failures
