"""The log of a shared space."""

from __future__ import annotations

from remem.entries.spaces.log import SpaceUse, log_use, uses_of
from remem.ports.state import Namespace
from remem.store.memory.store import MemoryStore


def used(store: MemoryStore, *times: str) -> None:
    for at in times:
        store.write(lambda tx, at=at: log_use(tx, SpaceUse(at, "owner", "read")))


def logged(store: MemoryStore) -> list[str]:
    with store.read() as snapshot:
        return [use.at for use in uses_of(snapshot)]


def test_uses_are_listed_in_their_order() -> None:
    store = MemoryStore()
    times = ["2026-11-18T06:00:00Z", "2026-11-18T06:00:00Z", "2026-11-18T06:59:59Z"]
    used(store, *times, "2026-11-18T07:00:00Z")

    assert logged(store) == [*times, "2026-11-18T07:00:00Z"]


def test_a_use_does_not_rewrite_those_before_it() -> None:
    store = MemoryStore()
    used(store, *(f"2026-11-18T06:00:{second:02}Z" for second in range(30)))

    with store.read() as snapshot:
        records = snapshot.records(Namespace("space use", tuple[SpaceUse, ...]))
    assert [len(uses) for uses in records.values()] == [1] * 30


def test_two_years_are_kept() -> None:
    store = MemoryStore()
    used(store, "2024-10-01T00:00:00Z", "2024-12-01T00:00:00Z", "2026-11-18T06:00:00Z")

    assert logged(store) == ["2024-12-01T00:00:00Z", "2026-11-18T06:00:00Z"]
