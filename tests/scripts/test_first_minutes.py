"""New users get from nothing to a useful memory with the commands that the tutorial prints."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from scripts.first_minutes import ROOT, environment_of, steps_of, walk
from tests.embed.model import MODELS
from tests.tables import each_row

TUTORIAL = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ (.+)$", TUTORIAL, re.MULTILINE)


@pytest.mark.model
@pytest.mark.parametrize(("name", "most"), [("command-line", 6), ("openclaw", 2), ("python", 2)])
def test_a_new_user_gets_there(
    name: str, most: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = environment_of(Path(sys.executable).parent, str(MODELS))

    commands = [command for command, _ in walk(name, tmp_path, environment)]

    with capsys.disabled():
        print(f"\n{name}: {len(commands)} commands")
    assert len(commands) <= most


@each_row("name", ["command-line", "openclaw", "python", "pipx", "uv"])
def test_the_tutorial_has_the_commands_of_the_scripts(name: str) -> None:
    missing = [step.command for step in steps_of(name) if step.command not in COMMANDS]

    assert missing == []


def test_the_scripts_run_every_command_of_the_tutorial() -> None:
    names = ("command-line", "openclaw", "python", "pipx", "uv")
    steps = [step for name in names for step in steps_of(name)]
    run = {step.command for step in steps}
    printed = "\n".join(text for step in steps for text in step.expected)

    missing = [command for command in COMMANDS if command not in run]
    assert [command for command in missing if f"$ {command}" not in printed] == []


def test_three_lines_lead_from_nothing_to_a_connected_agent() -> None:
    assert len(steps_of("pipx")) == 3
    assert len(steps_of("uv")) == 3
