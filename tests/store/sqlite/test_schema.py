from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

from remem.entries.decay import read_arrivals
from remem.errors import StoreDamaged, StoreError, StoreReadOnly
from remem.learn.file_updates.changes import AddBullet
from remem.learn.flush.state import pending_changes
from remem.model.entry import Filter
from remem.ports.entries import Store
from remem.ports.records import Home, Where
from remem.store.rows import compact
from remem.store.sqlite import derived_tables, schema
from remem.store.sqlite.connection import open_for_reading
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.schema import SCHEMA
from remem.text.similarity import fingerprint_of, folded_hash
from tests.store.sqlite.former import to_schema_10
from tests.store.sqlite.internals import connection_of
from tests.store.sqlite.sample import MODEL, NOW, entry, found, put, revise, unit


def tables(path: Path) -> set[str]:
    connection = apsw.Connection(str(path))
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    connection.close()
    return names


def version(path: Path) -> int:
    connection = apsw.Connection(str(path))
    number = next(iter(connection.execute("PRAGMA user_version")))[0]
    connection.close()
    return int(number)


def test_a_new_file_gets_the_complete_schema(tmp_path: Path) -> None:
    path = tmp_path / "entries.db"
    SqliteStore(path).close()

    assert version(path) == SCHEMA
    assert {"memory_entries", "memory_versions", "memory_fts", "outbox", "meta"} <= tables(path)


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "entries.db"
    SqliteStore(path).close()
    before = path.read_bytes()
    SqliteStore(path).close()

    assert path.read_bytes() == before


def test_an_older_file_is_migrated_and_keeps_its_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "entries.db"
    store = SqliteStore(path)
    kept = put(store, entry())
    store.close()

    def later(connection: apsw.Connection) -> None:
        connection.execute("CREATE TABLE extra(x)")

    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, later))
    store = SqliteStore(path)

    assert found(store, [kept.id]) == [kept]
    store.close()
    assert version(path) == SCHEMA + 1
    assert "extra" in tables(path)


@pytest.mark.parametrize("existing", [False, True])
def test_a_failed_migration_leaves_the_file_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, existing: bool
) -> None:
    path = tmp_path / "entries.db"
    if existing:
        SqliteStore(path).close()
    whole = tables(path) if existing else set[str]()

    def broken(connection: apsw.Connection) -> None:
        connection.execute("CREATE TABLE half(x)")
        connection.execute("CREATE TABLE half(x)")

    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, broken))
        with pytest.raises(StoreError, match="half"):
            SqliteStore(path)

    assert version(path) == (SCHEMA if existing else 0)
    assert tables(path) == whole
    SqliteStore(path).close()
    assert version(path) == SCHEMA


def test_a_reader_refuses_an_old_schema(tmp_path: Path) -> None:
    path = tmp_path / "entries.db"
    apsw.Connection(str(path)).execute("CREATE TABLE t(x)")
    connection = open_for_reading(path)

    with pytest.raises(
        StoreReadOnly, match=f"schema 0; this version of remem needs schema {SCHEMA}"
    ):
        schema.require_current(connection, path)
    connection.close()


def questions(store: Store) -> None:
    """What is asked often, and must not read every entry to be answered."""
    with store.read() as snapshot:
        snapshot.find(["mem-1"])
        snapshot.history("mem-1")
        snapshot.select(Where(category="fact"), "latest", 5)
        snapshot.select(Where(priority="high"), "latest", 5)
        snapshot.select(Where(tag="x"), "latest", 5)
        snapshot.select(Where(state="current", expires_until=NOW), limit=5)
        snapshot.select(Where(state="current", home=Home("facts", 1)))
        snapshot.select(Where(from_source="MEMORY.md"), "position")
        snapshot.select(Where(state="any", wording_hash=1))
        snapshot.tally("tag", Where(state="current", stem="facts"))
        snapshot.tally("home", Where(state="current"))
        snapshot.vector_state()
        snapshot.pending(5)
        snapshot.nearest(MODEL, unit(1), Filter(tags=("x",)), 5)
        snapshot.keyword(["tea"], Filter(categories=("fact",), tags=("x",)), 5)


def scans(store: SqliteStore, ask: object = questions) -> list[str]:
    """The steps of the questions' plans that walk through a whole table."""
    asked: set[str] = set()
    with store.read() as snapshot:
        connection = connection_of(snapshot)

        def remember(_cursor: apsw.Cursor, statement: str, _bindings: object) -> bool:
            asked.add(statement)
            return True

        connection.exec_trace = remember
    assert callable(ask)
    ask(store)
    connection.exec_trace = None
    steps = [
        f"{step[3]} in {statement}"
        for statement in sorted(asked)
        if statement.startswith("SELECT")
        for step in connection.execute(
            f"EXPLAIN QUERY PLAN {statement}", [None] * statement.count("?")
        )
    ]
    assert len(asked) > 1
    return [step for step in steps if step.startswith("SCAN") and not _small(step)]


def _small(step: str) -> bool:
    """Covering indexes are narrow, scans of virtual tables are searches; models are few, and
    what waits for a vector is counted or taken from the front."""
    few = step.startswith(("SCAN m in", "SCAN q in", "SCAN vector_queue in"))
    return few or "COVERING INDEX" in step or "VIRTUAL TABLE" in step


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path / "entries.db")


def test_frequent_queries_do_not_scan_all_entries(store: SqliteStore) -> None:
    assert scans(store) == []
    store.close()


def test_a_query_that_scans_all_entries_is_caught(store: SqliteStore) -> None:
    def ask(store: SqliteStore) -> None:
        with store.read() as snapshot:
            snapshot.select(Where(state="any", trust="untrusted"))
            snapshot.ids()

    assert any("memory_entries" in scan or "SCAN e" in scan for scan in scans(store, ask))
    store.close()


def test_earlier_wordings_of_an_older_file_can_be_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database of the first schema gets the hashes of what its history holds."""
    path = tmp_path / "entries.db"
    with monkeypatch.context() as past:
        past.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        connection = apsw.Connection(str(path))
        schema.migrate(connection, path)
        record = compact({"content": "Tea  at FIVE."})
        connection.execute("INSERT INTO memory_versions VALUES (1, 1, 'stored', ?)", [record])
        connection.close()

    SqliteStore(path).close()

    connection = apsw.Connection(str(path))
    (same,) = next(iter(connection.execute("SELECT same FROM memory_versions")))
    connection.close()
    assert same == folded_hash("tea at five.")


def test_entries_of_an_older_file_are_found_by_their_stems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database from before the stems has its words rewritten and keeps its entries."""
    path = tmp_path / "entries.db"
    with monkeypatch.context() as past:
        past.setattr(derived_tables, "search_text", lambda text: text)
        store = SqliteStore(path)
        german = put(store, entry("Wir haben die Häuser der Nachbarn gestrichen."))
        english = put(store, entry("We painted the houses of our neighbours."))
        aside = put(store, entry("Die Häuser von gestern sind weg.", archived=True))
        assert hits(store, "haus") == []
        store.close()
    connection = apsw.Connection(str(path))
    schema.MIGRATIONS[7](connection)  # it introduced the stems
    connection.close()

    store = SqliteStore(path)

    assert hits(store, "haus") == [german.id]
    assert hits(store, "haus", Filter(include_archived=True)) == [german.id, aside.id]
    assert hits(store, "house") == [english.id]
    assert found(store, [german.id, english.id]) == [german, english]
    store.close()


def hits(store: Store, word: str, where: Filter | None = None) -> list[str]:
    with store.read() as snapshot:
        return sorted(dict(snapshot.keyword([word], where or Filter(), 9).hits))


def test_entries_of_an_older_file_are_found_by_their_likeness(tmp_path: Path) -> None:
    path = tmp_path / "entries.db"
    store = SqliteStore(path)
    kept = put(store, entry("David drinks his coffee black, without sugar, at eight."))
    store.close()
    connection = apsw.Connection(str(path))
    connection.execute("DROP TABLE memory_likeness")
    connection.execute("CREATE TABLE memory_likeness (word INTEGER, row INTEGER)")
    schema.MIGRATIONS[5](connection)  # it introduced the likeness by parts
    connection.close()

    store = SqliteStore(path)
    similar = fingerprint_of(kept.content.replace("eight", "nine"))
    with store.read() as snapshot:
        assert snapshot.duplicates("similar", "fact", "agent", similar) == [kept]
    store.close()


def test_an_older_file_gets_the_reasons_of_archived_entries(tmp_path: Path) -> None:
    """What only the text of the last change said; a damaged record stays damaged."""
    path = tmp_path / "entries.db"
    store = SqliteStore(path)
    expiry = "2026-11-01T00:00:00Z"
    changes = {
        "faded: nobody asked": "faded",
        f"expired on {expiry}": "expired",
        "forgotten": None,
        "faded: but damaged": None,
    }
    kept = {change: put(store, entry(change, expires_at=expiry)) for change in changes}
    for change, stored in kept.items():
        revise(store, stored.id, change, archived=True)
    store.close()
    connection = apsw.Connection(str(path))
    waiting = [{"do": "add", "id": id_, "file": "a.md", "text": "x"} for id_ in "ab"]
    to_schema_10(
        connection,
        decay_watch='[["2026-11-02", 3], ["2026-11-03", 99]]',
        **{"flush waiting": json.dumps(waiting)},
    )
    connection.execute("ALTER TABLE memory_entries DROP COLUMN archive_reason")
    connection.execute("DROP INDEX idx_tags_row")
    connection.execute("ALTER TABLE memory_tags ADD COLUMN live_home TEXT")
    connection.execute("CREATE INDEX idx_tags_home ON memory_tags(live_home)")
    connection.execute("UPDATE memory_entries SET content = 'x' WHERE content LIKE '%damaged'")
    connection.execute("PRAGMA user_version=8")
    connection.close()

    store = SqliteStore(path)
    with store.read() as snapshot:
        for change, reason in changes.items():
            if "damaged" in change:
                with pytest.raises(StoreDamaged):
                    snapshot.history(kept[change].id)
            else:
                assert snapshot.find([kept[change].id])[kept[change].id].archive_reason == reason
        ids = [stored.id for stored in kept.values()]
        watched = (("2026-11-02", ids[2]), ("2026-11-03", ids[3]))
        assert read_arrivals(snapshot).last_ids == watched
        assert pending_changes(snapshot) == [AddBullet(id_, "a.md", "x", "") for id_ in "ab"]
    store.close()
