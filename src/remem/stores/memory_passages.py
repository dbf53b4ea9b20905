"""Where do passages live when no file can hold them? In memory, for as long as a process.

It serves a workspace that cannot be written, and is filled by reading the files anew.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from remem.errors import StoreClosed
from remem.ports import PassageReading
from remem.stores.sqlite import passage_schema
from remem.stores.sqlite.bits import BitCache
from remem.stores.sqlite.connection import Holding
from remem.stores.sqlite.errors import translating
from remem.stores.sqlite.passage_snapshot import PassageSnapshot
from remem.stores.sqlite.passage_transaction import PassageTransaction
from remem.stores.sqlite.passage_writing import PassageWriting

_NOWHERE: Final = Path(":memory:")


class MemoryPassages(PassageWriting):
    """One connection, lent to one thread at a time; `trouble` says why there is no file."""

    writable: Final = True

    def __init__(self, trouble: str | None = None) -> None:
        self.trouble = trouble
        self._bits = BitCache()
        self._lock = threading.RLock()
        self._connection: apsw.Connection | None = apsw.Connection(str(_NOWHERE))
        passage_schema.create(self._connection, _NOWHERE)

    @contextmanager
    def read(self) -> Iterator[PassageReading]:
        with self._lent() as connection:
            yield PassageSnapshot(connection, self._bits)

    def reopen(self) -> None:
        """There is no file to open."""

    def take_notice(self) -> str | None:
        """Memory is never damaged."""
        return None

    def scrub(self) -> None:
        """What lies in memory leaves no bytes in any file."""

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _write(self, operation: Callable[[PassageTransaction], None]) -> None:
        with self._lent() as connection, Holding(), connection:
            operation(PassageTransaction(connection))

    @contextmanager
    def _lent(self) -> Iterator[apsw.Connection]:
        with self._lock, translating(_NOWHERE):
            if self._connection is None:
                raise StoreClosed("the passages were closed")
            yield self._connection
