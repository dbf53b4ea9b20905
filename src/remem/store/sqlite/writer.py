"""The writer thread of a database file, which commits queued operations together.

Callers are answered after COMMIT has returned, never before. If one operation of a group fails, the
group is rolled back; then the others are run again together, and the failing one on its own.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

import apsw

from remem.errors import StoreBusy, StoreClosed, StoreError, StoreReplaced
from remem.ports import refusals
from remem.store.sqlite.connection import (
    TransactionMarker,
    checkpoint,
    close,
    invalid_text_error,
    set_busy_timeout,
    translate_error,
)
from remem.store.sqlite.counter_file import CounterFile, lifetime_counts
from remem.store.sqlite.presence import Presence
from remem.store.sqlite.process_lock import ProcessLock

T = TypeVar("T")
Tx = TypeVar("Tx")
MAX_GROUP: Final = 256
_GROUPING_SECONDS: Final = 0.0003
_CHECKPOINT_IDLE_SECONDS: Final = 0.5
"""Time without a write after which the log is checkpointed."""
_CHECKPOINT_MAX_SECONDS: Final = 5.0
"""Time after which the log is checkpointed even if writes keep coming."""

Begin = Callable[[apsw.Connection], Tx]
"""Creates the object that is passed to the operations of a transaction."""


@dataclass(eq=False, slots=True)
class Job:
    """A queued operation; `may_wait` says whether its caller waits for other programs.

    A plain lock is held until the operation is done, because an event costs several times as much.
    """

    operation: Callable[[Any], Any]
    may_wait: bool = True
    result: Any = None
    error: BaseException | None = None
    _unfinished: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._unfinished.acquire()

    def finish(self, error: BaseException | None) -> None:
        self.error = error
        self._unfinished.release()

    def wait(self) -> Any:
        """Return the result when it is durable, or raise the error."""
        self._unfinished.acquire()
        if self.error is not None:
            raise self.error
        return self.result


class JobFailure(NamedTuple):
    """An error and the job that caused it; None if no single job did."""

    job: Job | None
    error: BaseException


class Writer(Generic[Tx]):
    """The thread that owns the writing connection of one database file in this process."""

    def __init__(
        self,
        path: Path,
        connection: apsw.Connection,
        reconnect: Callable[[], apsw.Connection],
        lock: ProcessLock,
        *,
        begin: Begin[Tx],
        presence: Presence | None = None,
        counter_file: CounterFile | None = None,
    ) -> None:
        self._path = path
        self._presence = presence or Presence(path)
        self._presence.remember_log()
        self._counter_file = counter_file
        self._has_new_commits = False
        self._last_checkpoint = monotonic()
        self._connection: apsw.Connection | None = connection
        self._reconnect = reconnect
        self._lock = lock
        self._begin = begin
        self._queue: deque[Job] = deque()
        self._wake = threading.Condition()
        self._closing = False
        self._answered_together = 0
        self._thread = threading.Thread(target=self._run, name=f"writer {path.name}", daemon=True)
        self._thread.start()

    def write(self, operation: Callable[[Tx], T]) -> T:
        """Run the operation in a transaction; return when it is durable."""
        refused = refusals()
        if refused:
            raise StoreBusy(refused[0])
        try:
            job = self._submit(Job(operation, may_wait=refused is None))
            return cast(T, job.wait())
        except StoreBusy as error:
            if refused is not None:
                refused.append(str(error))
            raise

    def close(self) -> None:
        with self._wake:
            if self._closing:
                return
            self._closing = True
            self._wake.notify()
        self._thread.join()
        self._lock.close()
        if self._counter_file is not None:
            self._counter_file.close()

    def _submit(self, job: Job) -> Job:
        assert threading.current_thread() is not self._thread, (
            "a write inside a write would wait for itself"
        )
        with self._wake:
            if self._closing:
                raise StoreClosed(f"{self._path} was closed")
            self._queue.append(job)
            self._wake.notify()
        return job

    def _run(self) -> None:
        while (group := self._next_group()) != []:
            if group is not None:
                self._commit(group)
            if group is None or monotonic() - self._last_checkpoint > _CHECKPOINT_MAX_SECONDS:
                self._checkpoint()
        self._disconnect()

    def _next_group(self) -> list[Job] | None:
        """Wait for jobs and return them.

        Return an empty list when the writer is closed, and None if there are commits to checkpoint
        and no job has arrived for a while.
        """
        self._await_group()
        with self._wake:
            while not self._queue and not self._closing:
                if not self._wake.wait(_CHECKPOINT_IDLE_SECONDS if self._has_new_commits else None):
                    return None
            count = min(len(self._queue), MAX_GROUP)
            return [self._queue.popleft() for _ in range(count)]

    def _await_group(self) -> None:
        """Wait briefly for the callers who were answered together.

        They usually write again at the same time, and then one commit serves all of them.
        """
        arrived = -1
        expected = min(len(self._queue) + self._answered_together, MAX_GROUP)
        while self._answered_together > 1 and arrived < len(self._queue) < expected:
            arrived = len(self._queue)
            sleep(_GROUPING_SECONDS)

    def _commit(self, group: list[Job]) -> None:
        """Run and answer every job of the group; a failing job is taken out and run alone."""
        failed_jobs: list[Job] = []
        failure = self._attempt(group)
        while failure is not None and failure.job is not None and len(group) > 1:
            failed_jobs.append(failure.job)
            group = [job for job in group if job is not failure.job]
            failure = self._attempt(group)
        self._answer(group, failure)
        for job in failed_jobs:
            self._answer([job], self._attempt([job]))

    def _attempt(self, group: list[Job]) -> JobFailure | None:
        """Run and commit the jobs of a group; return the failure, if any."""
        try:
            with self._lock, TransactionMarker():
                return self._transact(group)
        except StoreError as error:
            return JobFailure(None, error)

    def _transact(self, group: list[Job]) -> JobFailure | None:
        current: Job | None = None
        try:
            connection = self._connected()
            set_busy_timeout(connection, short=not any(job.may_wait for job in group))
            connection.execute("BEGIN IMMEDIATE")
            transaction = self._begin(connection)
            for current in group:
                current.result = current.operation(transaction)
            current = None
            counts = lifetime_counts(connection) if self._counter_file else None
            self._require_presence()
            connection.execute("COMMIT")
            self._has_new_commits = True
            self._require_presence(committed=True)
            if self._counter_file is not None and counts is not None:
                self._counter_file.write(counts)
        except apsw.Error as error:
            number = self._connection.system_errno if self._connection else 0
            self._disconnect()
            return JobFailure(current, translate_error(error, self._path, number))
        except UnicodeDecodeError as error:
            self._undo()
            return JobFailure(current, invalid_text_error(error, self._path))
        except BaseException as error:  # noqa: BLE001 - handed to the caller
            self._undo()
            return JobFailure(current, error)
        return None

    def _require_presence(self, *, committed: bool = False) -> None:
        """Raise StoreReplaced if the files or the locks are no longer at their paths."""
        self._presence.require_both(committed=committed)
        if self._lock.displaced:
            raise StoreReplaced(
                f"the lock files of {self._path.name} were removed or replaced",
                hint="nothing was acknowledged; try again",
            )

    def _checkpoint(self) -> None:
        """Checkpoint the log; if a reader prevents that, it is tried again soon."""
        self._last_checkpoint = monotonic()
        self._has_new_commits = False
        if self._connection is None:
            return
        try:
            with self._lock, TransactionMarker():
                self._require_presence()
                set_busy_timeout(self._connection, short=True)
                self._has_new_commits = not checkpoint(self._connection)
        except (apsw.Error, StoreError):
            self._undo()

    def _answer(self, group: list[Job], failure: JobFailure | None) -> None:
        self._answered_together = len(group)
        error = failure.error if failure else None
        for job in group:
            job.finish(error)

    def _connected(self) -> apsw.Connection:
        if self._connection is None:
            self._presence.require_database()  # otherwise SQLite would create an empty database
            self._connection = self._reconnect()
            self._presence.remember_log()
        return self._connection

    def _undo(self) -> None:
        """Roll back after an operation failed."""
        if self._connection is None:
            return
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except apsw.Error:
            self._disconnect()

    def _disconnect(self) -> None:
        """Close the connection, which rolls back.

        After a failed disk operation a connection is not reused, because the kernel may have
        dropped what it could not write.
        """
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._presence.displaced or self._lock.displaced:
            self._presence.rescue(connection)
        else:
            close(connection)
