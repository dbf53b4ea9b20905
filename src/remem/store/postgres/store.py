"""The entries of one scope in PostgreSQL.

A write first locks the row of the scope, so that the writers of a scope run one after the other and
cannot wait for each other in a circle. Each write stores a key: if the connection breaks during the
commit, the key shows later whether the commit took place, so that no change is applied twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from time import sleep
from typing import Any, Final, TypeVar
from uuid import UUID, uuid4

import psycopg
from psycopg import errors

from remem.errors import StoreBusy, StoreClosed, StoreError
from remem.ports import refusals
from remem.ports.state import SCOPE_NAMES
from remem.store.postgres import connections
from remem.store.postgres.address import Address
from remem.store.postgres.connections import is_connection_lost, translate_error
from remem.store.postgres.schema import PARTITIONED, TABLES
from remem.store.postgres.session import PostgresSession
from remem.store.postgres.snapshot import PostgresSnapshot
from remem.store.postgres.transaction import PostgresTransaction
from remem.store.postgres.vectors import PostgresBitCache

T = TypeVar("T")
_LOCK_TIMEOUT: Final = "15s"
_SHORT_LOCK_TIMEOUT: Final = "200ms"
PAUSES: Final = (0.05, 0.2, 0.5, 1.0, 2.0)
"""Seconds before each further attempt, after a lost connection or a conflict."""
_MAX_WRITE_KEYS: Final = 256
"""For how many of the latest writes the keys are kept."""
_LOCK_SCOPE: Final = (
    "SELECT counter, changes FROM remem.scopes WHERE scope_id = %(scope)s FOR UPDATE"
)
_COUNT_CHANGE: Final = (
    "UPDATE remem.scopes SET changes = changes + 1, counter = %(counter)s "
    "WHERE scope_id = %(scope)s"
)
_ADD_KEY: Final = (
    "INSERT INTO remem.writes (scope_id, key, change) VALUES (%(scope)s, %(key)s, %(change)s)"
)
_DROP_KEYS: Final = "DELETE FROM remem.writes WHERE scope_id = %(scope)s AND change < %(upto)s"
_HAS_KEY: Final = "SELECT 1 FROM remem.writes WHERE scope_id = %(scope)s AND key = %(key)s"
_IS_REGISTERED: Final = """SELECT 1 FROM remem.scopes s WHERE s.scope_id = %(scope)s
    AND EXISTS (SELECT 1 FROM remem.checkouts c
        WHERE c.scope_id = %(scope)s AND c.checkout = %(checkout)s)"""
_ADD_SCOPE: Final = (
    "INSERT INTO remem.scopes (scope_id, name, counter) VALUES (%(scope)s, %(name)s, "
    "(1000000 * extract(epoch FROM clock_timestamp()))::bigint) ON CONFLICT DO NOTHING"
)
"""The counter starts at the current time. So a scope that was removed and created again does not
repeat a number that another process may still have in its cache."""
_ADD_CHECKOUT: Final = (
    "INSERT INTO remem.checkouts (scope_id, checkout) VALUES (%(scope)s, %(checkout)s) "
    "ON CONFLICT DO NOTHING"
)


class _UnknownCommit(Exception):
    """The connection broke during a commit; `result` is what the operation returned."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


class PostgresStore:
    """The entries of one scope, for one checkout of the workspace's files.

    The scope with the empty name has no entries: its records list the scopes of the workspace.
    """

    writable: Final = True
    problem: Final = None
    generation: Final = 0
    displaced: Final = False

    def __init__(self, address: Address, scope: str, checkout: str = "") -> None:
        self._address = address
        self._scope_id = address.scope_id(scope)
        self._checkout = checkout
        self._bits = PostgresBitCache()
        self._closed = False
        self.is_new_checkout = False
        self._pool = connections.acquire(address)
        try:
            self._register(scope)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def read(self) -> Iterator[PostgresSnapshot]:
        with self._session() as session:
            yield PostgresSnapshot(session, self._bits)

    def write(self, operation: Callable[[PostgresTransaction], T]) -> T:
        """Run the operation in a transaction; return when it is durable."""
        return self._write(
            lambda session: operation(PostgresTransaction(session, PostgresBitCache()))
        )

    def scrub(self) -> str:
        """Return where deleted text may remain, which only the owner of the server can change."""
        return (
            f"{self._address}: the server's files keep deleted rows until `VACUUM FULL`, its log "
            "until it is recycled, and its backups as long as they exist"
        )

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            connections.release(self._address, self._pool)

    def _write(self, operation: Callable[[PostgresSession], T]) -> T:
        refused = refusals()
        if refused:
            raise StoreBusy(refused[0])
        key, pauses = uuid4(), iter(PAUSES if refused is None else ())
        while True:
            try:
                return self._write_once(operation, key)
            except _UnknownCommit as unknown:
                return self._repeat_if_lost(operation, key, unknown)
            except psycopg.Error as error:
                if not _may_succeed_later(error) or (pause := next(pauses, None)) is None:
                    raise translate_error(error, self._pool.where) from None
                sleep(pause)

    def _repeat_if_lost(
        self, operation: Callable[[PostgresSession], T], key: UUID, unknown: _UnknownCommit
    ) -> T:
        """Return the result of a write whose commit was interrupted; repeat it if it was lost."""
        for pause in PAUSES:
            try:
                return self._write_once(operation, key, unknown)
            except _UnknownCommit as again:
                unknown = again
            except (psycopg.Error, StoreError):
                pass  # the server is not back yet, or the scope is locked
            sleep(pause)
        raise StoreError(
            f"the connection to {self._pool.where} was lost during a commit, so it is unknown "
            "whether the change was stored",
            hint="once the server is back, look for it with `remem recall`",
        )

    def _write_once(
        self,
        operation: Callable[[PostgresSession], T],
        key: UUID,
        unknown: _UnknownCommit | None = None,
    ) -> T:
        """Run an operation in a transaction and commit it.

        `unknown` is an earlier attempt that may have been committed. If it was, its result is
        returned.
        """
        self._require_open()
        lock_timeout = _LOCK_TIMEOUT if refusals() is None else _SHORT_LOCK_TIMEOUT
        with self._pool.session(
            self._scope_id, self._checkout, read_only=False, lock_timeout=lock_timeout
        ) as session:
            row = session.one(_LOCK_SCOPE)
            if row is None:
                raise StoreError("the scope was removed from the database", hint="open it again")
            # Now that this transaction has the lock, an interrupted commit is no longer running.
            if unknown is not None and session.one(_HAS_KEY, key=key) is not None:
                committed: T = unknown.result
                return committed
            session.counter, changes = row
            result = operation(session)
            if session.changed:
                with session.batch():
                    session.change(_COUNT_CHANGE, counter=session.counter)
                    session.change(_ADD_KEY, key=key, change=changes + 1)
                    if changes % _MAX_WRITE_KEYS == 0:
                        session.change(_DROP_KEYS, upto=changes - _MAX_WRITE_KEYS)
            try:
                session.commit()
            except psycopg.Error as error:
                if is_connection_lost(error):
                    raise _UnknownCommit(result) from None
                raise
        return result

    @contextmanager
    def _session(self) -> Iterator[PostgresSession]:
        """Yield a read-only session, which sees the database as it was at one moment."""
        self._require_open()
        with (
            self._pool.translating_errors(),
            self._pool.session(
                self._scope_id, self._checkout, read_only=True, lock_timeout=_LOCK_TIMEOUT
            ) as session,
        ):
            yield session

    def _register(self, scope: str) -> None:
        """Insert the scope and this checkout of it, if the database does not have them."""
        with self._session() as session:
            if session.one(_IS_REGISTERED) is not None:
                return
        self.is_new_checkout = True
        if scope:
            add_scope_name(self._address, scope)
        with (
            self._pool.translating_errors(),
            self._pool.session(
                self._scope_id, self._checkout, read_only=False, lock_timeout=_LOCK_TIMEOUT
            ) as session,
        ):
            session.change(_ADD_SCOPE, name=f"{self._address.workspace} {scope}".strip())
            session.change(_ADD_CHECKOUT)
            session.commit()

    def _require_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store was closed")


def add_scope_name(address: Address, scope: str) -> None:
    """Add a scope to the list of its workspace."""
    with closing(PostgresStore(address, "")) as scope_list:
        scope_list.write(lambda tx: tx.put_record(SCOPE_NAMES, scope, scope))


def scope_names(address: Address) -> list[str]:
    """Return the names of the scopes of a workspace, sorted; for commands of the owner."""
    with closing(PostgresStore(address, "")) as scope_list, scope_list.read() as snapshot:
        return list(snapshot.records(SCOPE_NAMES))


def remove_scope(address: Address, scope: str) -> None:
    """Remove everything of a scope, and its name from the list; repeating it is harmless.

    Another process that has the scope open finds no entries in it from then on, and its writes
    fail.
    """
    with closing(PostgresStore(address, "")) as scope_list:
        scope_list.write(lambda tx: tx.put_record(SCOPE_NAMES, scope, None))
    pool, scope_id = connections.acquire(address), address.scope_id(scope)
    try:
        with (
            pool.translating_errors(),
            pool.session(scope_id, "", read_only=False, lock_timeout=_LOCK_TIMEOUT) as session,
        ):
            session.one(_LOCK_SCOPE)
            for table in (*PARTITIONED, *TABLES):
                session.change(f"DELETE FROM remem.{table} WHERE scope_id = %(scope)s")
            session.commit()
    finally:
        connections.release(address, pool)


def _may_succeed_later(error: psycopg.Error) -> bool:
    """Return whether a write can be tried again: after a conflict or a lost connection."""
    conflict = isinstance(error, (errors.SerializationFailure, errors.DeadlockDetected))
    return conflict or is_connection_lost(error)
