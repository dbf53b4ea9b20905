"""Who writes the database? One thread per file: it gathers what waits, commits once, answers.

A caller's answer comes after COMMIT returned, never before. If one operation of a group
fails, the group is rolled back and each is tried alone, so that nobody pays for another.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar, cast

import apsw

from remem.errors import RememError, StoreClosed
from remem.stores.sqlite.connection import Holding
from remem.stores.sqlite.errors import translated
from remem.stores.sqlite.turns import Turns

T = TypeVar("T")
GROUP: Final = 256


class _Job(Generic[T]):
    """One operation under way; `wait` returns when it is durable, or raises."""

    __slots__ = ("_done", "error", "late", "operation", "result")

    def __init__(self, operation: Callable[[apsw.Connection], T], *, late: bool) -> None:
        self.operation = operation
        self.late = late
        self.result: T | None = None
        self.error: BaseException | None = None
        self._done = threading.Lock()
        self._done.acquire()

    def finish(self, error: BaseException | None = None) -> None:
        self.error = error
        self._done.release()

    def wait(self) -> T:
        self._done.acquire()
        self._done.release()
        if self.error is not None:
            raise self.error
        return cast(T, self.result)


class Writer:
    """Owns the writing connection of one database file in this process."""

    def __init__(
        self,
        path: Path,
        connection: apsw.Connection,
        reconnect: Callable[[], apsw.Connection],
        turns: Turns,
    ) -> None:
        self._path = path
        self._connection: apsw.Connection | None = connection
        self._reconnect = reconnect
        self._turns = turns
        self._waiting: deque[_Job[Any]] = deque()
        self._wakes = threading.Condition()
        self._closing = False
        self.late_error: RememError | None = None
        self._thread = threading.Thread(target=self._run, name=f"writer {path.name}", daemon=True)
        self._thread.start()

    def write(self, operation: Callable[[apsw.Connection], T]) -> T:
        """Run the operation in a transaction; return when it is durable."""
        return self._submit(_Job(operation, late=False)).wait()

    def write_later(self, operation: Callable[[apsw.Connection], object]) -> None:
        """For what nobody waits for; a failure is kept in `late_error`."""
        self._submit(_Job(operation, late=True))

    def close(self) -> None:
        with self._wakes:
            self._closing = True
            self._wakes.notify()
        self._thread.join()
        self._turns.close()

    def _submit(self, job: _Job[T]) -> _Job[T]:
        with self._wakes:
            if self._closing:
                raise StoreClosed(f"{self._path} was closed")
            self._waiting.append(job)
            self._wakes.notify()
        return job

    def _run(self) -> None:
        while group := self._next_group():
            self._commit(group)
        if self._connection is not None:
            self._connection.close()

    def _next_group(self) -> list[_Job[Any]]:
        with self._wakes:
            while not self._waiting and not self._closing:
                self._wakes.wait()
            count = min(len(self._waiting), GROUP)
            return [self._waiting.popleft() for _ in range(count)]

    def _commit(self, group: list[_Job[Any]]) -> None:
        error = self._attempt(group)
        if error is None or len(group) == 1:
            self._answer(group, error)
            return
        for job in group:
            self._answer([job], self._attempt([job]))

    def _attempt(self, group: list[_Job[Any]]) -> BaseException | None:
        try:
            with self._turns, Holding():
                connection = self._ready()
                connection.execute("BEGIN IMMEDIATE")
                for job in group:
                    job.result = job.operation(connection)
                connection.execute("COMMIT")
        except apsw.Error as error:
            self._recover(error)
            return translated(error, self._path)
        except BaseException as error:  # noqa: BLE001 - it is handed to the caller, whole
            self._recover(error)
            return error
        return None

    def _answer(self, group: list[_Job[Any]], error: BaseException | None) -> None:
        for job in group:
            if job.late and isinstance(error, RememError):
                self.late_error = error
            job.finish(error)

    def _ready(self) -> apsw.Connection:
        if self._connection is None:
            self._connection = self._reconnect()
        return self._connection

    def _recover(self, error: BaseException) -> None:
        """Undo the group. After a failed disk operation the handle is not trusted again:
        the kernel may have dropped what it could not write, so the file is opened anew."""
        connection = self._connection
        if connection is None:
            return
        if isinstance(error, apsw.Error):
            self._connection = None
            connection.close()
        elif connection.in_transaction:
            connection.execute("ROLLBACK")
