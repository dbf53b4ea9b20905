"""The entry store that the settings choose: a SQLite file per scope, or PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.app.environment import environment_or_default
from remem.config import Config
from remem.errors import (
    ConfigError,
    FileError,
    NotAllowed,
    RememError,
    StoreDamaged,
    StoreError,
    StoreMissing,
    quoted,
)
from remem.files import atomic
from remem.files.disk import make_folder
from remem.files.layout import EXCHANGE_RECORD, Layout
from remem.files.scopes import record_scope_name
from remem.files.sessions import read_config
from remem.model.scope import Scope
from remem.ports.entries import Store
from remem.ports.state import ACTIVITY, SCOPE
from remem.store.reopening import ReplaceableStore
from remem.store.sqlite.entries import SqliteStore

if TYPE_CHECKING:
    from remem.ports.spaces import SpaceList
    from remem.store.postgres.address import Address

SQLITE: Final = "sqlite"
_INSTALL: Final = "install it with `pip install 'remem[postgres]'`"


def postgres_address(
    layout: Layout,
    config: Config | None = None,
    environment: Mapping[str, str] | None = None,
) -> Address | None:
    """Return the address of the workspace's PostgreSQL store; None if it uses SQLite.

    REMEM_STORE overrides the setting `store`.
    """
    setting = environment_or_default(environment).get("REMEM_STORE")
    store = setting or (config or read_config(layout)).store
    return None if store in ("", SQLITE) else address_of(layout, store)


def address_of(layout: Layout, store: str) -> Address:
    """Return the address in a URL; if it names no `workspace=`, add the id of this workspace."""
    from remem.store.postgres.address import is_address, mask_password, parse_address

    if not is_address(store):
        raise ConfigError(
            f"the store {quoted(mask_password(store))} is not supported",
            hint=f"use {SQLITE!r} or a URL such as postgresql://remem@db.example.com/memory",
        )
    require_psycopg()
    if "workspace=" in store:
        return parse_address(store)
    from remem.files.checkout import workspace_id

    return parse_address(store, workspace_id(layout))


def describe(address: Address | None) -> str:
    """Return a description of the store for messages, without its password."""
    return SQLITE if address is None else f"{address} (workspace {address.workspace})"


def require_psycopg() -> None:
    """Raise ConfigError if the extra for PostgreSQL is not installed."""
    try:
        import psycopg  # noqa: F401
        import psycopg_pool  # noqa: F401
    except ImportError as error:
        raise ConfigError(f"PostgreSQL needs a package: {error}", hint=_INSTALL) from None


def connect(
    layout: Layout, scope: Scope, address: Address | None, *, start_empty: bool = False
) -> ReplaceableStore:
    """Open the entry store of a scope, and record the scope in it."""
    if scope.kind == "shared":
        _refuse_deleted_space(layout, scope, space_list(layout, address))
    store = (
        _sqlite(layout, scope, start_empty=start_empty)
        if address is None
        else _postgres(layout, scope, address, start_empty=start_empty)
    )
    try:
        claim_scope(store, scope)
    except BaseException:
        store.close()
        raise
    return store


def claim_scope(store: Store, scope: Scope) -> None:
    """Record the scope in its database, and refuse a database of another scope.

    The folders of scopes are named by hashes. Collisions are unlikely; this check excludes them.
    """
    with store.read() as snapshot:
        recorded = snapshot.record(SCOPE)
    if recorded is None and store.writable:
        store.write(lambda tx: tx.put_record(SCOPE, "", str(scope)))
    elif recorded not in (None, str(scope)):
        raise NotAllowed(
            f"the database in the folder of {scope} was created for another scope",
            hint="run `remem doctor` to see which one",
        )


def require_database(database: Path, domains: Path) -> None:
    """Raise if a repair was interrupted, or if the database is gone while its files have entries.

    Creating an empty database would hide that the entries are lost. The database is checked again
    after the files, because another process may just have created both.
    """
    if database.with_name(EXCHANGE_RECORD).exists():  # it may be a new file with an old log
        raise StoreError(
            f"a repair of {database} was interrupted",
            hint="run `remem doctor --repair` to finish it",
        )
    if _has_content(database):
        return
    files_with_entries = domain_files_with_entries(domains)
    if files_with_entries and not _has_content(database):
        raise StoreMissing(
            f"{database} is missing, but its entries are still in {', '.join(files_with_entries)}",
            hint="put it back, or run `remem doctor --repair` to restore it from those files",
        )


def domain_files_with_entries(domains: Path) -> list[str]:
    """Return the names of the domain files that contain entries."""
    from remem.files.domain_file.format import ids_in  # lazy: rarely needed

    return [path.name for path in sorted(domains.glob("*.md")) if ids_in(path)]


def _has_content(database: Path) -> bool:
    try:
        return database.stat().st_size > 0
    except FileNotFoundError:
        return False


def _sqlite(layout: Layout, scope: Scope, *, start_empty: bool) -> ReplaceableStore:
    if not start_empty:
        require_database(layout.database(scope), layout.domains(scope))
    return SqliteStore(layout.database(scope))


def _postgres(
    layout: Layout, scope: Scope, address: Address, *, start_empty: bool
) -> ReplaceableStore:
    from remem.files.checkout import checkout_id
    from remem.store.postgres.store import PostgresStore

    store = PostgresStore(address, str(scope), checkout_id(layout))
    try:
        if not start_empty:
            _require_entries(store, layout, scope, address)
        if store.is_new_checkout:
            queue_all_files(store)
    except BaseException:
        store.close()
        raise
    return store


def space_list(layout: Layout, address: Address | None) -> SpaceList:
    """Return the list of the shared spaces; with PostgreSQL, all machines have the same list."""
    if address is None:
        from remem.files.spaces import SpacesFile

        return SpacesFile(layout)
    from remem.entries.spaces.listing import SpacesInStore
    from remem.store.postgres.store import PostgresStore, remove_scope

    return SpacesInStore(
        lambda: closing(PostgresStore(address, "")), lambda scope: remove_scope(address, str(scope))
    )


def names_of_spaces(layout: Layout, address: Address | None) -> str:
    """Return the names of the shared spaces for a message that begins "the shared spaces"."""
    try:
        return ", ".join(space_list(layout, address).read().listed)
    except RememError:
        return "of a list that cannot be read"


def _refuse_deleted_space(layout: Layout, scope: Scope, space_list: SpaceList) -> None:
    """Raise StoreMissing for a deleted space, after removing its local files.

    If the owner has created a space of the same name again, only the old files are removed. A file
    with the time of creation then shows that the files in the folder belong to the new space.
    """
    from remem.entries.spaces.listing import unknown_space
    from remem.files.spaces import remove_space_files

    try:
        spaces = space_list.read()
    except (FileError, StoreDamaged):
        return  # without a readable list only the owner can open a space, to repair it
    if scope.name not in spaces.deleted:
        return
    marker, space = layout.state_folder(scope) / "created", spaces.listed.get(scope.name)
    current = space.created_at.encode() if space else None
    if current is not None and atomic.read(marker) == current:
        return
    remove_space_files(layout, scope.name)
    if current is None:
        unknown = unknown_space(scope.name)
        raise StoreMissing(*unknown.args, hint=unknown.hint)
    make_folder(layout.state_folder(scope))
    record_scope_name(layout, scope)
    atomic.create(marker, current)


def _require_entries(store: Store, layout: Layout, scope: Scope, address: Address) -> None:
    """Raise StoreMissing if the store has nothing of a scope whose files contain entries."""
    with store.read() as snapshot:
        if snapshot.record(ACTIVITY, "store") or snapshot.ids() or snapshot.tombstones():
            return
    if files_with_entries := domain_files_with_entries(layout.domains(scope)):
        raise StoreMissing(
            f"{address} has no entries of {scope} in the workspace {address.workspace}, but "
            f"{', '.join(files_with_entries)} has some",
            hint="copy them with `remem copy --to URL` while the old store is configured, or add "
            "?workspace=ID to the URL to use the entries of another checkout",
        )


def queue_all_files(store: Store) -> None:
    """Queue every domain file and the index for writing, for a checkout that has none of them."""
    from remem.model.domain_routing import INDEX_FILE_KEY
    from remem.ports.entries import Transaction
    from remem.ports.records import Where

    def operation(tx: Transaction) -> None:
        file_keys = tx.tally("home", Where(state="current"))
        for file_key in (*file_keys, *([INDEX_FILE_KEY] if file_keys else [])):
            tx.add_to_outbox(file_key)

    store.write(operation)


@contextmanager
def temporary_copy(
    layout: Layout, scope: Scope, address: Address | None, store: Store
) -> Iterator[Store]:
    """Yield a private copy of a scope's entries, to try changes on; it is deleted afterwards."""
    if address is None:
        from remem.store.sqlite import entries as sqlite_entries

        with sqlite_entries.temporary_copy(layout.database(scope)) as copy:
            yield copy
        return
    from remem.entries.copying import copy_entries
    from remem.store.memory.store import MemoryStore

    memory = MemoryStore()
    copy_entries(store, memory)
    yield memory


def require_sqlite(layout: Layout, consequence: str, hint: str) -> None:
    """Raise StoreError for commands that work on database files, if the store is PostgreSQL."""
    address = postgres_address(layout)
    if address is not None:
        raise StoreError(f"the entries are in {address}, so {consequence}", hint=hint)


@contextmanager
def open_store(
    layout: Layout, scope: Scope, environment: Mapping[str, str] | None = None
) -> Iterator[Store]:
    """Yield the entry store of a scope, for commands that need nothing else."""
    store = connect(layout, scope, postgres_address(layout, environment=environment))
    try:
        yield store
    finally:
        store.close()
