"""A scope that is removed while another store has it open, and created again."""

from __future__ import annotations

from uuid import uuid4

import psycopg
import pytest

from remem.errors import StoreError
from remem.model.entry import Filter
from remem.store.postgres.address import parse_address
from remem.store.postgres.schema import PARTITIONED, TABLES
from remem.store.postgres.store import PostgresStore, remove_scope, scope_names
from tests.postgres import database_url, superuser_url
from tests.store.sqlite.sample import MODEL, embed, entry, put, unit

pytestmark = pytest.mark.walls
SCOPE = "shared:ops"


def nearest(store: PostgresStore) -> list[str]:
    with store.read() as snapshot:
        return [id_ for id_, _ in snapshot.nearest(MODEL, unit(1), Filter(), 9)]


def mark(store: PostgresStore) -> str:
    with store.read() as snapshot:
        return snapshot.change_mark()


def test_a_removed_scope_leaves_no_row_and_a_new_one_has_nothing_that_was_remembered() -> None:
    address = parse_address(database_url(), f"removed-{uuid4()}")
    held = PostgresStore(address, SCOPE, "here")
    for number in range(4):
        old = put(held, entry(f"Old {number}."))
        embed(held, {old.id: unit(2)})
    assert len(nearest(held)) == 4
    marks = {mark(held)}

    remove_scope(address, SCOPE)

    with psycopg.connect(superuser_url(address.url)) as connection:
        for table in (*TABLES, *PARTITIONED):
            rows = connection.execute(
                f"SELECT 1 FROM remem.{table} WHERE scope_id = %s", [address.scope_id(SCOPE)]
            )
            assert rows.fetchall() == [], table
    assert scope_names(address) == []
    assert nearest(held) == []
    with pytest.raises(StoreError, match="was removed"):
        put(held, entry("Too late."))

    new = PostgresStore(address, SCOPE, "here")
    shown = put(new, entry("New."))
    embed(new, {shown.id: unit(1)})
    hidden = put(new, entry("New, and not to be trusted.", trust="untrusted"))
    embed(new, {hidden.id: unit(1)})
    for store in (new, held):
        assert nearest(store) == [shown.id]
        assert mark(store) not in marks
        store.close()
