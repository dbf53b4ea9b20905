"""From a new workspace to an index that says what an agent must know, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

USER = "# USER.md - About Your Human\n\n- **Name:** Ines Calder\n- **Notes:**\n"
MEMORY = """# Memory

## Rules

- Never write to a customer before Ines has agreed.
- [x] Order new brushes

## Boathouse

### Roof

- **Builder:** Teo, reached in the evening
"""


@pytest.fixture
def owners(root: Path) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    (root / "USER.md").write_text(USER)
    (root / "MEMORY.md").write_text(MEMORY)
    return root


def test_init_migrate_index_and_start_show_what_the_owner_wrote(run: Run, owners: Path) -> None:
    assert run("init", str(owners)).exit_code == 0
    assert "Nothing is stored yet" in run("index").stdout
    assert run("migrate").exit_code == 0

    index, start = run("index").stdout, run("start").stdout

    assert "- Name: Ines Calder\n" in index
    assert "### Rules\n- Never write to a customer before Ines has agreed.\n" in index
    assert "Builder: Teo, reached in the evening\n" in index
    assert not any(word in index for word in ("brushes", "Notes:", "About Your Human"))
    assert index.rstrip("\n") in start
    assert (owners / "memory/INDEX.md").read_text(encoding="utf-8") == index
    shown = json.loads(run("status", "--json").stdout)
    assert (
        shown["index"]["always_loaded_tokens"]
        == json.loads(run("migrate", "--json").stdout)["tokens"]["index"]
    )


def test_what_is_stored_later_comes_first(run: Run, owners: Path) -> None:
    run("migrate")

    run("store", "-c", "instruction", "-p", "critical", "Ask before you delete.")

    lines = [line for line in run("index").stdout.splitlines() if line.startswith("- ")]
    assert lines[0] == "- [I] Ask before you delete."
    assert "- Name: Ines Calder" in lines
