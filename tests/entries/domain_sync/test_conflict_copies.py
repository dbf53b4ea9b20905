"""Edits in the conflict copies of sync programs, and in merged branches, are all kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Opener

COPY = "facts.sync-conflict-20261118-071534-2N5Y64N.md"
"""As Syncthing 1.19 names it."""


@pytest.fixture
def facts(root: Path) -> Path:
    return root / "memory/domains/facts.md"


def test_a_conflict_copy_adds_its_edits_and_takes_none_back(opened: Opener, facts: Path) -> None:
    memory = opened()
    ids = [
        memory.store(category="fact", content=text).id
        for text in ("Zoe lives in Bern.", "The wifi is called birch.", "Roses are cut in March.")
    ]
    base = facts.read_text()
    memory.close()
    facts.write_text(
        base.replace("birch", "willow").replace("- Roses", "- The floor is oak.\n- Roses")
    )
    facts.with_name(COPY).write_text(base.replace("Bern", "Basel").replace("March", "April"))

    memory = opened()
    memory.recall("anything")

    assert [memory.entry(id_).content for id_ in ids] == [
        "Zoe lives in Basel.",
        "The wifi is called willow.",
        "Roses are cut in April.",
    ]
    assert "The floor is oak." in facts.read_text()
    assert [memory.entry(id_).version for id_ in ids] == [2, 2, 2]
    assert "mem-" not in facts.with_name(COPY).read_text()


def test_an_entry_that_both_copies_reword_keeps_both_wordings(opened: Opener, facts: Path) -> None:
    memory = opened()
    memory.store(category="fact", content="Zoe lives in Bern.")
    base = facts.read_text()
    memory.close()
    facts.write_text(base.replace("Bern", "Basel"))
    facts.with_name(COPY).write_text(base.replace("Bern", "Chur"))

    opened().recall("anything")

    text = facts.read_text()
    assert "Zoe lives in Basel." in text
    assert "Zoe lives in Chur." in text


def test_conflict_marks_of_git_lose_no_line(opened: Opener, facts: Path) -> None:
    memory = opened()
    id_ = memory.store(category="fact", content="Zoe lives in Bern.").id
    line = f"- Zoe lives in Bern. ^{id_}\n"
    memory.close()
    ours, theirs = line.replace("Bern", "Basel"), line.replace("Bern", "Chur")
    merged = f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> branch\n"
    facts.write_text(facts.read_text().replace(line, merged))

    opened().recall("anything")

    text = facts.read_text()
    assert "Zoe lives in Basel." in text
    assert "Zoe lives in Chur." in text
