"""The stores under contract; each can be opened repeatedly in one folder."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from remem.ports.entries import Store
from remem.store.memory.store import MemoryDatabase, MemoryStore
from remem.store.sqlite.entries import SqliteStore

Opener = Callable[[], Store]
_IN_MEMORY = defaultdict[Path, MemoryDatabase](MemoryDatabase)


def _postgres(folder: Path) -> Store:
    """A scope of the worker's database that no other test uses."""
    from remem.store.postgres.address import parse_address
    from remem.store.postgres.store import PostgresStore
    from tests.postgres import database_url

    workspace = hashlib.sha256(str(folder).encode()).hexdigest()[:32]
    return PostgresStore(parse_address(database_url(), workspace), "main", "here")


ADAPTERS: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: SqliteStore(folder / "entries.db"),
    "memory": lambda folder: MemoryStore(_IN_MEMORY[folder]),
    "postgres": _postgres,
}
