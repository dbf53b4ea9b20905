"""Verdicts on whole headings, and what curation says about notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from tests.conftest import Opener

MEMORY = """# Memory

## Rules

- Never send mail without asking Ines first
- Answers are short and in German

## Shelf

- The red toolbox stands on the second shelf
- The blue lamp hangs above the door
"""
NOTE = """# 2026-01-03

## Lessons about the crane

- Rule: always ask Ines before the crane is moved
- If the wind is strong, wait
- Status: the load was lifted and all checks passed
"""


@pytest.fixture
def memory(opened: Opener, root: Path) -> Workspace:
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text(MEMORY)
    (root / "memory/2026-01-03.md").write_text(NOTE)
    opened_memory = opened()
    opened_memory.setup.migrate()
    return opened_memory


def name_of(memory: Workspace, words: str) -> str:
    (found,) = [name for name, text in memory.curate().lines.items() if words in text]
    return found


def test_a_heading_stands_for_all_its_lines_except_those_that_another_verdict_names(
    memory: Workspace,
) -> None:
    lamp = name_of(memory, "blue lamp")

    memory.curate(
        [
            {"answer": "drop", "items": ["MEMORY.md, Shelf"]},
            {"answer": "pin", "items": [lamp]},
            {"answer": "keep", "items": ["*"]},
        ]
    )

    index = memory.index().text
    assert "red toolbox" not in index
    assert "blue lamp" in index
    assert "Never send mail" in index


def test_pinning_a_heading_of_a_note_brings_its_whole_list(memory: Workspace) -> None:
    memory.curate([{"answer": "pin", "items": ["memory/2026-01-03.md, Lessons about the crane"]}])

    index = memory.index().text
    assert "always ask Ines before the crane is moved" in index
    assert "If the wind is strong, wait" in index


def test_a_heading_that_does_not_exist_is_refused(memory: Workspace) -> None:
    (refused,) = memory.curate([{"answer": "drop", "items": ["MEMORY.md, Harbour"]}]).refused
    assert "MEMORY.md, Harbour" in refused.reason


def test_a_pinned_report_of_a_note_is_pointed_out(memory: Workspace) -> None:
    report = name_of(memory, "was lifted")

    done = memory.curate([{"answer": "pin", "items": [report]}])

    assert done.page is not None
    proposed = [group.proposed for group in done.page.groups if group.proposed]
    assert [list(names) for groups in proposed for names in groups.values()] == [[report]]
