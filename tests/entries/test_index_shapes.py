"""The index of workspaces in the shapes of real ones: what must be in it, and what must not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from remem.app.workspace import Workspace


@dataclass(frozen=True)
class Shape:
    """The files of a workspace, and words of lines that belong in its index or do not."""

    files: dict[str, str]
    must: tuple[str, ...]
    noise: tuple[str, ...] = ()


DIARY = "\n".join(
    f"## 2026-0{month}-1{day} (daily report)\n\n- Title: piece number {month}{day}\n"
    f"- Link: http://example.org/{month}{day}\n- Fixed the importer of day {day}"
    for month in range(1, 6)
    for day in range(9)
)
SHAPES = {
    "lean": Shape(
        {
            "USER.md": "# USER.md - About Your Human\n\n- **Name:** Ines Calder\n- **Pronouns:** "
            "_(optional)_\n- **Timezone:** Europe/Lisbon\n- Prefers short answers\n",
            "MEMORY.md": "# Memory\n\n## Rules\n\n- Ask before you send mail to a customer.\n\n"
            "## Completed\n\n- [x] Order brushes\n- The archive went to the cellar.\n",
        },
        ("Ines Calder", "Europe/Lisbon", "short answers", "Ask before you send mail"),
        ("optional", "Order brushes", "went to the cellar"),
    ),
    "log": Shape(
        {
            "MEMORY.md": f"# Memory\n\n{DIARY}\n\n## Rules\n\n- Never publish on a Sunday.\n\n"
            "## Preferences\n\n- Teo wants every figure with its source.\n"
        },
        ("Never publish on a Sunday", "every figure with its source"),
        ("Title: piece", "Fixed the importer", "http://example.org"),
    ),
    "tables": Shape(
        {
            "MEMORY.md": "# Memory\n\n## Schedules\n\n| job | when |\n|---|---|\n"
            "| report | every day at 07:00 |\n\n## Projects\n\n| name | state |\n|---|---|\n"
            "| Boathouse roof | waiting for slates |\n\n"
            "## Scripts (removed 2026-03-12)\n\n- ~~`/opt/old/poster.py`~~ - removed\n"
        },
        ("report", "every day at 07:00", "Boathouse roof"),
        ("poster.py",),
    ),
    "subsections": Shape(
        {
            "MEMORY.md": "# Memory\n\n## Boats\n\n### Heron (ferry)\n\n- **Price:** 5 € a trip\n"
            "- **Handle:** @heron\n\n### Otter (barge)\n\n- **Price:** 9 € a trip\n"
            "- **Handle:** @otter\n"
        },
        (
            "### Boats\n#### Heron (ferry)\n- Price: 5 € a trip\n- Handle: @heron",
            "#### Otter (barge)\n- Price: 9 € a trip",
        ),
    ),
    "finished rows": Shape(
        {
            "MEMORY.md": "# Memory\n\n## Projects (updated 2026-03-12)\n\n"
            "| Project | Status | Next |\n|---|---|---|\n"
            "| Slipway | waiting | order planks |\n| Fence | Done | - |\n"
        },
        ("Slipway — Status: waiting; Next: order planks",),
        ("Fence",),
    ),
    "lists under one label": Shape(
        {
            "USER.md": "# USER.md\n\n- **Notes:**\n  - Ines wants short answers.\n"
            "  - Teo keeps the keys of the shed.\n  - Mail goes out before noon.\n"
            "  - The ferry to Almada leaves at nine.\n  - Old ropes are given to the school.\n"
        },
        ("short answers", "keys of the shed", "before noon", "Almada", "Old ropes"),
    ),
    "permission and prohibition": Shape(
        {
            "MEMORY.md": "# Memory\n\n## Posting\n\nTeo lets me post without asking.\n\n"
            "**Scope:**\n\n"
            + "".join(
                f"- Answer questions about boat number {n} on the forum\n" for n in range(140)
            )
            + "\n**Constraints:**\n\n- No politics, no prices\n- Sign with the name of the club\n"
            "- Keep a list of every post\n"
        },
        ("#### Constraints", "No politics, no prices", "Sign with the name", "list of every post"),
    ),
    "projects": Shape(
        {
            "USER.md": "# USER.md\n\n## Goals\n\n- Sail to the Azores one day\n",
            "MEMORY.md": "# Memory\n\n"
            + "".join(
                f"## Gear {n}\n\n" + f"- The spare part {n} is in the box on shelf {n}\n" * 4
                for n in range(40)
            )
            + "\n## Active projects\n\n### Slipway\n\nPlanks are ordered.\n\n### Ferry book\n\n"
            "Chapter 4 is with the editor.\n",
        },
        ("### Slipway\n- Planks are ordered.", "### Ferry book\n- Chapter 4 is with the editor."),
        ('categories:["project"])`\n\n- Sail',),
    ),
    "the same in both files": Shape(
        {
            "USER.md": "# USER.md\n\n- Minimize follow-up questions. Ask only when the answer "
            "would change the work.\n- Mail may be archived\n",
            "MEMORY.md": "# Memory\n\n## Preferences\n\n- Minimize follow-up questions; ask only "
            "when the answer changes the work\n- Mail may not be archived\n",
        },
        ("ask only when the answer changes", "Mail may not be archived"),
        ("would change the work",),
    ),
    "PARA": Shape(
        {
            "MEMORY.md": "# Memory\n\n## Projects\n\n- **Ferry book**: chapter 4 in progress\n\n"
            "## Areas\n\n- The allotment is watered every evening.\n\n## Archives\n\n"
            "- **Old blog** moved to the attic in March\n"
        },
        ("Ferry book", "watered every evening"),
        ("Old blog",),
    ),
    "German": Shape(
        {
            "MEMORY.md": "# Gedächtnis\n\n## Regeln\n\n> **Nie ein Angebot ohne Rückfrage "
            "verschicken.**\n> Rechnungen immer auf Deutsch.\n\n## 2026-02-03\n\n"
            "- Heute den Zaun gestrichen\n"
        },
        ("Nie ein Angebot ohne Rückfrage", "Rechnungen immer auf Deutsch"),
        ("Zaun gestrichen",),
    ),
    "Chinese": Shape(
        {
            "USER.md": "# USER.md\n\n- **称呼:** 伊内斯\n- **时区:** Asia/Shanghai\n",
            "MEMORY.md": "# 长期记忆\n\n## 偏好\n\n- 回答要简短，不要客套话\n\n## 规则\n\n"
            "- 发邮件之前必须先问\n\n## 📅 最近更新\n\n- **2026-03-01**: 完成了部署\n",
        },
        ("伊内斯", "Asia/Shanghai", "不要客套话", "必须先问"),
        ("完成了部署",),
    ),
    "Japanese": Shape(
        {
            "MEMORY.md": "# 記憶\n\n## ルール\n\n- 外部スクリプトは絶対に使うな\n\n"
            "## 2026-02-26\n\n- リール投稿完了\n"
        },
        ("絶対に使うな",),
        ("リール投稿完了",),
    ),
    "only notes": Shape(
        {
            "memory/2026-02-05.md": "# 2026-02-05\n\n- 10:02 restarted the relay\n- Tests 371→384, "
            "all green\n- maybe Ines likes jazz, not sure\n"
        },
        (),
        ("restarted the relay", "371", "jazz"),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_an_index_has_what_an_agent_must_know_and_no_noise(
    name: str, memory: Workspace, root: Path
) -> None:
    shape = SHAPES[name]
    for path, text in shape.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    memory.migrate()

    index = memory.index()

    assert [words for words in shape.must if words not in index.text] == []
    assert [words for words in shape.noise if words in index.text] == []
    assert index.tokens <= 1_500


def test_an_index_of_stored_entries_alone_needs_no_files(memory: Workspace) -> None:
    memory.store(category="preference", content="Short answers, please.")
    memory.store(category="person", content="Teo repairs the roof.")
    memory.store(category="project", content="[done] The fence is painted.")

    text = memory.index().text

    assert "Short answers, please." in text
    assert "Teo repairs the roof." in text
    assert "fence" not in text
