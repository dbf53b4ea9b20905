"""The tables of a PostgreSQL store, and their migrations.

`scope_id` is the first column of every key and index. Large tables have a fixed number of hash
partitions; no table is created for a scope. Row-level security shows a transaction only the rows of
the scope that it has set, even if its role owns the tables; each statement names the scope as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from remem.errors import StoreError, StoreReadOnly, StoreTooNew

if TYPE_CHECKING:
    from psycopg import Connection

PARTITIONS: Final = 16
MIN_SERVER: Final = 15
SCOPE_SETTING: Final = "remem.scope"
_MIGRATION_LOCK: Final = 0x72656D656D  # "remem" in ASCII
_OWN_SCOPE: Final = f"scope_id = nullif(current_setting('{SCOPE_SETTING}', true), '')::uuid"
_TEXT: Final = 'text COLLATE "C"'

TABLES: Final = {
    "scopes": f"""name {_TEXT} NOT NULL,
        changes bigint NOT NULL DEFAULT 0,
        counter bigint NOT NULL DEFAULT 0,
        live_entries bigint NOT NULL DEFAULT 0,
        live_words bigint NOT NULL DEFAULT 0,
        other_entries bigint NOT NULL DEFAULT 0,
        other_words bigint NOT NULL DEFAULT 0,
        models {_TEXT},
        PRIMARY KEY (scope_id)""",
    "writes": """key uuid NOT NULL,
        change bigint NOT NULL,
        PRIMARY KEY (scope_id, key)""",
    "checkouts": f"""checkout {_TEXT} NOT NULL,
        PRIMARY KEY (scope_id, checkout)""",
    "outbox": f"""checkout {_TEXT} NOT NULL,
        file {_TEXT} NOT NULL,
        seq bigint NOT NULL,
        PRIMARY KEY (scope_id, checkout, file)""",
    "records": f"""checkout {_TEXT} NOT NULL,
        namespace {_TEXT} NOT NULL,
        key {_TEXT} NOT NULL,
        value {_TEXT} NOT NULL,
        PRIMARY KEY (scope_id, checkout, namespace, key)""",
    "erased": f"""id {_TEXT} NOT NULL,
        same bigint NOT NULL,
        at {_TEXT} NOT NULL,
        PRIMARY KEY (scope_id, id, same)""",
    "models": f"""model integer NOT NULL,
        name {_TEXT} NOT NULL,
        dimension integer NOT NULL,
        quantisation {_TEXT} NOT NULL,
        PRIMARY KEY (scope_id, model)""",
    "vector_queue": """number bigint NOT NULL,
        PRIMARY KEY (scope_id, number)""",
}
PARTITIONED: Final = {
    "entries": f"""number bigint NOT NULL,
        id {_TEXT} NOT NULL,
        category {_TEXT} NOT NULL,
        content {_TEXT} NOT NULL,
        context {_TEXT},
        priority {_TEXT} NOT NULL,
        tags {_TEXT} NOT NULL,
        related_to {_TEXT} NOT NULL,
        source {_TEXT} NOT NULL,
        origins {_TEXT} NOT NULL,
        trust {_TEXT} NOT NULL,
        created_at {_TEXT} NOT NULL,
        updated_at {_TEXT} NOT NULL,
        expires_at {_TEXT},
        token_estimate bigint NOT NULL,
        archived smallint NOT NULL,
        superseded_by {_TEXT},
        version bigint NOT NULL,
        strength bigint NOT NULL,
        uses bigint NOT NULL,
        change {_TEXT} NOT NULL,
        home {_TEXT} NOT NULL,
        part bigint NOT NULL,
        archive_reason {_TEXT},
        same bigint NOT NULL,
        longest bigint NOT NULL,
        standing boolean NOT NULL,
        live boolean NOT NULL,
        shown bigint NOT NULL DEFAULT 0,
        last_used {_TEXT},
        last_shown {_TEXT},
        PRIMARY KEY (scope_id, number),
        UNIQUE (scope_id, id)""",
    "versions": f"""number bigint NOT NULL,
        version bigint NOT NULL,
        change {_TEXT} NOT NULL,
        record {_TEXT} NOT NULL,
        same bigint NOT NULL,
        PRIMARY KEY (scope_id, number, version)""",
    "postings": f"""live boolean NOT NULL,
        term {_TEXT} NOT NULL,
        number bigint NOT NULL,
        weight float8 NOT NULL,
        words integer NOT NULL,
        positions bytea NOT NULL,
        PRIMARY KEY (scope_id, live, term, number)""",
    "similarity": """part bigint NOT NULL,
        number bigint NOT NULL,
        size bigint NOT NULL,
        sketch bigint NOT NULL,
        PRIMARY KEY (scope_id, part, number)""",
    "tags": f"""tag {_TEXT} NOT NULL,
        number bigint NOT NULL,
        PRIMARY KEY (scope_id, tag, number)""",
    "places": """source bigint NOT NULL,
        position bigint NOT NULL,
        number bigint NOT NULL,
        assistant boolean NOT NULL,
        live boolean NOT NULL,
        PRIMARY KEY (scope_id, source, position, number)""",
    "vector_bits": """model integer NOT NULL,
        number bigint NOT NULL,
        stamp bigint NOT NULL,
        facets integer NOT NULL,
        bits bytea NOT NULL,
        PRIMARY KEY (scope_id, model, number)""",
    "vectors": """model integer NOT NULL,
        number bigint NOT NULL,
        pooled bytea NOT NULL,
        tokens bytea,
        PRIMARY KEY (scope_id, model, number)""",
}
_INDEXES: Final = (
    "erased (scope_id, same)",
    "entries (scope_id, same)",
    "entries (scope_id, longest)",
    "entries (scope_id, home, part) WHERE standing",
    "entries (scope_id, category, updated_at) WHERE live",
    "entries (scope_id, priority, updated_at) WHERE live",
    "entries (scope_id, expires_at) WHERE expires_at IS NOT NULL AND standing",
    "versions (scope_id, same)",
    "tags (scope_id, number)",
    "places (scope_id, number)",
    "vector_bits (scope_id, model, stamp)",
)


def _m001_tables() -> Iterator[str]:
    for table, columns in (TABLES | PARTITIONED).items():
        partitioned = " PARTITION BY HASH (scope_id)" if table in PARTITIONED else ""
        yield f"CREATE TABLE remem.{table} (scope_id uuid NOT NULL, {columns}){partitioned}"
        yield from _protection(table)
        yield (
            f"CREATE POLICY own_scope ON remem.{table} "
            f"USING ({_OWN_SCOPE}) WITH CHECK ({_OWN_SCOPE})"
        )
    for table in PARTITIONED:
        for number in range(PARTITIONS):
            part = f"{table}_{number:02}"
            yield (
                f"CREATE TABLE remem.{part} PARTITION OF remem.{table} "
                f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
            )
            yield from _protection(part)  # without a policy: reachable only through its table
    for index in _INDEXES:
        yield f"CREATE INDEX ON remem.{index}"
    for column in ("pooled", "tokens"):  # random bytes do not compress
        yield f"ALTER TABLE remem.vectors ALTER COLUMN {column} SET STORAGE EXTERNAL"


def _protection(table: str) -> Iterator[str]:
    """Yield the statements that hide all rows of a table unless a policy shows them."""
    yield f"ALTER TABLE remem.{table} ENABLE ROW LEVEL SECURITY"
    yield f"ALTER TABLE remem.{table} FORCE ROW LEVEL SECURITY"


MIGRATIONS: Final[tuple[Callable[[], Iterator[str]], ...]] = (_m001_tables,)
SCHEMA: Final = len(MIGRATIONS)


def prepare(connection: Connection[Any], where: str) -> None:
    """Check the server and the role, and create or migrate the tables.

    A server that is too old, tables of a later version of remem, and a role that bypasses row-level
    security are refused, and nothing is changed.
    """
    _require_server(connection, where)
    _require_role(connection, where)
    if version_of(connection, where) == SCHEMA:
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%(key)s)", {"key": _MIGRATION_LOCK})
        version = version_of(connection, where)
        if version == SCHEMA:
            return
        may_migrate = _create_schema(connection) if version == 0 else _owns_tables(connection)
        if not may_migrate:
            raise StoreReadOnly(
                f"{where} has schema {version}; this version of remem needs schema {SCHEMA}, and "
                "this role may not create or change tables",
                hint="run `remem status` once with the URL of the role that owns the tables",
            )
        for migration in MIGRATIONS[version:]:
            for statement in migration():
                connection.execute(statement)
        connection.execute(
            "UPDATE remem.schema_version SET version = %(version)s", {"version": SCHEMA}
        )


def version_of(connection: Connection[Any], where: str) -> int:
    """Return the version of the tables; 0 if there are none."""
    [[table]] = connection.execute("SELECT to_regclass('remem.schema_version')").fetchall()
    if table is None:
        return 0
    [[version]] = connection.execute("SELECT version FROM remem.schema_version").fetchall()
    if version > SCHEMA:
        raise StoreTooNew(
            f"{where} has schema {version}; this version of remem supports schemas up to {SCHEMA}",
            hint="upgrade remem; the database was not touched",
        )
    return int(version)


def _require_server(connection: Connection[Any], where: str) -> None:
    version = connection.info.server_version
    if version < MIN_SERVER * 10_000:
        raise StoreError(
            f"{where} runs PostgreSQL {version // 10_000}; remem needs {MIN_SERVER} or later",
            hint="upgrade the server",
        )


def _require_role(connection: Connection[Any], where: str) -> None:
    [[role, bypasses]] = connection.execute(
        "SELECT rolname, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
    ).fetchall()
    if bypasses:
        raise StoreReadOnly(
            f"the role {role} of {where} bypasses row-level security, which separates the scopes",
            hint="connect as a role without SUPERUSER and BYPASSRLS, for example "
            "`CREATE ROLE remem LOGIN`; see docs/guides/team.md",
        )


def _create_schema(connection: Connection[Any]) -> bool:
    """Create the schema and the table of its version; return False if the role may not do that."""
    [[exists, may_create]] = connection.execute(
        "SELECT to_regnamespace('remem') IS NOT NULL, CASE "
        "WHEN to_regnamespace('remem') IS NULL "
        "THEN has_database_privilege(current_database(), 'CREATE') "
        "ELSE has_schema_privilege('remem', 'CREATE') END"
    ).fetchall()
    if not may_create:
        return False
    if not exists:
        connection.execute("CREATE SCHEMA remem")
    connection.execute("CREATE TABLE remem.schema_version (version integer NOT NULL)")
    connection.execute("INSERT INTO remem.schema_version VALUES (0)")
    return True


def _owns_tables(connection: Connection[Any]) -> bool:
    [[owns]] = connection.execute(
        "SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class "
        "WHERE oid = to_regclass('remem.schema_version')"
    ).fetchall()
    return bool(owns)
