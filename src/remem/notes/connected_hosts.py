"""Which hosts has this workspace been given to? The record of `remem connect` says so."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from remem.core.scope import MAIN
from remem.notes.layout import Layout

SCHEDULE: Final = "schedule"
"""The record of a timer lies beside those of hosts, and is none."""


def record_folder(layout: Layout) -> Path:
    """Where what hosts' files were before is kept, a folder for each host."""
    return layout.state_folder(MAIN) / "hosts"


def connected_hosts(layout: Layout) -> list[str]:
    """The hosts that the record names."""
    pages = record_folder(layout).glob("*/plan-*.json")
    return sorted({page.parent.name for page in pages} - {SCHEDULE})
