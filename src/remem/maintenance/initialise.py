"""What does a folder need to become a workspace? Creates what is missing, overwrites nothing."""

from __future__ import annotations

from pathlib import Path

from remem.config import EXAMPLE
from remem.core.scope import MAIN
from remem.notes import files
from remem.notes.layout import Layout


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
