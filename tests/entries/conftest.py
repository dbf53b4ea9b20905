"""What tests of several kinds of upkeep begin with."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def conversations_allowed(root: Path) -> None:
    """A workspace whose owner lets main's conversations be read, in a zone that is everywhere."""
    (root / ".remem").mkdir(parents=True)
    (root / "memory").mkdir()
    (root / ".remem/config.toml").write_text('timezone = "UTC"\ntranscripts = ["main"]\n')
