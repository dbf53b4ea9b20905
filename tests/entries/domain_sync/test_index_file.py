"""Editing memory/INDEX.md by hand: the owner's choices, never lost bytes."""

from __future__ import annotations

from pathlib import Path

from remem.app.workspace import Workspace
from tests.conftest import Opener

LINES = ("Likes green tea", "Collects jazz records", "Walks to work on dry days")


def index_file(root: Path) -> Path:
    return root / "memory" / "INDEX.md"


def filled(opened: Opener) -> Workspace:
    memory = opened()
    for text in LINES:
        memory.store(category="preference", content=text)
    memory.sync()
    return memory


def bullets(memory: Workspace) -> list[str]:
    return [line.text for line in memory.index().lines]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_removed_line_is_dropped_for_good(opened: Opener, root: Path) -> None:
    memory = filled(opened)
    edit(index_file(root), "- [P] Collects jazz records\n", "")

    assert "jazz" not in memory.index().text
    memory.maintenance.rebuild()
    assert "jazz" not in index_file(root).read_text(encoding="utf-8")
    assert memory.curation.verdicts().verdicts[-1].answer == "drop"
    assert memory.recall("jazz").entries


def test_a_moved_line_keeps_its_place(opened: Opener, root: Path) -> None:
    memory = filled(opened)
    last = bullets(memory)[-1]
    edit(index_file(root), f"{last}\n", "")
    edit(index_file(root), "relevant)\n\n", f"relevant)\n\n{last}\n")

    assert bullets(memory)[0] == last
    memory.store(category="fact", content="The shed is green")
    assert bullets(memory)[0] == last
    assert len(bullets(memory)) == 4


def test_an_edited_line_revises_an_entry_that_was_stored(opened: Opener, root: Path) -> None:
    memory = filled(opened)
    edit(index_file(root), "Likes green tea", "Likes white tea")

    assert "- [P] Likes white tea" in memory.index().text
    (entry,) = [found for found in memory.recall("white tea").entries if "tea" in found.content]
    assert entry.content == "Likes white tea"
    assert [version.entry.content for version in memory.history(entry.id)] == [
        "Likes green tea",
        "Likes white tea",
    ]


def test_an_edited_line_of_memory_md_is_only_reworded(opened: Opener, root: Path) -> None:
    root.mkdir()
    (root / "MEMORY.md").write_text("## Rules\n\n- Never send mail without asking Ines first\n")
    memory = opened()
    memory.setup.migrate()
    memory.sync()
    edit(index_file(root), "Never send mail without asking Ines first", "Ask Ines before any mail")

    assert "Ask Ines before any mail" in memory.index().text
    memory.setup.migrate()
    assert "Ask Ines before any mail" in memory.index().text
    id_ = memory.curation.verdicts().verdicts[0].entries[0]
    assert "Never send mail without asking Ines first" in memory.entry(id_).content


def test_an_edited_line_keeps_the_secret_that_the_owner_kept(opened: Opener, root: Path) -> None:
    memory = opened()
    text = "The door code of the garage is 4711"
    stored = memory.store(
        category="instruction", content=text, priority="critical", keep_secrets=True
    )
    memory.sync()
    edit(index_file(root), "the garage", "the big garage")

    memory.index()

    assert memory.entry(stored.id).content == "The door code of the big garage is 4711"


def test_an_edited_line_that_cannot_be_stored_is_reported(opened: Opener, root: Path) -> None:
    memory = filled(opened)
    edit(index_file(root), "green tea", "green\0 tea")

    memory.index()

    assert [entry.content for entry in memory.recall("tea").entries] == ["Likes green tea"]
    assert any("NUL character" in notice for notice in memory.status().health.notices)


def test_a_new_line_becomes_a_pinned_entry_of_the_agent(opened: Opener, root: Path) -> None:
    memory = filled(opened)
    edit(index_file(root), LINES[0], f"{LINES[0]}\n- [I] Ask before paying bills")

    assert "- [I] Ask before paying bills" in memory.index().text
    (entry,) = [found for found in memory.recall("bills").entries if "bills" in found.content]
    assert memory.entry(entry.id).trust == "agent"
    assert memory.entry(entry.id).category == "instruction"


def test_half_a_file_and_an_earlier_version_change_nothing(opened: Opener, root: Path) -> None:
    memory = filled(opened)
    text = index_file(root).read_text(encoding="utf-8")
    index_file(root).write_text(text[: len(text) // 2], encoding="utf-8")
    assert len(bullets(memory)) == 3
    memory.store(category="preference", content="Reads on Sundays")
    memory.sync()
    index_file(root).write_text(text, encoding="utf-8")

    assert len(bullets(memory)) == 4
    assert not memory.curation.verdicts().verdicts


def test_other_changes_are_kept_as_a_copy(opened: Opener, root: Path) -> None:
    memory = filled(opened)
    edit(index_file(root), "# Memory Index\n", "# Memory Index\n\nMy own remark\n")
    memory.index()
    memory.sync()

    copies = list((root / ".remem" / "main" / "conflicts").iterdir())
    assert [b"My own remark" in copy.read_bytes() for copy in copies] == [True]
    assert "My own remark" not in index_file(root).read_text(encoding="utf-8")


def test_a_deleted_file_drops_nothing(opened: Opener, root: Path) -> None:
    memory = filled(opened)
    index_file(root).unlink()
    memory.store(category="preference", content="Reads on Sundays")
    memory.sync()

    assert len(bullets(memory)) == 4
    assert index_file(root).exists()
