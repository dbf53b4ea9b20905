"""Connections to PostgreSQL: one pool per process and database, and errors in remem's words.

No session state is used, so that a pooler in transaction mode may stand between remem and the
server. Statements are never prepared: a plan made for a large scope is wrong for a small one.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, Final, TypeAlias
from uuid import UUID

import psycopg
from psycopg import IsolationLevel, errors
from psycopg.adapt import AdaptersMap
from psycopg.types.string import StrDumper, TextLoader
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from remem.errors import (
    DiskFull,
    InvalidInput,
    RememError,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
)
from remem.ports import refusals
from remem.store.postgres.address import Address, mask_password
from remem.store.postgres.schema import SCOPE_SETTING, prepare
from remem.store.postgres.session import PostgresSession

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"
_MAX_CONNECTIONS: Final = 16
_CONNECT_SECONDS: Final = 5
_WAIT_SECONDS: Final = 30
_SETTINGS: Final = (
    f"SELECT set_config('{SCOPE_SETTING}', %(scope)s, true), "
    "set_config('lock_timeout', %(lock_timeout)s, true), "
    "set_config('idle_in_transaction_session_timeout', '5min', true)"
)
_ESCAPE: Final = "\x01"
_UNSTORABLE: Final = re.compile("[\0\x01\ud800-\udfff]")
_ESCAPED: Final = re.compile("\x01([0-9a-f]{4})")


class _Dumper(StrDumper):
    """Writes characters that PostgreSQL cannot store (NUL, halves of surrogate pairs) as an escape
    character and four hexadecimal digits."""

    def dump(self, obj: str) -> Any:
        if _UNSTORABLE.search(obj):
            obj = _UNSTORABLE.sub(lambda match: f"{_ESCAPE}{ord(match[0]):04x}", obj)
        return super().dump(obj)


class _Loader(TextLoader):
    """Reads what `_Dumper` has written."""

    def load(self, data: Any) -> str | bytes:
        text = super().load(data)
        if isinstance(text, str) and _ESCAPE in text:
            return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
        return text


_ADAPTERS: Final = AdaptersMap(psycopg.adapters)
_ADAPTERS.register_dumper(str, _Dumper)
_ADAPTERS.register_loader("text", _Loader)
_OPTIONS: Final[dict[str, Any]] = {
    "context": _ADAPTERS,
    "prepare_threshold": None,
    "application_name": "remem",
    "connect_timeout": _CONNECT_SECONDS,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())  # errors are raised instead


class Pool:
    """The connections of this process to one database; stores of many scopes share them.

    `psycopg_pool` serves waiting threads in their order. Its own threads connect; while they
    cannot, the calling thread tries it, so that it fails immediately and with the server's reason.
    """

    def __init__(
        self, address: Address, size: int = _MAX_CONNECTIONS, wait_seconds: float = _WAIT_SECONDS
    ) -> None:
        self.where = str(address)
        self.users = 0
        self._url = address.url
        self._size = size
        self._wait_seconds = wait_seconds
        self._lock = threading.Lock()
        self._ready = False
        self._down = False
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            self._url,
            kwargs=_OPTIONS,
            min_size=0,
            max_size=size,
            num_workers=1,
            reconnect_timeout=0,  # the next caller tries again
            reconnect_failed=self._mark_down,
            open=False,
        )

    def prepare(self) -> None:
        """Check the server and create or migrate the tables, once per process."""
        with self._lock:
            if self._ready:
                return
            with self.translating_errors(), closing(self._connect()) as connection:
                connection.autocommit = True
                prepare(connection, self.where)
            self._pool.open()
            self._ready = True

    @contextmanager
    def session(
        self, scope_id: UUID, checkout: str, *, read_only: bool, lock_timeout: str
    ) -> Iterator[PostgresSession]:
        """A session in a transaction, which is rolled back unless it is committed.

        Readers see one moment. Writers see what others have committed once they hold the lock.
        """
        connection = self._begin(scope_id, read_only=read_only, lock_timeout=lock_timeout)
        try:
            yield PostgresSession(connection, scope_id, checkout, read_only=read_only)
            connection.rollback()
        except BaseException:
            connection.close()  # a connection that has failed once is not reused
            raise
        finally:
            self._pool.putconn(connection)

    def _begin(self, scope_id: UUID, *, read_only: bool, lock_timeout: str) -> Connection:
        """Return a connection in a transaction whose scope is set, for row-level security."""
        broken = 0
        while True:
            connection = self._take()
            try:
                connection.isolation_level = (
                    IsolationLevel.REPEATABLE_READ if read_only else IsolationLevel.READ_COMMITTED
                )
                connection.read_only = read_only
                connection.execute(
                    _SETTINGS, {"scope": str(scope_id), "lock_timeout": lock_timeout}
                )
                return connection
            except BaseException as error:
                connection.close()
                self._pool.putconn(connection)
                broken += 1
                if broken > self._size or not is_connection_lost(error):
                    raise
                self._require_server()  # if it was restarted, the idle connections are broken

    def _take(self) -> Connection:
        """Return a connection, after waiting for one if all are in use."""
        end = time.monotonic() + self._wait_seconds
        while True:
            if self._down:
                self._require_server()
            try:
                return self._pool.getconn(timeout=min(_CONNECT_SECONDS, self._wait_seconds))
            except PoolClosed:
                raise StoreClosed(f"{self.where} was closed") from None
            except PoolTimeout:
                if not self._down and time.monotonic() >= end:
                    raise StoreBusy(
                        f"all {self._size} connections to {self.where} were in use for "
                        f"{self._wait_seconds} seconds",
                        hint="try again",
                    ) from None

    def _require_server(self) -> None:
        """Raise the reason why the server cannot be reached, if it cannot."""
        self._connect().close()
        self._down = False

    def _connect(self) -> Connection:
        return psycopg.connect(self._url, **_OPTIONS)

    def _mark_down(self, _pool: ConnectionPool[Connection]) -> None:
        self._down = True

    def close(self) -> None:
        """Close idle connections now and others when they are returned."""
        self._pool.close()

    @contextmanager
    def translating_errors(self) -> Iterator[None]:
        """Raise errors of PostgreSQL as errors of remem, without passwords."""
        try:
            yield
        except psycopg.Error as error:
            raise translate_error(error, self.where) from None


_pools: Final[dict[str, Pool]] = {}
_pools_lock: Final = threading.Lock()


def acquire(address: Address) -> Pool:
    """Return the pool of a database; each caller releases it once."""
    with _pools_lock:
        pool = _pools.setdefault(address.url, Pool(address))
        pool.users += 1
    try:
        pool.prepare()
    except BaseException:
        release(address, pool)
        raise
    return pool


def release(address: Address, pool: Pool) -> None:
    """Close the pool if nobody else uses it."""
    with _pools_lock:
        pool.users -= 1
        if pool.users:
            return
        if _pools.get(address.url) is pool:
            del _pools[address.url]
    pool.close()


def is_connection_lost(error: BaseException) -> bool:
    """Return whether the server went away, so that another connection may succeed."""
    ended = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow)
    if isinstance(error, ended):
        return True
    return isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)) and (
        error.sqlstate is None or error.sqlstate.startswith("08")
    )


_REASONS: Final[tuple[tuple[type[psycopg.Error], type[RememError], str, str], ...]] = (
    (errors.DiskFull, DiskFull, "the disk of {where} is full: {text}", "free some space there"),
    (
        errors.InvalidAuthorizationSpecification,
        StoreError,
        "{where} refused the connection: {text}",
        "check the role and its password",
    ),
    (
        errors.InvalidCatalogName,
        StoreError,
        "{where}: {text}",
        "create the database, or correct the URL",
    ),
    (
        errors.InsufficientPrivilege,
        StoreReadOnly,
        "{where}: {text}",
        "check the rights of the role; see docs/guides/team.md",
    ),
    (
        errors.ReadOnlySqlTransaction,
        StoreReadOnly,
        "{where} is read-only: {text}",
        "connect to the primary server",
    ),
    (
        errors.DataCorrupted,
        StoreDamaged,
        "{where}: {text}",
        "restore it with the server's own tools",
    ),
    (psycopg.DataError, InvalidInput, "PostgreSQL cannot store a value: {text}", "change it"),
)
"""Errors of PostgreSQL, the errors of remem that stand for them, their texts and hints."""
_UNREACHABLE: Final = (
    (("password", "authentication", "role "), _REASONS[1]),
    (("database ", "does not exist"), _REASONS[2]),
)
"""Words by which libpq's refusals of a connection are recognised: they have no error code."""


def translate_error(error: psycopg.Error, where: str) -> RememError:
    """Return an error of PostgreSQL in remem's words, without passwords."""
    lines = str(error).strip().splitlines() or ["no reason was given"]
    text = mask_password(lines[0])
    if isinstance(error, (errors.LockNotAvailable, errors.QueryCanceled)):
        return _busy()
    for kind, translated, message, hint in _REASONS:
        if isinstance(error, kind):
            return translated(message.format(where=where, text=text), hint=hint)
    if not is_connection_lost(error):
        return StoreError(f"{where}: {text}")
    for words, (_, translated, message, hint) in _UNREACHABLE:
        if any(word in text for word in words):
            return translated(message.format(where=where, text=text), hint=hint)
    return StoreError(
        f"the PostgreSQL server of {where} cannot be reached: {text}",
        hint="check that it is running and that the URL is right",
    )


def _busy() -> StoreBusy:
    busy = StoreBusy("another program is writing to this scope", hint="try again")
    refused = refusals()
    if refused is not None and not refused:
        refused.append(str(busy))
    return busy
