"""The last migration can be undone; what was changed since is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.errors import InvalidInput
from remem.model.entry import Entry
from tests.setup.migrate.test_migrate import MEMORY_MD, contents, entries, write


def live(memory: Workspace) -> dict[str, Entry]:
    """The live entries as the owner sees them, without the number and time of their versions."""
    return {
        entry.id: replace(entry, version=0, updated_at="", related_to=())
        for entry in entries(memory)
        if entry.live
    }


def test_undoing_the_first_migration_archives_its_entries(memory: Workspace, root: Path) -> None:
    stored = memory.store(category="fact", content="Tea is at five.")
    before, index = live(memory), memory.index().text
    write(root, **{"MEMORY.md": MEMORY_MD})
    memory.setup.migrate()

    undone = memory.setup.undo_migration()

    assert (undone.archived, undone.restored, undone.kept) == (6, 0, ())
    assert live(memory) == before
    assert list(before) == [stored.id]
    assert memory.index().text == index
    with pytest.raises(InvalidInput, match="no migration to undo"):
        memory.setup.undo_migration()


def test_migrating_again_after_an_undo_brings_the_same_entries_back(
    memory: Workspace, root: Path
) -> None:
    write(root, **{"MEMORY.md": MEMORY_MD, "memory/2026-02-05.md": "- Never y without z, ever."})
    memory.setup.migrate()
    before = live(memory)
    memory.setup.undo_migration()

    memory.setup.migrate()

    assert live(memory) == before
    assert memory.setup.migrate().changes == 0


def test_undoing_a_second_migration_restores_what_it_changed(memory: Workspace, root: Path) -> None:
    rule = "- Never restart the relay before noon.\n"
    write(root, **{"MEMORY.md": MEMORY_MD + rule})
    memory.setup.migrate()
    before = live(memory)
    changed = MEMORY_MD.replace("port 3000", "port 3001").replace("- She prefers tea", "- Tea")
    write(root, **{"MEMORY.md": changed, "memory/2026-02-05.md": "- Never y without z, ever."})
    memory.setup.migrate()
    assert live(memory) != before

    undone = memory.setup.undo_migration()

    assert live(memory) == before
    assert (undone.restored, undone.archived) == (3, 1)
    memory.setup.migrate()
    assert "listens on port 3001" in contents(memory)


def test_a_run_that_changes_nothing_keeps_the_last_one_undoable(
    memory: Workspace, root: Path
) -> None:
    write(root, **{"MEMORY.md": MEMORY_MD})
    memory.setup.migrate()
    memory.setup.migrate()

    assert memory.setup.undo_migration().archived == 6


def test_later_edits_survive_an_undo(memory: Workspace, root: Path) -> None:
    write(root, **{"MEMORY.md": "- Tea is at five in the garden.\n- Cake is at six.\n"})
    memory.setup.migrate()
    file = root / "memory/domains/facts.md"
    file.write_text(file.read_text().replace("at five", "at half past five"))
    memory.sync()
    later = memory.store(category="fact", content="Rum is at ten.")

    undone = memory.setup.undo_migration()

    assert undone.archived == 1
    assert [entry.content for entry in undone.kept] == ["Tea is at half past five in the garden."]
    assert {entry.content for entry in live(memory).values()} == {
        "Tea is at half past five in the garden.",
        "Rum is at ten.",
    }
    assert memory.entry(later.id).live


def test_being_read_or_linked_is_no_edit(memory: Workspace, root: Path) -> None:
    write(root, **{"MEMORY.md": "- Tea is at five in the garden, behind the red door.\n"})
    memory.setup.migrate()
    (entry,) = entries(memory)
    memory.recall(entry.id)
    memory.store(category="fact", content="Tea is at five in the garden, behind the green door.")

    assert memory.setup.undo_migration().kept == ()
