"""Who reads? A few connections, lent to one thread at a time and kept for the next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from remem.errors import StoreClosed
from remem.stores.sqlite.connection import close
from remem.stores.sqlite.errors import translating

_KEPT: Final = 8


class Readers:
    """Lends connections; more are opened when all are out, and closed when too many are in.

    Whoever has one sees the database as it was at his first question, until he gives it back.
    """

    def __init__(
        self,
        path: Path,
        connect: Callable[[], apsw.Connection],
        close: Callable[[apsw.Connection], None] = close,
    ) -> None:
        self._path = path
        self._connect = connect
        self._let_go = close
        self._idle = [connect()]
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def lent(self) -> Iterator[apsw.Connection]:
        connection = self._take()
        try:
            with translating(self._path):
                connection.execute("BEGIN")
                yield connection
                connection.execute("END")
        except BaseException:
            # What has failed once is not trusted with the next question.
            self._let_go(connection)
            raise
        self._give_back(connection)

    def close(self) -> None:
        """Close what lies here; what is lent out is closed when it comes back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            self._let_go(connection)

    def _take(self) -> apsw.Connection:
        with self._lock:
            if self._closed:
                raise StoreClosed(f"{self._path} was closed")
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _give_back(self, connection: apsw.Connection) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < _KEPT:
                self._idle.append(connection)
                return
        self._let_go(connection)
