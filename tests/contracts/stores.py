"""The stores under contract; each can be opened repeatedly in one folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from remem.ports.entries import Store
from remem.store.memory.store import MemoryDatabase, MemoryStore
from remem.store.sqlite.entries import SqliteStore

Opener = Callable[[], Store]
_IN_MEMORY = defaultdict[Path, MemoryDatabase](MemoryDatabase)
ADAPTERS: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: SqliteStore(folder / "entries.db"),
    "memory": lambda folder: MemoryStore(_IN_MEMORY[folder]),
}
