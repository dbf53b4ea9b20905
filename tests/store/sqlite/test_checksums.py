"""A changed byte in a record is noticed, and found."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import StoreDamaged
from remem.store.rows import column_values
from remem.store.sqlite import schema
from remem.store.sqlite.checksums import checksum
from remem.store.sqlite.entries import SqliteStore
from tests.store.sqlite.former import to_schema_10
from tests.store.sqlite.sample import entry, found, put

VALUES = [
    *column_values(entry("Zoë drinks tea in Köln.", tags=("tea", "Köln"))),
    "stored",
    "facts",
    1,
]


@given(
    st.sampled_from([i for i, value in enumerate(VALUES) if isinstance(value, str)]),
    st.integers(0, 1000),
    st.integers(1, 255),
)
def test_any_changed_byte_of_a_text_changes_the_checksum(
    column: int, place: int, flip: int
) -> None:
    data = bytearray(VALUES[column].encode())
    data[place % len(data)] ^= flip
    spoiled = [*VALUES[:column], bytes(data), *VALUES[column + 1 :]]

    assert checksum(spoiled) != checksum(VALUES)


@given(
    st.sampled_from([i for i, value in enumerate(VALUES) if isinstance(value, int)]),
    st.integers(0, 7),
    st.integers(1, 255),
)
def test_any_changed_byte_of_a_number_changes_the_checksum(
    column: int, place: int, flip: int
) -> None:
    spoiled = [*VALUES[:column], VALUES[column] ^ (flip << 8 * place), *VALUES[column + 1 :]]

    assert checksum(spoiled) != checksum(VALUES)


@pytest.mark.parametrize("known", [1, 2, 3, 4])
def test_an_older_database_gets_checksums_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: int
) -> None:
    path = tmp_path / "entries.db"
    store = SqliteStore(path)
    kept = put(store, entry("tea"))
    store.close()
    _make_older(path, known)

    store = SqliteStore(path)

    assert found(store, [kept.id]) == [kept]
    store.close()


def _make_older(path: Path, known: int) -> None:
    """Take away what the later migrations have added."""
    raw = apsw.Connection(str(path))
    raw.execute("ALTER TABLE memory_entries DROP COLUMN archive_reason")
    to_schema_10(raw)
    raw.execute("DROP INDEX idx_tags_row")
    raw.execute("ALTER TABLE memory_tags ADD COLUMN live_home TEXT")
    raw.execute("CREATE INDEX idx_tags_home ON memory_tags(live_home)")
    raw.execute("DROP TABLE memory_places")
    raw.execute("ALTER TABLE memory_vectors DROP COLUMN seal")
    if known < 4:
        raw.execute("DROP TABLE bit_segments")
    if known < 3:
        for table in ("memory_entries", "memory_versions"):
            raw.execute(f"ALTER TABLE {table} DROP COLUMN seal")
        raw.execute("DROP TABLE erased")
    if known < 2:
        raw.execute("DROP INDEX idx_versions_same")
        raw.execute("ALTER TABLE memory_versions DROP COLUMN same")
    raw.execute(f"PRAGMA user_version={known}")
    raw.close()
    assert known < len(schema.MIGRATIONS)


def test_an_operation_that_reads_a_damaged_record_fails(tmp_path: Path) -> None:
    path = tmp_path / "entries.db"
    store = SqliteStore(path)
    kept = put(store, entry("tea"))
    store.close()
    raw = apsw.Connection(str(path))
    raw.execute("UPDATE memory_entries SET priority = 'lox'")
    raw.close()
    store = SqliteStore(path)

    with pytest.raises(StoreDamaged, match=kept.id):
        store.write(lambda tx: tx.find([kept.id]))

    assert not store.writable
    store.close()
