"""longterm.md and daily-synced.md condense MEMORY.md and the notes, which stay unchanged."""

from __future__ import annotations

import json
from pathlib import Path

from remem.app.workspace import Workspace
from remem.text.tokens import estimate
from tests.samples.workspaces import chinese, grown

MEMORY = """# Memory

## Rules

- Never push to main on Fridays.
- Always ask before deleting anything.

## Preferences

- Prefers short answers. (2026-03-01)
- ~~Likes long tables.~~

## Status

- ✅ deployed
"""


def lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line.startswith("- ")]


def body_of(path: Path) -> list[str]:
    """The headings and bullets below the title."""
    text = path.read_text(encoding="utf-8").split("\n")
    return [line for line in text if line.startswith(("- ", "## ", "### "))]


def test_longterm_has_the_lasting_statements_with_their_lines(
    memory: Workspace, root: Path
) -> None:
    (root / "MEMORY.md").write_text(MEMORY)

    memory.maintenance.synthesize()

    page = root / "memory/main/longterm.md"
    assert lines(page) == [
        "- Never push to main on Fridays.",
        "- Always ask before deleting anything.",
        "- Prefers short answers. (2026-03-01)",
    ]
    assert "\nRules:\n" in (sources := page.read_text().partition("<!-- remem: sources")[2])
    assert " MEMORY.md#L5, " in sources
    assert (root / "MEMORY.md").read_text() == MEMORY


def test_longterm_has_the_main_headings_of_memory_md_and_names_those_below_where_needed(
    memory: Workspace, root: Path
) -> None:
    (root / "MEMORY.md").write_text(
        "# Memory\n\n## Harbour Ledger (bookkeeping)\n\n- **Pricing:** 29 francs a month\n\n"
        "### Hosting\n\n- **Region:** Zurich only\n\n## Preferences\n\n"
        "> Prefers short answers\n> in the morning.\n"
    )

    memory.maintenance.synthesize()

    assert body_of(root / "memory/main/longterm.md") == [
        "## Harbour Ledger (bookkeeping)",
        "- **Pricing:** 29 francs a month",
        "- Hosting – **Region:** Zurich only",
        "## Preferences",
        "- Prefers short answers in the morning.",
    ]


def test_several_lines_of_longterm_below_the_same_lower_heading_are_below_it(
    memory: Workspace, root: Path
) -> None:
    (root / "MEMORY.md").write_text(
        "# Memory\n\n## Harbour Ledger\n\n### Pricing\n\n- **Month:** 29 francs\n"
        "- **Year:** 290 francs\n\n### Hosting\n\n- **Region:** Zurich only\n"
    )

    memory.maintenance.synthesize()

    page = root / "memory/main/longterm.md"
    assert body_of(page) == [
        "## Harbour Ledger",
        "- Hosting – **Region:** Zurich only",
        "### Pricing",
        "- **Month:** 29 francs",
        "- **Year:** 290 francs",
    ]
    text = (root / "MEMORY.md").read_text()
    (root / "MEMORY.md").write_text(text.replace("## Harbour Ledger", "## Ledger", 1))
    memory.maintenance.synthesize()
    assert "Harbour" not in page.read_text()


def test_a_heading_that_is_renamed_or_removed_in_memory_md_leaves_nothing_behind(
    memory: Workspace, root: Path
) -> None:
    page = root / "memory/main/longterm.md"
    (root / "MEMORY.md").write_text(MEMORY + "\n## Old -- times\n\n- The cellar is always dry.\n")
    memory.maintenance.synthesize()
    page.write_text(page.read_text().replace("## Preferences", "## Preferences\n\n### My own"))
    (root / "MEMORY.md").write_text(MEMORY.replace("## Rules", "## Firm rules"))

    memory.maintenance.synthesize()

    assert body_of(page) == [
        "## Firm rules",
        "- Never push to main on Fridays.",
        "- Always ask before deleting anything.",
        "## Preferences",
        "- Prefers short answers. (2026-03-01)",
        "## Kept by hand",
        "### My own",
    ]


def test_a_memory_md_without_headings_is_grouped_by_kind(memory: Workspace, root: Path) -> None:
    (root / "MEMORY.md").write_text(
        "- Anna prefers short answers in the morning.\n- Never push to main on Fridays.\n"
    )

    memory.maintenance.synthesize()

    assert body_of(root / "memory/main/longterm.md") == [
        "## Rules",
        "- Never push to main on Fridays.",
        "## Preferences",
        "- Anna prefers short answers in the morning.",
    ]


def test_daily_synced_has_the_lasting_statements_of_each_day(memory: Workspace, root: Path) -> None:
    notes = root / "memory"
    notes.mkdir(exist_ok=True)
    (notes / "2026-11-02.md").write_text(
        "# 2026-11-02\n\n- Decided to use Postgres for the ledger.\n- HEARTBEAT_OK\n"
    )
    (notes / "2026-11-03.md").write_text("# 2026-11-03\n\n## Garden\n\n- Watered the roses.\n")

    memory.maintenance.synthesize()

    page = (root / "memory/main/daily-synced.md").read_text()
    told = [line for line in page.split("\n") if line[:2] in ("##", "- ")]
    assert told == [
        "## 2026-11-03",
        "- Garden: Watered the roses.",
        "## 2026-11-02",
        "- Decided to use Postgres for the ledger.",
    ]
    assert " memory/2026-11-02.md#L3\n" in page


def test_a_day_without_lasting_statements_has_the_first_line_of_each_section(
    memory: Workspace, root: Path
) -> None:
    notes = root / "memory"
    notes.mkdir(exist_ok=True)
    (notes / "2026-11-03.md").write_text(
        "# Session of 2026-11-03\n\n## Garden\n\n- **Time**: 04:01 AM (Europe/Bern)\n"
        "- **Page id**: 32f11082-af8e\n- Path: /srv/garden\n"
        "- [x] Watered the roses.\n- Cut the hedge.\n\n"
        "## Boat\n\nDetails:\n\n- 15:06 CET: Hull painted in the morning.\n\n## Later\n"
    )
    (notes / "2026-11-02.md").write_text(
        "# Session: 2026-11-02\n\n- **Session Key**: x\n\nuser: Eve said that roses are blue.\n"
    )

    memory.maintenance.synthesize()

    assert lines(root / "memory/main/daily-synced.md") == [
        "- Garden: Watered the roses.",
        "- Boat: Hull painted in the morning.",
    ]


def test_what_a_later_day_repeats_and_what_announces_nothing_is_left_out(
    memory: Workspace, root: Path
) -> None:
    for day in ("2026-11-10", "2026-11-11"):
        (root / f"memory/{day}.md").write_text(
            f"# {day}\n\n## Impact:\n\nThe harbour search works again\n\n"
            "## Status\n\n**Containers running:**\n\n## Log\n\n\\n## Task two\\n\\nThe end\n"
        )

    memory.maintenance.synthesize()

    page = (root / "memory/main/daily-synced.md").read_text()
    shown = [line for line in page.split("\n") if line[:2] in ("##", "- ")]
    assert shown == ["## 2026-11-11", "- Impact: The harbour search works again"]


def test_flushed_lessons_are_included_without_tasks(memory: Workspace, root: Path) -> None:
    memory.flush(
        [
            {"kind": "rule", "text": "Always run the backup before an upgrade."},
            {"kind": "decision", "text": "We use Postgres."},
            {"kind": "task", "text": "Order seeds"},
        ]
    )

    memory.maintenance.synthesize()

    page = root / "memory/main/daily-synced.md"
    assert lines(page) == [
        "- Always run the backup before an upgrade.",
        "- We use Postgres.",
    ]


def test_decisions_of_a_busy_day_are_included_and_reasons_do_not_stand_alone(
    memory: Workspace, root: Path
) -> None:
    facts = [{"kind": "fact", "text": f"Bed {number} is wet."} for number in range(12)]
    decision = {"kind": "decision", "text": "We use Postgres.", "why": "It has backups."}
    memory.flush([*facts, decision])

    memory.maintenance.synthesize()

    shown = lines(root / "memory/main/daily-synced.md")
    assert shown == [*(f"- Bed {number} is wet." for number in range(7)), "- We use Postgres."]


def test_lines_of_a_person_are_kept_on_both_pages(memory: Workspace, root: Path) -> None:
    (root / "MEMORY.md").write_text(MEMORY)
    memory.maintenance.synthesize()
    page = root / "memory/main/longterm.md"
    page.write_text(page.read_text().replace("## Rules", "## Rules\n\n- Ask me about this.\n"))

    done = memory.maintenance.synthesize()

    assert [page.rescued for page in done.pages] == [("- Ask me about this.",)]
    assert page.read_text().endswith("## Kept by hand\n\n- Ask me about this.\n")


def test_pages_of_large_workspaces_stay_within_their_budget(memory: Workspace, root: Path) -> None:
    grown(root, 20_000, note_count=30)
    before = {path: path.read_bytes() for path in root.rglob("*.md") if "brain" not in path.parts}

    done = memory.maintenance.synthesize()

    for name in ("longterm.md", "daily-synced.md"):
        page = root / "memory/main" / name
        assert 300 < estimate(page.read_text()) < 3_000
    assert {page.path for page in done.pages if page.changed} >= {
        "memory/main/longterm.md",
        "memory/main/daily-synced.md",
    }
    assert all(
        path.read_bytes() == data for path, data in before.items() if "life" not in path.parts
    )
    first = (root / "memory/main/longterm.md").read_bytes()
    (root / "memory/main/longterm.md").unlink()
    memory.maintenance.synthesize()
    assert (root / "memory/main/longterm.md").read_bytes() == first


def test_a_chinese_memory_is_summarised_in_chinese(memory: Workspace, root: Path) -> None:
    chinese(root, 6_000, note_count=10)

    memory.maintenance.synthesize()

    told = lines(root / "memory/main/longterm.md")
    assert len(told) > 5
    source = (root / "MEMORY.md").read_text()
    shown = [line.removeprefix("- ").partition("：")[2] for line in told]
    assert any(text and text[:8] in source for text in shown)


def test_a_migration_ignores_generated_lines(memory: Workspace, root: Path) -> None:
    (root / "MEMORY.md").write_text(MEMORY)
    memory.maintenance.synthesize()
    page = root / "memory/main/longterm.md"
    page.write_text(page.read_text() + "\n## Mine\n\n- Rule: never move the bees from the roof.\n")

    memory.setup.migrate()

    said = [json.loads(line)["entry"]["content"] for line in memory.export() if '"entry"' in line]
    assert len([text for text in said if "push to main" in text]) == 1
    assert len([text for text in said if "bees" in text]) == 1
    assert all("MEMORY.md#L" not in text for text in said)
