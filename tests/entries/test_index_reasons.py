"""Every line of the index says why it is there, and what did not fit is listed, best first."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from remem.app.workspace import Workspace
from remem.cli.main import remem

MEMORY = """# Memory

## Rules

- Never write to a customer before Ines has agreed.

## Channels

cb-inbox:C0AAP72R7L5 | cb-ideas:C0AB5HFJQM7

## Projects

- **Boathouse roof** — slates ordered, waiting for the carpenter

## Completed

- The archive went to the cellar.
"""


def test_each_line_has_its_section_and_its_reasons(memory: Workspace, root: Path) -> None:
    (root / "MEMORY.md").write_text(MEMORY, encoding="utf-8")
    memory.setup.migrate()
    memory.store(category="instruction", content="Ask before you delete.", priority="critical")

    made = memory.index()

    reasons = {line.text: (line.section, line.reasons) for line in made.lines}
    assert reasons["- [I] Ask before you delete."] == ("Critical", ("is marked as critical",))
    section, why = reasons["- Never write to a customer before Ines has agreed."]
    assert section == "Critical"
    assert why[:2] == ("says what must or must not be done", "is under “Rules”")
    roof = "- Boathouse roof — slates ordered, waiting for the carpenter"
    assert reasons[roof][0] == "Active Projects"
    assert made.left_out == ()


def test_a_line_of_channels_becomes_the_section_of_channels(memory: Workspace, root: Path) -> None:
    (root / "MEMORY.md").write_text(MEMORY, encoding="utf-8")
    memory.setup.migrate()

    assert "## Channels\n\ncb-inbox:C0AAP72R7L5 | cb-ideas:C0AB5HFJQM7\n" in memory.index().text


def test_what_does_not_fit_is_listed_best_first(memory: Workspace, root: Path) -> None:
    facts = "".join(f"- Shelf {n} of the cellar has the paint of year {n}\n" for n in range(200))
    rules = "".join(f"- Rule {n}: box {n} is never opened at night.\n" for n in range(100))
    (root / "MEMORY.md").write_text(f"# M\n\n## Shelves\n\n{facts}\n## Rules\n\n{rules}")
    memory.setup.migrate()

    made = memory.index()

    rules_shown = sum("never opened" in line.text for line in made.lines)
    assert rules_shown > 0.9 * len(made.lines)
    assert len(made.left_out) == 50
    assert all(line.reasons for line in made.left_out)


def test_the_command_prints_the_reasons(memory: Workspace, root: Path) -> None:
    (root / "MEMORY.md").write_text(MEMORY, encoding="utf-8")
    memory.setup.migrate()
    memory.close()

    command = ["--workspace", str(root), "index", "--why"]
    shown = CliRunner().invoke(remem, command).stdout
    listed = json.loads(CliRunner().invoke(remem, [*command, "--json"]).stdout)

    assert "1: Never write to a customer before Ines has agreed.\n   says what must" in shown
    assert [line["section"] for line in listed["lines"]] == ["Critical", "Active Projects"]
