"""What does a folder need to become a workspace? Creates what is missing, overwrites nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from remem.config import EXAMPLE
from remem.errors import NotAllowed, StoreMissing
from remem.files import atomic
from remem.files.database_swap import refuse_unfinished
from remem.files.layout import Layout
from remem.files.workspace_key import new_key
from remem.model.scope import MAIN, Scope
from remem.ports.entries import Store


def initialise(layout: Layout) -> list[Path]:
    """Make the folders and the settings file; returns what was created."""
    created = []
    for folder in (layout.state_folder(MAIN), layout.domains(MAIN)):
        if not folder.exists():
            atomic.make_folder(folder)
            created.append(folder)
    contents: dict[Path, Callable[[], bytes]] = {
        layout.config_file: EXAMPLE.encode,
        layout.git_ignore: lambda: b"*\n",  # `git clean` and `git add` leave all of it alone
        layout.key_file: new_key,
    }
    for path, content in contents.items():
        if not path.exists() and atomic.create(path, content()):
            created.append(path)
    return created


def claim(store: Store, scope: Scope) -> None:
    """A database says whose it is, and is never opened for another scope.

    Folder names are made from names by hashing; this makes sure of what that makes likely.
    """
    with store.read() as snapshot:
        owner = snapshot.note("scope")
    if owner is None and store.writable:
        store.write(lambda tx: tx.keep_note("scope", str(scope)))
    elif owner not in (None, str(scope)):
        raise NotAllowed(f"the database of {scope} belongs to another scope")


def require_database(database: Path, domains: Path) -> None:
    """A database that is gone while its domain files hold entries is missed, not replaced:
    an empty one would know nothing of what stands in the files.

    The files are looked at before the database is looked for again, because another process
    may just have made it and written them.
    """
    refuse_unfinished(database)
    if _filled(database):
        return
    from remem.files.domain_file.format import ids_in  # a database is seldom missing

    held = {path.name for path in sorted(domains.glob("*.md")) if ids_in(path)}
    if held and not _filled(database):
        raise StoreMissing(
            f"{database} is missing, and {', '.join(sorted(held))} hold entries of it",
            hint="put it back, or let `remem doctor --repair` restore it from those files",
        )


def _filled(database: Path) -> bool:
    try:
        return database.stat().st_size > 0
    except FileNotFoundError:
        return False
