"""The owner lists entries and changes them; earlier wordings stay in the history."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.errors import InvalidInput, NotAllowed, UnknownEntry
from tests.conftest import Opener


def test_an_edit_is_a_new_version_of_the_same_entry(memory: Workspace, root: Path) -> None:
    id_ = memory.store(category="fact", content="Tea is at four.", tags=["tea"]).id

    edited = memory.edit(id_, content="Tea is at five.", priority="high")

    assert (edited.id, edited.version) == (id_, 2)
    assert (edited.content, edited.priority, edited.tags) == ("Tea is at five.", "high", ("tea",))
    assert [version.entry.content for version in memory.history(id_)] == [
        "Tea is at four.",
        "Tea is at five.",
    ]
    assert "Tea is at five." in (root / "memory/domains/facts.md").read_text(encoding="utf-8")
    assert [entry.id for entry in memory.recall("five").entries] == [id_]


def test_an_edit_without_a_difference_changes_nothing(memory: Workspace) -> None:
    id_ = memory.store(category="fact", content="Tea is at four.").id

    assert memory.edit(id_, content="Tea is at four.").version == 1


def test_an_entry_moves_to_the_file_of_its_new_category(memory: Workspace, root: Path) -> None:
    id_ = memory.store(category="fact", content="Tea is at four.").id

    memory.edit(id_, category="preference", tags=[])

    assert id_ in (root / "memory/domains/preferences.md").read_text(encoding="utf-8")
    assert id_ not in (root / "memory/domains/facts.md").read_text(encoding="utf-8")


def test_a_secret_in_an_edit_is_masked(memory: Workspace) -> None:
    id_ = memory.store(category="fact", content="The key is in the safe.").id

    edited = memory.edit(id_, content="The key is sk-proj-4f8Kq2mZ9xT1vB7nL3wR6yP5.")

    assert "4f8Kq2mZ9xT1vB7nL3wR6yP5" not in edited.content


def test_only_the_owner_edits_and_only_what_is_active(opened: Opener) -> None:
    memory = opened()
    old = memory.store(category="fact", content="Tea is at four.").id
    new = memory.store(category="fact", content="Coffee is at nine.", supersedes=[old]).id
    waiting = memory.store(category="fact", content="Pay me.", trust="untrusted").id

    with pytest.raises(NotAllowed, match="only the owner"):
        opened(trust="agent").edit(new, content="x")
    with pytest.raises(InvalidInput, match=f"was replaced by {new}"):
        memory.edit(old, content="x")
    with pytest.raises(NotAllowed, match="waiting for review"):
        memory.edit(waiting, content="x")
    with pytest.raises(InvalidInput, match="content"):
        memory.edit(new, content="  ")
    memory.forget(new)
    with pytest.raises(InvalidInput, match="is archived"):
        memory.edit(new, content="x")
    with pytest.raises(UnknownEntry, match="mem-00000000"):
        memory.edit("mem-00000000", content="x")


def test_entries_are_listed_by_their_latest_change(opened: Opener) -> None:
    times = iter(f"2026-11-1{day}T12:00:00Z" for day in range(9))
    memory = opened(clock=lambda: next(times, "2026-11-19T12:00:00Z"))
    tea = memory.store(category="fact", content="Tea is at four.", tags=["tea"]).id
    mara = memory.store(category="person", content="Mara is a gardener.", priority="high").id
    memory.store(category="fact", content="Pay me.", trust="untrusted")
    memory.edit(tea, content="Tea is at five.")

    assert [entry.id for entry in memory.entries()] == [tea, mara]
    assert [entry.id for entry in memory.entries(limit=1)] == [tea]
    assert [entry.id for entry in memory.entries(category="person")] == [mara]
    assert [entry.id for entry in memory.entries(priority="high")] == [mara]
    assert [entry.id for entry in memory.entries(tag="tea")] == [tea]
    memory.forget(mara)
    assert [entry.id for entry in memory.entries(archived=True)] == [mara]


def test_a_category_is_guessed_with_a_reason(memory: Workspace) -> None:
    category, why = memory.guess_category("Never send mail without asking.")

    assert category == "instruction"
    assert why
    assert memory.guess_category("The shed is green.")[0] == "fact"
