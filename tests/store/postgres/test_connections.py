"""Connections: their order, servers that go away, conflicts that are retried, and old servers."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from remem.errors import StoreBusy, StoreClosed, StoreError
from remem.ports.entries import Transaction
from remem.ports.state import ACTIVITY
from remem.store.postgres import schema
from remem.store.postgres.address import Address, parse_address
from remem.store.postgres.connections import Pool
from remem.store.postgres.schema import SCOPE_SETTING, prepare
from remem.store.postgres.store import PostgresStore
from tests.postgres import database_url, superuser_url


@pytest.fixture
def address() -> Address:
    return parse_address(database_url("_connections"), f"pool-{uuid4()}")


@pytest.fixture
def pool(address: Address) -> Iterator[Pool]:
    """A pool of two connections."""
    made = Pool(address, size=2, wait_seconds=5)
    made.prepare()
    yield made
    made.close()


@contextmanager
def session(pool: Pool) -> Iterator[None]:
    with pool.session(uuid4(), "here", read_only=True, lock_timeout="1s"):
        yield


def test_a_waiting_thread_is_served_before_one_that_comes_later(pool: Pool) -> None:
    served: list[str] = []

    def use(name: str) -> None:
        with session(pool):
            served.append(name)

    with ExitStack() as held:
        held.enter_context(session(pool))
        first = ExitStack()
        first.enter_context(session(pool))
        waiting = threading.Thread(target=use, args=["waiting"])
        waiting.start()
        time.sleep(0.3)
        first.close()
        use("later")  # by the thread that has just returned its connection
        waiting.join()
    assert served == ["waiting", "later"]


def test_a_pool_whose_connections_are_all_in_use_says_so(address: Address) -> None:
    pool = Pool(address, size=2, wait_seconds=1)
    pool.prepare()
    with session(pool), session(pool), pytest.raises(StoreBusy, match="all 2 connections"):
        session(pool).__enter__()
    with session(pool):
        pass
    pool.close()
    with pytest.raises(StoreClosed):
        session(pool).__enter__()


def test_connections_that_the_server_has_closed_are_replaced(pool: Pool, address: Address) -> None:
    with session(pool), session(pool):
        pass
    with psycopg.connect(superuser_url(address.url), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    with session(pool), session(pool):
        pass


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_a_conflict_that_the_server_reports_is_retried_and_applied_once(
    address: Address, code: str
) -> None:
    store = PostgresStore(address, "main", "here")
    with psycopg.connect(superuser_url(address.url), autocommit=True) as connection:
        connection.execute(f"""
            CREATE SEQUENCE public.attempts;
            GRANT USAGE ON SEQUENCE public.attempts TO PUBLIC;
            CREATE FUNCTION public.conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('public.attempts') <= 2 THEN
                    RAISE EXCEPTION 'try again' USING ERRCODE = '{code}';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER conflict BEFORE INSERT ON remem.records
                FOR EACH ROW EXECUTE FUNCTION public.conflict()""")
    attempts: list[int] = []

    def operation(tx: Transaction) -> str:
        attempts.append(len(attempts))
        tx.put_record(ACTIVITY, "seen", "once")
        return "done"

    try:
        assert store.write(operation) == "done"
    finally:
        with psycopg.connect(superuser_url(address.url), autocommit=True) as connection:
            connection.execute("DROP FUNCTION public.conflict CASCADE")
            connection.execute("DROP SEQUENCE public.attempts")
    assert attempts == [0, 1, 2]
    with store.read() as snapshot:
        assert snapshot.records(ACTIVITY) == {"seen": "once"}
    store.close()


def test_a_writer_that_the_server_chose_to_end_a_deadlock_tries_again(address: Address) -> None:
    """Another program locks a record of the scope first and the scope second."""
    store = PostgresStore(address, "main", "here")
    store.write(lambda tx: tx.put_record(ACTIVITY, "seen", "before"))
    scope = {"scope": str(address.scope_id("main"))}
    other = psycopg.connect(superuser_url(address.url))
    other.execute("SET deadlock_timeout = '1h'")  # so that the store is the one that is stopped
    other.execute(f"SELECT set_config('{SCOPE_SETTING}', %(scope)s, false)", scope)
    other.execute("SELECT 1 FROM remem.records WHERE scope_id = %(scope)s FOR UPDATE", scope)
    attempts: list[threading.Thread] = []

    def lock_the_scope() -> None:
        other.execute("SELECT 1 FROM remem.scopes WHERE scope_id = %(scope)s FOR UPDATE", scope)
        other.commit()

    def operation(tx: Transaction) -> None:
        if not attempts:
            thread = threading.Thread(target=lock_the_scope)
            thread.start()
            time.sleep(0.2)
        else:
            thread = attempts[0]
        attempts.append(thread)
        tx.put_record(ACTIVITY, "seen", "after")

    store.write(operation)
    attempts[0].join()
    other.close()
    assert len(attempts) == 2
    with store.read() as snapshot:
        assert snapshot.record(ACTIVITY, "seen") == "after"
    store.close()


def test_a_conflict_that_does_not_end_is_reported(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remem.store.postgres.store.PAUSES", (0.0, 0.0))
    store = PostgresStore(address, "main", "here")
    attempts: list[str] = []

    def operation(tx: Transaction) -> None:
        attempts.append("tried")
        raise psycopg.errors.SerializationFailure("could not serialize access")

    with pytest.raises(StoreError, match="could not serialize"):
        store.write(operation)
    assert len(attempts) == 3
    store.close()


@contextmanager
def at_each_commit(address: Address, statement: str) -> Iterator[None]:
    """The server runs a statement at the end of each write."""
    with psycopg.connect(superuser_url(address.url), autocommit=True) as connection:
        connection.execute(f"""
            CREATE FUNCTION public.at_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
                AS $$ BEGIN {statement}; RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON remem.writes
                DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION public.at_commit()""")
    try:
        yield
    finally:
        with psycopg.connect(superuser_url(address.url), autocommit=True) as connection:
            connection.execute("DROP FUNCTION public.at_commit CASCADE")


def test_a_connection_that_breaks_at_every_commit_is_reported(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remem.store.postgres.store.PAUSES", (0.0, 0.0))
    store = PostgresStore(address, "main", "here")
    attempts: list[str] = []

    def operation(tx: Transaction) -> None:
        attempts.append("tried")
        assert len(attempts) < 10, "it goes on for ever"
        tx.put_record(ACTIVITY, "seen", "never")

    with (
        at_each_commit(address, "PERFORM pg_terminate_backend(pg_backend_pid())"),
        pytest.raises(StoreError, match="unknown whether the change was stored"),
    ):
        store.write(operation)
    assert len(attempts) == 3
    store.close()


def test_a_commit_that_the_server_finishes_after_the_connection_broke_is_not_repeated(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PostgresStore(address, "main", "here")
    commit, attempts = psycopg.Connection.commit, list[str]()

    def break_the_connection(file: int) -> None:
        with socket.socket(fileno=os.dup(file)) as connected:
            connected.shutdown(socket.SHUT_RDWR)

    def commit_and_break(connection: psycopg.Connection[Any]) -> None:
        threading.Timer(0.2, break_the_connection, [connection.fileno()]).start()
        commit(connection)

    def operation(tx: Transaction) -> str:
        attempts.append("tried")
        tx.put_record(ACTIVITY, "seen", "once")
        return "done"

    with at_each_commit(address, "PERFORM pg_sleep(0.8)"), monkeypatch.context() as patched:
        patched.setattr(psycopg.Connection, "commit", commit_and_break)
        assert store.write(operation) == "done"
    assert attempts == ["tried"]
    store.close()


def test_a_server_that_is_too_old_is_refused_before_anything_is_created() -> None:
    old = SimpleNamespace(info=SimpleNamespace(server_version=140_012), execute=pytest.fail)
    with pytest.raises(StoreError, match=r"runs PostgreSQL 14; remem needs 15 or later"):
        prepare(old, "postgresql://db")  # type: ignore[arg-type]


def test_tables_of_a_newer_remem_are_refused_and_stay_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = database_url("_newer")
    monkeypatch.setattr(schema, "SCHEMA", schema.SCHEMA + 1)
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, lambda: iter(())))
    PostgresStore(parse_address(url, "any"), "main").close()
    monkeypatch.undo()
    with pytest.raises(StoreError, match=f"has schema {schema.SCHEMA + 1}"):
        PostgresStore(parse_address(url, "any"), "main")
    with psycopg.connect(url) as connection:
        [[version]] = connection.execute("SELECT version FROM remem.schema_version").fetchall()
    assert version == schema.SCHEMA + 1


def test_a_migration_runs_once_and_needs_the_owner_of_the_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = database_url("_migrated")
    PostgresStore(parse_address(url, "any"), "main").close()
    with psycopg.connect(superuser_url(url), autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS remem_agents")
        connection.execute("CREATE ROLE remem_agents LOGIN PASSWORD 'agents'")
        connection.execute("GRANT USAGE ON SCHEMA remem TO remem_agents")
        connection.execute(
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA remem TO remem_agents"
        )
    head, _, tail = url.partition("@")
    agents = f"postgresql://remem_agents:agents@{tail}"
    assert head
    PostgresStore(parse_address(agents, "any"), "main").close()

    def added() -> Iterator[str]:
        yield "ALTER TABLE remem.scopes ADD COLUMN added integer"

    monkeypatch.setattr(schema, "SCHEMA", schema.SCHEMA + 1)
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, added))
    with pytest.raises(StoreError, match="may not create or change tables"):
        PostgresStore(parse_address(agents, "any"), "main")
    for _ in range(2):
        PostgresStore(parse_address(url, "any"), "main").close()
    PostgresStore(parse_address(agents, "any"), "main").close()
    with psycopg.connect(superuser_url(url), autocommit=True) as connection:
        connection.execute("DROP OWNED BY remem_agents")
        connection.execute("DROP ROLE remem_agents")


def test_no_statement_is_prepared_so_every_scope_gets_its_own_plan(address: Address) -> None:
    store, pool = PostgresStore(address, "main", "here"), Pool(address)
    pool.prepare()
    counted = (
        "SELECT (SELECT count(*) FROM pg_prepared_statements) FROM remem.scopes "
        "WHERE scope_id = %(scope)s"
    )
    with pool.session(address.scope_id("main"), "", read_only=True, lock_timeout="1s") as session:
        # psycopg prepares a statement that it runs for the sixth time, unless it may not
        assert [session.rows(counted) for _ in range(8)] == [[(0,)]] * 8
    pool.close()
    store.close()
