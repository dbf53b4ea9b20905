"""Where do the passages of a scope live? In their file; in memory where none can be had."""

from __future__ import annotations

from pathlib import Path

from remem.errors import StoreError
from remem.ports import PassageStore, Store
from remem.stores.memory_passages import MemoryPassages
from remem.stores.refusing import RefusingStore
from remem.stores.sqlite import SqlitePassages


def open_passages(path: Path) -> PassageStore:
    """A file that cannot be written, or that a later remem made, is left as it is: then the
    memory files are read anew in each process, and `trouble` says why."""
    try:
        store = SqlitePassages(path)
    except StoreError as error:
        return MemoryPassages(f"the memory files are read anew in each process: {error}")
    if store.writable:
        return store
    reason = store.trouble
    store.close()
    return MemoryPassages(f"the memory files are read anew in each process: {reason}")


def in_place_of(store: Store) -> PassageStore | None:
    """Where the words of entries can be put while their own store refuses; None if it does
    not. In memory: what is erased one day must not lie in another file."""
    return MemoryPassages() if isinstance(store, RefusingStore) and store.refuses else None
