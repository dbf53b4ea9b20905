"""Which stores keep the contract? Each opens, again and again, what lies in one folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from remem.ports import Store
from remem.stores.sqlite import SqliteStore

Opener = Callable[[], Store]
ADAPTERS: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: SqliteStore(folder / "entries.db"),
}
