"""What keeps the time is what works on this machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from remem.errors import ConfigError
from remem.files.host_folders import HostFolders
from remem.setup.timers.install import default_kind
from tests.setup.timers.test_recipes import folders


def machine(tmp_path: Path, **programs: int) -> HostFolders:
    """Programs by their names, with the exit status that each of them gives."""
    (tmp_path / "bin").mkdir()
    for name, status in programs.items():
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\nexit {status}\n")
        program.chmod(0o755)
    return replace(folders(tmp_path), programs=str(tmp_path / "bin"))


@pytest.mark.parametrize(
    ("programs", "kind"),
    [
        ({"systemctl": 0, "crontab": 0}, "systemd"),
        ({"systemctl": 1, "crontab": 0}, "cron"),
        ({"systemctl": 1}, "systemd"),
        ({"crontab": 0}, "cron"),
    ],
)
def test_a_systemd_that_does_not_answer_gives_way_to_cron(
    tmp_path: Path, programs: dict[str, int], kind: str
) -> None:
    assert default_kind(machine(tmp_path, **programs), "linux") == kind


def test_a_machine_that_keeps_no_time_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="neither systemd nor cron"):
        default_kind(machine(tmp_path), "linux")


def test_a_mac_has_an_agent(tmp_path: Path) -> None:
    assert default_kind(machine(tmp_path), "darwin") == "launchd"
