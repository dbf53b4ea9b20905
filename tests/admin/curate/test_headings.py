"""Verdicts on whole headings, and what curation says about notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.model.entry import Origin
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


DECISIONS = """# Memory

## Decisions:

**Decide alone:**
- The order of the daily tasks
- The colour of the printed signs
- The wording of short replies

**Ask Ines first:**
- Repairs that cost more than a day
- Letters to the harbour office
- New suppliers for the sails
"""


def test_the_introduction_of_a_list_is_shown_with_its_lines_and_names_them(
    opened: Opener, root: Path
) -> None:
    root.mkdir()
    (root / "MEMORY.md").write_text(DECISIONS)
    memory = opened()
    memory.setup.migrate()
    page = memory.curate().page
    assert page is not None
    shown = {group.where: len(group.lines) for group in page.groups}

    assert shown == {
        "MEMORY.md, Decisions › Decide alone": 3,
        "MEMORY.md, Decisions › Ask Ines first": 3,
    }
    memory.curate([{"answer": "drop", "items": ["MEMORY.md, Decisions › Decide alone"]}])
    assert "printed signs" not in memory.index().text
    assert "harbour office" in memory.index().text


def test_a_heading_that_is_not_the_title_of_its_file_is_shown(opened: Opener, root: Path) -> None:
    root.mkdir()
    (root / "MEMORY.md").write_text(MEMORY.replace("# Memory\n", "").replace("## ", "# "))
    memory = opened()
    memory.setup.migrate()

    page = memory.curate().page
    assert page is not None
    assert [group.where for group in page.groups] == ["MEMORY.md, Rules", "MEMORY.md, Shelf"]


def test_pages_about_one_topic_are_offered_last_and_only_with_rules_wishes_and_people(
    opened: Opener, root: Path
) -> None:
    (root / "memory").mkdir(parents=True)
    rules = [f"- Never open door {n} of house {n * 13} without key {n * 17}" for n in range(1, 120)]
    (root / "MEMORY.md").write_text("# Memory\n\n## Rules\n\n" + "\n".join(rules))
    (root / "memory/2026-01-03.md").write_text(NOTE)
    memory = opened()
    memory.setup.migrate()
    winch = Origin("memory/winch.md", 3)
    memory.store(category="fact", content="The cable is galvanised steel", origin=winch)
    for number in range(60):
        memory.store(category="person", content=f"Helper {number} ran the winch", origin=winch)

    left_out = memory.curate(token_budget=12_000).left_out

    assert len(left_out) > 2
    assert left_out[-1].where == "memory/winch.md"
    assert all("ran the winch" in line for line in left_out[-1].lines)


def test_pinned_lines_of_notes_do_not_leave_the_page_with_the_next_verdict(
    opened: Opener, memory: Workspace
) -> None:
    agent = opened(trust="agent")
    strong_wind = name_of(agent, "wind is strong")
    pinned = agent.curate([{"answer": "pin", "items": [strong_wind]}])
    assert pinned.page is not None
    assert strong_wind in pinned.page_lines

    corrected = agent.curate([{"answer": "drop", "items": [name_of(agent, "blue lamp")]}])

    assert corrected.page is not None
    assert strong_wind in corrected.page_lines
    assert corrected.page.left_page == ()
