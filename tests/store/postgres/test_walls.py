"""Two walls between the scopes of a database, each of which holds without the other: every
statement names the scope, and row-level security shows no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from remem.model.entry import Filter
from remem.ports.entries import Transaction
from remem.ports.records import Tombstone, Where
from remem.ports.state import ACTIVITY
from remem.store import postgres
from remem.store.postgres.address import Address, parse_address
from remem.store.postgres.schema import PARTITIONED, SCOPE_SETTING, TABLES
from remem.store.postgres.session import require_scope
from remem.store.postgres.store import PostgresStore, scope_names
from remem.text.similarity import fingerprint_of
from tests.postgres import database_url, superuser_url
from tests.store.sqlite.sample import MODEL, NOW, embed, entry, put, revise, unit

pytestmark = pytest.mark.walls
ALL = [*TABLES, *PARTITIONED]


class Scope:
    """An open scope and its id."""

    def __init__(self, address: Address, name: str) -> None:
        self.store = PostgresStore(address, name, "here")
        self.id = str(address.scope_id(name))


def opened(url: str) -> Iterator[tuple[Scope, Scope]]:
    address = parse_address(url, f"walls-{uuid4()}")
    scopes = Scope(address, "main"), Scope(address, "group:tea")
    yield scopes
    for scope in scopes:
        scope.store.close()


@pytest.fixture
def two() -> Iterator[tuple[Scope, Scope]]:
    """Two scopes of one workspace."""
    yield from opened(database_url())


@pytest.fixture
def two_unprotected() -> Iterator[tuple[Scope, Scope]]:
    """Two scopes in a database whose row-level security was switched off."""
    url = database_url("_unprotected")
    PostgresStore(parse_address(url, "any"), "main").close()
    with psycopg.connect(superuser_url(url)) as connection:
        for table in ALL:
            connection.execute(f"ALTER TABLE remem.{table} DISABLE ROW LEVEL SECURITY")
    yield from opened(url)


def fill(store: PostgresStore, word: str) -> str:
    """Put rows into every table of a scope; returns the id of its first entry."""
    first = put(store, entry(f"{word} is green.", tags=("tea",)), entry(f"{word} is hot."))
    revise(store, first.id, content=f"{word} is black.")
    embed(store, {first.id: unit(1)})

    def more(tx: Transaction) -> None:
        tx.put_record(ACTIVITY, "seen", NOW)
        tx.add_to_outbox("facts:1")
        tx.add_tombstones([Tombstone("mem-gone0000", 7, NOW)])

    store.write(more)
    return first.id


def rows_of(connection: psycopg.Connection, table: str) -> int:
    [[count]] = connection.execute(f"SELECT count(*) FROM remem.{table}").fetchall()
    return count


def test_row_level_security_hides_other_scopes_from_statements_that_name_none(
    two: tuple[Scope, Scope],
) -> None:
    one, other = two
    fill(one.store, "Sencha")
    with psycopg.connect(database_url()) as connection:
        for scope, expected in ((other, 0), (one, 1)):
            connection.execute("SELECT set_config(%s, %s, true)", [SCOPE_SETTING, scope.id])
            seen = {table: rows_of(connection, table) for table in ALL}
            own = {"scopes", "checkouts", "writes"}  # of a scope without entries
            filled = {table for table in ALL if table not in {*own, "places"}}
            assert all(bool(seen[table]) == bool(expected) for table in filled), seen
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(
                    "INSERT INTO remem.erased VALUES (%s, 'mem-x', 1, '')", [uuid4()]
                )
            connection.rollback()


def test_without_a_scope_there_are_no_rows(two: tuple[Scope, Scope]) -> None:
    fill(two[0].store, "Sencha")
    with psycopg.connect(database_url()) as connection:
        assert [rows_of(connection, table) for table in ALL] == [0] * len(ALL)
        connection.execute("SELECT set_config(%s, %s, true)", [SCOPE_SETTING, two[0].id])
        assert rows_of(connection, "entries") == 2
        connection.commit()
        assert rows_of(connection, "entries") == 0  # the setting ends with the transaction


def test_partitions_show_nothing_even_to_a_transaction_with_a_scope(
    two: tuple[Scope, Scope],
) -> None:
    fill(two[0].store, "Sencha")
    with psycopg.connect(database_url()) as connection:
        connection.execute("SELECT set_config(%s, %s, true)", [SCOPE_SETTING, two[0].id])
        parts = [f"entries_{number:02}" for number in range(16)]
        assert sum(rows_of(connection, part) for part in parts) == 0


def test_the_statements_find_only_their_scope_even_without_row_level_security(
    two_unprotected: tuple[Scope, Scope],
) -> None:
    one, other = (scope.store for scope in two_unprotected)
    fill(one, "Sencha")
    with other.read() as snapshot:
        text = fingerprint_of("Sencha is black.")
        assert snapshot.ids() == []
        assert snapshot.keyword(["sencha"], Filter(), 9).total == 0
        assert snapshot.nearest(MODEL, unit(1), Filter(), 9) == []
        assert snapshot.is_new_text("mem-gone0000", text)
        assert snapshot.duplicates("same", "fact", "agent", text) == []
        assert snapshot.duplicates("similar", "fact", "agent", text) == []
        assert snapshot.tombstones() == []
        assert snapshot.records(ACTIVITY) == {}
        assert snapshot.outbox() == []
        assert snapshot.tally("tag", Where(state="any")) == {}
        assert snapshot.stored_spelling("senchaa") is None
        assert snapshot.vector_state().vectors == {}
    other.write(lambda tx: tx.rebuild_search())
    fill(other, "Mate")
    other.write(lambda tx: tx.erase(tx.ids()[0], NOW))
    with one.read() as snapshot:
        assert len(snapshot.ids()) == 2
        assert snapshot.keyword(["sencha"], Filter(), 9).total == 2
        assert len(snapshot.vectors_of(MODEL, snapshot.ids())) == 1


def test_every_table_forces_row_level_security_and_every_index_begins_with_the_scope() -> None:
    database_url()
    PostgresStore(parse_address(database_url(), "any"), "main").close()
    with psycopg.connect(superuser_url(database_url())) as connection:
        tables = connection.execute(
            "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class "
            "WHERE relnamespace = 'remem'::regnamespace AND relkind IN ('r', 'p')"
        ).fetchall()
        indexes = connection.execute(
            "SELECT indexrelid::regclass::text, attname FROM pg_index "
            "JOIN pg_class ON pg_class.oid = indrelid "
            "JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0] "
            "WHERE relnamespace = 'remem'::regnamespace"
        ).fetchall()
        checked = connection.execute(
            "SELECT tablename FROM pg_policies WHERE schemaname = 'remem' "
            "AND qual IS NOT NULL AND with_check IS NOT NULL"
        ).fetchall()
    assert {name for name, forced in tables if not forced} == {"schema_version"}
    assert {first for _, first in indexes} == {"scope_id"}
    assert {name for (name,) in checked} == set(ALL)


def test_nothing_is_created_for_a_scope() -> None:
    def relations() -> int:
        with psycopg.connect(superuser_url(database_url())) as connection:
            [[count]] = connection.execute("SELECT count(*) FROM pg_class").fetchall()
        return count

    address = parse_address(database_url(), f"many-{uuid4()}")
    PostgresStore(address, "main", "here").close()
    before = relations()
    for number in range(5):
        store = PostgresStore(address, f"group:{number}", "here")
        fill(store, "Sencha")
        store.close()
    assert relations() == before
    assert scope_names(address) == [*(f"group:{number}" for number in range(5)), "main"]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT id FROM remem.entries",
        "SELECT id FROM remem.entries WHERE id = %(scope)s",
        "SELECT e.id FROM remem.entries e JOIN remem.tags t ON t.number = e.number "
        "WHERE e.scope_id = %(scope)s",
        "INSERT INTO remem.erased (scope_id, id) SELECT scope_id, id FROM remem.entries "
        "WHERE scope_id = %(scope)s",
        "DELETE FROM remem.records",
        "SELECT 1",
    ],
)
def test_a_statement_that_does_not_name_the_scope_of_each_table_is_refused(statement: str) -> None:
    with pytest.raises(AssertionError, match="does not name the scope"):
        require_scope(statement)


def test_statements_run_only_through_the_check() -> None:
    """The others that call `execute` connect and migrate."""
    folder = Path(next(iter(postgres.__path__)))
    calling = {path.stem for path in folder.glob("*.py") if ".execute" in path.read_text()}
    assert calling == {"session", "connections", "schema"}
