"""Turn a folder into a workspace: create missing files and folders, overwrite nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from remem.config import EXAMPLE
from remem.errors import NotAllowed, StoreMissing
from remem.files import atomic
from remem.files.database_swap import refuse_unfinished
from remem.files.disk import make_folder
from remem.files.layout import Layout
from remem.files.workspace_key import new_key
from remem.model.scope import MAIN, Scope
from remem.ports.entries import Store
from remem.ports.state import SCOPE


def initialise(layout: Layout) -> list[Path]:
    """Create folders, settings and the key; return the paths that were created."""
    created = []
    for folder in (layout.state_folder(MAIN), layout.domains(MAIN)):
        if not folder.exists():
            make_folder(folder)
            created.append(folder)
    contents: dict[Path, Callable[[], bytes]] = {
        layout.config_file: EXAMPLE.encode,
        layout.git_ignore: lambda: b"*\n",  # `git clean` and `git add` ignore the folder
        layout.key_file: new_key,
    }
    for path, content in contents.items():
        if not path.exists() and atomic.create(path, content()):
            created.append(path)
    return created


def claim_scope(store: Store, scope: Scope) -> None:
    """Record the scope in its database, and refuse a database of another scope.

    Folder names are hashes, so collisions are unlikely; this check makes sure that it is the right
    database.
    """
    with store.read() as snapshot:
        owner = snapshot.record(SCOPE)
    if owner is None and store.writable:
        store.write(lambda tx: tx.put_record(SCOPE, "", str(scope)))
    elif owner not in (None, str(scope)):
        raise NotAllowed(
            f"the database in the folder of {scope} was created for another scope",
            hint="run `remem doctor`",
        )


def require_database(database: Path, domains: Path) -> None:
    """Raise StoreMissing if the database is gone while its domain files contain entries.

    A new, empty database would not have those entries. The database is checked again
    after the files, because another process may just have created both.
    """
    refuse_unfinished(database)
    if _has_content(database):
        return
    held = entries_in_domains(domains)
    if held and not _has_content(database):
        raise StoreMissing(
            f"{database} is missing, but its entries are still in {', '.join(held)}",
            hint="put it back, or run `remem doctor --repair` to restore it from those files",
        )


def entries_in_domains(domains: Path) -> list[str]:
    """Return the names of the domain files that contain entries."""
    from remem.files.domain_file.format import ids_in  # rarely needed

    return [path.name for path in sorted(domains.glob("*.md")) if ids_in(path)]


def _has_content(database: Path) -> bool:
    try:
        return database.stat().st_size > 0
    except FileNotFoundError:
        return False
