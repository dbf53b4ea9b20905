"""What does a folder need to become a workspace? Creates what is missing, overwrites nothing."""

from __future__ import annotations

from pathlib import Path

from remem.config import EXAMPLE
from remem.core.scope import MAIN, Scope
from remem.errors import NotAllowed
from remem.notes import files
from remem.notes.layout import Layout
from remem.ports import Store


def initialise(layout: Layout) -> list[Path]:
    """Make the folders and the settings file; returns what was created."""
    created = []
    for folder in (layout.state_folder(MAIN), layout.domains(MAIN)):
        if not folder.exists():
            files.make_folder(folder)
            created.append(folder)
    if not layout.config_file.exists() and files.create(layout.config_file, EXAMPLE.encode()):
        created.append(layout.config_file)
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
