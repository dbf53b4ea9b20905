"""Connections to PostgreSQL: one pool per process and database, and the translation of errors.

A connection keeps no state between transactions, so that a pooler in transaction mode may be
between remem and the server. Statements are never prepared, because a plan that is right for a
large scope is wrong for a small one.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, Final, NamedTuple, TypeAlias
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
"""How long a caller waits for a free connection."""
_SETTINGS: Final = (
    f"SELECT set_config('{SCOPE_SETTING}', %(scope)s, true), "
    "set_config('lock_timeout', %(lock_timeout)s, true), "
    "set_config('idle_in_transaction_session_timeout', '5min', true)"
)
_ESCAPE: Final = "\x01"
_UNSTORABLE: Final = re.compile("[\0\x01\ud800-\udfff]")
_ESCAPED: Final = re.compile("\x01([0-9a-f]{4})")
_ADAPTERS: Final = AdaptersMap(psycopg.adapters)
_OPTIONS: Final[dict[str, Any]] = {
    "context": _ADAPTERS,
    "prepare_threshold": None,
    "application_name": "remem",
    "connect_timeout": _CONNECT_SECONDS,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
_pools: Final[dict[str, Pool]] = {}
_pools_lock: Final = threading.Lock()


class _EscapingDumper(StrDumper):
    """Writes each character that PostgreSQL cannot store, such as NUL, as an escape sequence.

    It consists of an escape character and four hexadecimal digits.
    """

    def dump(self, obj: str) -> Any:
        if _UNSTORABLE.search(obj):
            obj = _UNSTORABLE.sub(lambda match: f"{_ESCAPE}{ord(match[0]):04x}", obj)
        return super().dump(obj)


class _UnescapingLoader(TextLoader):
    """Reads what `_EscapingDumper` has written."""

    def load(self, data: Any) -> str | bytes:
        text = super().load(data)
        if isinstance(text, str) and _ESCAPE in text:
            return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
        return text


_ADAPTERS.register_dumper(str, _EscapingDumper)
_ADAPTERS.register_loader("text", _UnescapingLoader)
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())  # errors are raised instead


class Pool:
    """The connections of this process to one database; the stores of all scopes share them.

    `psycopg_pool` connects in threads of its own. While these cannot reach the server, the calling
    thread tries to connect itself, so that it fails immediately and with the server's reason.
    """

    def __init__(
        self, address: Address, size: int = _MAX_CONNECTIONS, wait_seconds: float = _WAIT_SECONDS
    ) -> None:
        self.where = str(address)
        self.user_count = 0
        self._url = address.url
        self._size = size
        self._wait_seconds = wait_seconds
        self._lock = threading.Lock()
        self._is_prepared = False
        self._is_unreachable = False
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            self._url,
            kwargs=_OPTIONS,
            min_size=0,
            max_size=size,
            num_workers=1,
            reconnect_timeout=0,  # the next caller tries again
            reconnect_failed=self._mark_unreachable,
            open=False,
        )

    def prepare(self) -> None:
        """Check the server and create or migrate the tables, once per process."""
        with self._lock:
            if self._is_prepared:
                return
            with self.translating_errors(), closing(self._connect()) as connection:
                connection.autocommit = True
                prepare(connection, self.where)
            self._pool.open()
            self._is_prepared = True

    @contextmanager
    def session(
        self, scope_id: UUID, checkout: str, *, read_only: bool, lock_timeout: str
    ) -> Iterator[PostgresSession]:
        """Yield a session in a transaction, which is rolled back unless it is committed.

        With `read_only`, all statements see the database as it was at one moment; without it, each
        statement sees what was committed before it.
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
        """Return a connection in a transaction; the scope is set in it for row-level security."""
        broken_count = 0
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
                broken_count += 1
                if broken_count > self._size or not is_connection_lost(error):
                    raise
                self._require_server()  # idle connections are broken if it was restarted

    def _take(self) -> Connection:
        """Return a connection, after waiting for one if all are in use."""
        end = time.monotonic() + self._wait_seconds
        while True:
            if self._is_unreachable:
                self._require_server()
            try:
                return self._pool.getconn(timeout=min(_CONNECT_SECONDS, self._wait_seconds))
            except PoolClosed:
                raise StoreClosed(f"{self.where} was closed") from None
            except PoolTimeout:
                if not self._is_unreachable and time.monotonic() >= end:
                    raise StoreBusy(
                        f"all {self._size} connections to {self.where} were in use for "
                        f"{self._wait_seconds} seconds",
                        hint="try again",
                    ) from None

    def _require_server(self) -> None:
        """Raise the reason why the server cannot be reached, if it cannot."""
        self._connect().close()
        self._is_unreachable = False

    def _connect(self) -> Connection:
        return psycopg.connect(self._url, **_OPTIONS)

    def _mark_unreachable(self, _pool: ConnectionPool[Connection]) -> None:
        self._is_unreachable = True

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


def acquire(address: Address) -> Pool:
    """Return the pool of a database; every caller has to release it."""
    with _pools_lock:
        pool = _pools.setdefault(address.url, Pool(address))
        pool.user_count += 1
    try:
        pool.prepare()
    except BaseException:
        release(address, pool)
        raise
    return pool


def release(address: Address, pool: Pool) -> None:
    """Give back a pool, and close it if no other caller uses it."""
    with _pools_lock:
        pool.user_count -= 1
        if pool.user_count:
            return
        if _pools.get(address.url) is pool:
            del _pools[address.url]
    pool.close()


def is_connection_lost(error: BaseException) -> bool:
    """Return whether the connection was lost, so that a new one may succeed."""
    server_ended = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow)
    if isinstance(error, server_ended):
        return True
    return isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)) and (
        error.sqlstate is None or error.sqlstate.startswith("08")
    )


class _Translation(NamedTuple):
    """The error of remem for an error of PostgreSQL, with its message and hint."""

    kind: type[RememError]
    message: str
    hint: str

    def error(self, where: str, text: str) -> RememError:
        return self.kind(self.message.format(where=where, text=text), hint=self.hint)


_REFUSED: Final = _Translation(
    StoreError, "{where} refused the connection: {text}", "check the role and its password"
)
_NO_DATABASE: Final = _Translation(
    StoreError, "{where}: {text}", "create the database, or correct the URL"
)
_TRANSLATIONS: Final[tuple[tuple[type[psycopg.Error], _Translation], ...]] = (
    (
        errors.DiskFull,
        _Translation(DiskFull, "the disk of {where} is full: {text}", "free some space there"),
    ),
    (errors.InvalidAuthorizationSpecification, _REFUSED),
    (errors.InvalidCatalogName, _NO_DATABASE),
    (
        errors.InsufficientPrivilege,
        _Translation(
            StoreReadOnly,
            "{where}: {text}",
            "check the rights of the role; see docs/guides/team.md",
        ),
    ),
    (
        errors.ReadOnlySqlTransaction,
        _Translation(
            StoreReadOnly, "{where} is read-only: {text}", "connect to the primary server"
        ),
    ),
    (
        errors.DataCorrupted,
        _Translation(StoreDamaged, "{where}: {text}", "restore it with the server's own tools"),
    ),
    (
        psycopg.DataError,
        _Translation(
            InvalidInput,
            "PostgreSQL cannot store a value: {text}",
            "change or remove the value that the message names",
        ),
    ),
)
_TRANSLATIONS_BY_WORDS: Final = (
    (("password", "authentication", "role "), _REFUSED),
    (("database ", "does not exist"), _NO_DATABASE),
)
"""For errors of libpq while connecting, which have no error code: words that occur in them."""


def translate_error(error: psycopg.Error, where: str) -> RememError:
    """Return the error of remem for an error of PostgreSQL, without passwords."""
    lines = str(error).strip().splitlines() or ["no reason was given"]
    text = mask_password(lines[0])
    if isinstance(error, (errors.LockNotAvailable, errors.QueryCanceled)):
        return _busy_error()
    for kind, translation in _TRANSLATIONS:
        if isinstance(error, kind):
            return translation.error(where, text)
    if not is_connection_lost(error):
        return StoreError(f"{where} failed: {text}", hint="nothing was stored; try again")
    for words, translation in _TRANSLATIONS_BY_WORDS:
        if any(word in text for word in words):
            return translation.error(where, text)
    return StoreError(
        f"the PostgreSQL server of {where} cannot be reached: {text}",
        hint="check that it is running and that the URL is right",
    )


def _busy_error() -> StoreBusy:
    """Return the error for a locked scope, and record it for `without_waiting`."""
    busy = StoreBusy("another program is writing to this scope", hint="try again")
    refused = refusals()
    if refused is not None and not refused:
        refused.append(str(busy))
    return busy
