"""Copy a workspace's entries from its store to another one, scope by scope.

The source is not changed. A copy that was interrupted continues when the command is run again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from remem.app import stores
from remem.app.opening import all_scopes, open_scope
from remem.entries.copying import CopyTotals, copy_entries, is_unfinished
from remem.entries.spaces.listing import deleted_spaces
from remem.errors import InvalidInput
from remem.files import atomic
from remem.files.disk import make_folder
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.files.scopes import record_scope_name
from remem.model.scope import Scope, ScopeKind
from remem.ports.entries import Store
from remem.store.sqlite.counter_file import reset_counters
from remem.store.sqlite.entries import SqliteStore

if TYPE_CHECKING:
    from remem.store.postgres.address import Address


@dataclass(frozen=True, slots=True)
class CopyReport:
    """The copied entries of each scope; `aside` are folders with former files of the target."""

    source: str
    target: str
    scopes: dict[str, CopyTotals]
    aside: tuple[str, ...] = ()


def copy_workspace(
    layout: Layout, to: str, progress: Callable[[str], None] = lambda _: None
) -> CopyReport:
    """Copy every scope to `to`: `sqlite`, or the URL of a PostgreSQL database."""
    source = stores.postgres_address(layout)
    target = None if to == stores.SQLITE else stores.address_of(layout, to)
    if source == target:
        raise InvalidInput(
            f"the entries are already in {stores.describe(source)}",
            hint="choose another store with --to",
        )
    copied: dict[str, CopyTotals] = {}
    aside: list[str] = []
    for scope in _scopes(layout, source):
        if source is None and not layout.database(scope).exists():
            continue
        progress(f"copying {scope}")
        make_folder(layout.state_folder(scope))
        record_scope_name(layout, scope)
        with open_scope(layout, scope) as workspace:
            workspace.sync()  # store hand edits and write pending files first
        if target is None and (former := _set_aside(layout, scope)):
            aside.append(former)
        with (
            exclusive_lock(layout.state_folder(scope) / "files.lock"),
            closing(stores.connect(layout, scope, source)) as old,
            closing(_open_target(layout, scope, target)) as new,
        ):
            copied[str(scope)] = copy_entries(old, new, _source_name(source))
    aside += _copy_spaces(layout, source, target)
    return CopyReport(stores.describe(source), stores.describe(target), copied, tuple(aside))


def _copy_spaces(layout: Layout, source: Address | None, target: Address | None) -> list[str]:
    """Copy the list of shared spaces with their grants; return where a former list was moved."""
    old, new = stores.space_list(layout, source), stores.space_list(layout, target)
    spaces = old.read()
    aside: list[str] = []
    if new.read() == spaces:
        return aside
    if target is None and layout.spaces_file.exists():
        folder = atomic.unused_path(layout.own_folder, "before-copy")
        atomic.set_aside(layout.spaces_file, folder / layout.spaces_file.name)
        aside.append(layout.relative(folder))
    new.change(lambda space_list: space_list.replace_with(spaces))
    return aside


def _scopes(layout: Layout, source: Address | None) -> list[Scope]:
    """Return the scopes that have files here, and those that only the database knows."""
    deleted = {Scope("shared", name) for name in deleted_spaces(stores.space_list(layout, source))}
    scopes = [scope for scope in all_scopes(layout)[0] if scope not in deleted]
    if source is not None:
        from remem.store.postgres.store import scope_names

        named = map(_scope_of, scope_names(source))
        scopes += [scope for scope in named if scope not in scopes]
    return scopes


def _scope_of(name: str) -> Scope:
    """Return the scope with this name; only names of scopes are in the database."""
    kind, _, rest = name.partition(":")
    return Scope(cast(ScopeKind, kind), rest)


def _open_target(layout: Layout, scope: Scope, target: Address | None) -> Store:
    if target is None:
        return SqliteStore(layout.database(scope))
    return stores.connect(layout, scope, target, start_empty=True)


def _set_aside(layout: Layout, scope: Scope) -> str | None:
    """Move a former database away, unless it is an unfinished copy; return its new folder."""
    database = layout.database(scope)
    if not database.exists():
        return None
    with closing(SqliteStore(database)) as store, store.read() as snapshot:
        if is_unfinished(snapshot) or not snapshot.ids():
            return None
    folder = atomic.unused_path(database.parent, "before-copy")
    for path in sorted(database.parent.glob(f"{database.name}*")):
        atomic.set_aside(path, folder / path.name)
    reset_counters(database)
    return layout.relative(folder)


def _source_name(source: Address | None) -> str:
    return stores.SQLITE if source is None else f"the workspace {source.workspace}"
