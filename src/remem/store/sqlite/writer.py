"""Who writes the database? One thread per file: it gathers what waits, commits once, answers.

A caller's answer comes after COMMIT returned, never before. If one operation of a group
fails, the group is rolled back; the others are done again together and that one alone, so
that nobody pays for another. What nobody waits for is put off while another program holds the
database: it goes with the next write, or at the end.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, Generic, TypeVar

import apsw

from remem.errors import RememError, StoreBusy, StoreClosed, StoreDisplaced, StoreError
from remem.ports.entries import Deferred
from remem.store.sqlite.connection import (
    Holding,
    checkpoint,
    close,
    not_text,
    translated,
    wait_for_others,
)
from remem.store.sqlite.high_water import HighWater, progress_of
from remem.store.sqlite.jobs import Failure, Job
from remem.store.sqlite.presence import Presence
from remem.store.sqlite.process_lock import Turns

T = TypeVar("T")
Tx = TypeVar("Tx")
GROUP: Final = 256
_MOMENT: Final = 0.0003
_IDLE: Final = 0.5
"""Seconds without a write after which the log is emptied into the database."""
_LONGEST: Final = 5.0
"""Seconds after which that happens even if writes keep coming."""

Begin = Callable[[apsw.Connection, Sequence[Callable[..., Any]]], AbstractContextManager[Tx]]
"""The transaction in which some operations are done; what they put off is done at its end."""


class Writer(Generic[Tx]):
    """Owns the writing connection of one database file in this process."""

    def __init__(
        self,
        path: Path,
        connection: apsw.Connection,
        reconnect: Callable[[], apsw.Connection],
        turns: Turns,
        *,
        begin: Begin[Tx],
        presence: Presence | None = None,
        high_water: HighWater | None = None,
    ) -> None:
        self._path = path
        self._presence = presence or Presence(path)
        self._presence.connected()
        self._high_water = high_water
        self._uncheckpointed = False
        self._checkpointed = monotonic()
        self._connection: apsw.Connection | None = connection
        self._reconnect = reconnect
        self._turns = turns
        self._begin = begin
        self._waiting: deque[Job[Any]] = deque()
        self._put_off: list[Job[Any]] = []
        self._hurry = threading.local()
        self._wakes = threading.Condition()
        self._closing = False
        self._answered = 0
        self.late_error: RememError | None = None
        self._thread = threading.Thread(target=self._run, name=f"writer {path.name}", daemon=True)
        self._thread.start()

    def write(self, operation: Callable[[Tx], T]) -> T:
        """Run the operation in a transaction; return when it is durable."""
        refused: list[str] | None = getattr(self._hurry, "refused", None)
        if refused:
            raise StoreBusy(refused[0])
        try:
            return self._submit(Job(operation, late=False, hurried=refused is not None)).wait()
        except StoreBusy as error:
            if refused is not None:
                refused.append(str(error))
            raise

    @contextmanager
    def hurried(self) -> Iterator[list[str]]:
        """Inside, this thread waits for no other program but a moment, once; the list tells
        why something was not written."""
        outer = getattr(self._hurry, "refused", None)
        self._hurry.refused = refused = [] if outer is None else outer
        try:
            yield refused
        finally:
            self._hurry.refused = outer

    def write_later(self, operation: Callable[[Tx], object]) -> None:
        """For what nobody waits for; a failure is kept in `late_error`."""
        self._submit(Job(operation, late=True))

    def close(self) -> None:
        with self._wakes:
            if self._closing:
                return
            self._closing = True
            self._wakes.notify()
        self._thread.join()
        self._turns.close()
        if self._high_water is not None:
            self._high_water.close()

    def settle(self, high_water: HighWater) -> None:
        """From here on each commit is counted in this file."""
        self._high_water = high_water
        self.write(lambda _tx: None)

    def _submit(self, job: Job[T]) -> Job[T]:
        assert threading.current_thread() is not self._thread, "a write waits for itself"
        with self._wakes:
            if self._closing:
                raise StoreClosed(f"{self._path} was closed")
            self._waiting.append(job)
            self._wakes.notify()
        return job

    def _run(self) -> None:
        while (group := self._next_group()) != []:
            if group is not None and (made := [job for job in group if self._made(job)]):
                self._commit([*self._taken_up(), *made])
            if group is None or monotonic() - self._checkpointed > _LONGEST:
                self._checkpoint()
        if late := self._taken_up():
            self._commit(late)
        self._let_go()

    def _next_group(self) -> list[Job[Any]] | None:
        """What waits, as soon as anything does; nothing at the end; None in an idle moment."""
        self._await_company()
        with self._wakes:
            while not self._waiting and not self._closing:
                if not self._wakes.wait(_IDLE if self._uncheckpointed else None):
                    return None
            count = min(len(self._waiting), GROUP)
            return [self._waiting.popleft() for _ in range(count)]

    def _taken_up(self) -> list[Job[Any]]:
        late, self._put_off = self._put_off, []
        return late

    def _await_company(self) -> None:
        """Callers who were answered together come again together: who waits for them a moment,
        as long as they come, commits once for all instead of once for each half."""
        came = -1
        expected = min(len(self._waiting) + self._answered, GROUP)
        while self._answered > 1 and came < len(self._waiting) < expected:
            came = len(self._waiting)
            sleep(_MOMENT)

    def _made(self, job: Job[Any]) -> bool:
        """Make what is still to be made; who asked for what cannot be hears of it at once."""
        if not isinstance(job.operation, Deferred):
            return True
        try:
            job.operation = job.operation.make()
        except BaseException as error:  # noqa: BLE001 - it is handed to the caller, whole
            self._answer([job], Failure(job, error))
            return False
        return True

    def _commit(self, group: list[Job[Any]]) -> None:
        """Answer every job of the group; a job is at fault once, then it is tried alone. Where
        nobody knows whose fault it is, and it is not the disk's, each is."""
        alone: list[Job[Any]] = []
        failure = self._attempt(group)
        while failure is not None and failure.job is not None and len(group) > 1:
            alone.append(failure.job)
            group = [job for job in group if job is not failure.job]
            failure = self._attempt(group)
        if failure is not None and failure.job is None and failure.by_the_words:
            alone, group = [*alone, *group], []
        self._answer(group, failure)
        for job in alone:
            self._answer([job], self._attempt([job]))

    def _attempt(self, group: list[Job[Any]]) -> Failure | None:
        try:
            with self._turns, Holding():
                return self._transact(group)
        except StoreError as error:
            return Failure(None, error)

    def _transact(self, group: list[Job[Any]]) -> Failure | None:
        at_work: Job[Any] | None = None
        try:
            connection = self._ready()
            wait_for_others(connection, patiently=any(job.patient for job in group))
            connection.execute("BEGIN IMMEDIATE")
            with self._begin(connection, [job.operation for job in group]) as transaction:
                for at_work in group:
                    at_work.result = at_work.operation(transaction)
                at_work = None
            reached = progress_of(connection) if self._high_water else None
            self._require_presence()
            connection.execute("COMMIT")
            self._uncheckpointed = True
            self._require_presence(committed=True)
            if self._high_water is not None and reached is not None:
                self._high_water.write(reached)
        except apsw.Error as error:
            number = self._connection.system_errno if self._connection else 0
            self._let_go()
            return Failure(at_work, translated(error, self._path, number))
        except UnicodeDecodeError as error:
            self._undo()
            return Failure(at_work, not_text(error, self._path))
        except BaseException as error:  # noqa: BLE001 - it is handed to the caller, whole
            self._undo()
            return Failure(at_work, error)
        return None

    def _require_presence(self, *, committed: bool = False) -> None:
        """Nothing is acknowledged that went into files which are no longer at their paths."""
        self._presence.require(committed=committed)
        if self._turns.displaced:
            raise StoreDisplaced(
                f"the lock files beside {self._path.name} were removed or replaced",
                hint="nothing was acknowledged; try again",
            )

    def _checkpoint(self) -> None:
        """In an idle moment; what fails here is tried again after the next write."""
        self._checkpointed = monotonic()
        self._uncheckpointed = False
        if self._connection is None:
            return
        try:
            with self._turns, Holding():
                self._require_presence()
                wait_for_others(self._connection, patiently=False)
                checkpoint(self._connection)
        except (apsw.Error, StoreError):
            self._undo()

    def _answer(self, group: list[Job[Any]], failure: Failure | None) -> None:
        self._answered = len(group)
        error = failure.error if failure else None
        for job in group:
            if job.late:
                self.late_error = _kept(error)  # the next success says that it is over
            if job.late and failure is not None and failure.for_now:
                self._put_off.append(job)
            else:
                job.finish(error)

    def _ready(self) -> apsw.Connection:
        if self._connection is None:
            self._presence.require_database()  # or an empty one would be made in its place
            self._connection = self._reconnect()
            self._presence.connected()
        return self._connection

    def _undo(self) -> None:
        """An operation refused to go on; the database itself is well."""
        if self._connection is None:
            return
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except apsw.Error:
            self._let_go()

    def _let_go(self) -> None:
        """Closing undoes what is open. After a failed disk operation the handle is not trusted
        again: the kernel may have dropped what it could not write."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._presence.displaced or self._turns.displaced:
            self._presence.rescue(connection)
        else:
            close(connection)


def _kept(error: BaseException | None) -> RememError | None:
    return error if error is None or isinstance(error, RememError) else _unexpected(error)


def _unexpected(error: BaseException) -> StoreError:
    return StoreError(f"a late write failed: {type(error).__name__}: {error}")
