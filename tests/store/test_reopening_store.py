"""A store that cannot be opened refuses with the reason, and becomes the store when it can."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.errors import StoreClosed, StoreDamaged, StoreError
from remem.ports.entries import Store
from remem.store import reopening
from remem.store.reopening import ReopeningStore
from remem.store.sqlite.entries import SqliteStore
from tests.store.sqlite.sample import entry, found, put

REASON = StoreDamaged("entries.db is damaged", hint="mend it")


def never() -> Store:
    raise REASON


def test_every_use_of_an_unavailable_store_raises_the_reason() -> None:
    store = ReopeningStore(REASON, never)

    assert not store.writable
    assert store.problem == str(REASON)
    with pytest.raises(StoreDamaged), store.read():
        pass
    with pytest.raises(StoreDamaged):
        store.write(lambda tx: tx.ids())
    with pytest.raises(StoreDamaged):
        store.scrub()
    store.close()
    with pytest.raises(StoreClosed), store.read():
        pass


def test_the_store_is_used_as_soon_as_it_can_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reopening, "RETRY_SECONDS", 0.0)
    tries = iter([StoreError("busy"), StoreError("busy still")])

    def connect() -> Store:
        for error in tries:
            raise error
        return SqliteStore(tmp_path / "entries.db")

    store = ReopeningStore(StoreError("busy"), connect)
    assert not store.writable
    assert store.problem == "busy still"

    kept = put(store, entry("tea"))  # type: ignore[arg-type]

    assert found(store, [kept.id]) == [kept]  # type: ignore[arg-type]
    assert store.problem is None
    store.close()


def test_opening_is_not_retried_at_every_query() -> None:
    tried: list[int] = []

    def connect() -> Store:
        tried.append(1)
        raise REASON

    store = ReopeningStore(REASON, connect)
    for _ in range(5):
        assert not store.writable

    assert tried == []
