"""Each timer is told exactly the command, whatever the workspace is called."""

from __future__ import annotations

import plistlib
import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from remem.errors import InvalidInput
from remem.files.host_folders import HostFolders, folders_of
from remem.files.transcripts.locate import HostHomes
from remem.setup.hosts.recipes import Command
from remem.setup.hosts.targets import WholeFile
from remem.setup.timers.recipes import cron_lines, launchd, name_of, systemd

ODD = ["/home/me/agent", "/home/me/my agent", '/srv/50% "done"', "/srv/a$HOME\\b", "/srv/代理"]


def folders(home: Path) -> HostFolders:
    places = HostHomes(openclaw=home, claude=home, codex=home)
    return replace(folders_of(places, home, {}, "linux"), home=home, desktop=home / ".config/x")


def command(workspace: str, program: str = "/bin/true") -> Command:
    return Command(program, (), Path(workspace))


def files(recipe_targets: object) -> dict[str, bytes]:
    assert isinstance(recipe_targets, tuple)
    return {
        target.path.name: target.content
        for target in recipe_targets
        if isinstance(target, WholeFile)
    }


@pytest.mark.parametrize("workspace", ODD)
def test_the_plist_says_what_launchd_has_to_run(workspace: str, tmp_path: Path) -> None:
    (data,) = files(launchd(command(workspace), folders(tmp_path)).targets).values()

    told = plistlib.loads(data)

    assert told["ProgramArguments"] == ["/bin/true", "--workspace", workspace, "maintain"]
    assert told["StartCalendarInterval"] == {"Hour": 3, "Minute": 17}
    assert told["Label"] == f"dev.remem.{name_of(command(workspace))}"


@pytest.mark.parametrize("workspace", ODD)
def test_the_line_of_cron_survives_a_shell(workspace: str) -> None:
    _, line = cron_lines(command(workspace))
    minute, hour, *_ = line.split()
    said = line.split(" ", 5)[5].removesuffix(" >/dev/null 2>&1")

    assert (minute, hour) == ("17", "3")
    assert shlex.split(said.replace("\\%", "%")) == [
        "/bin/true",
        "--workspace",
        workspace,
        "maintain",
    ]
    assert "%" not in line.replace("\\%", "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
@pytest.mark.parametrize("workspace", ODD)
def test_systemd_finds_nothing_wrong_with_the_units(workspace: str, tmp_path: Path) -> None:
    units = files(systemd(command(workspace), folders(tmp_path)).targets)
    for name, data in units.items():
        (tmp_path / name).write_bytes(data)

    assert _complaints(tmp_path, units) == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_a_wrong_unit_would_be_noticed(tmp_path: Path) -> None:
    units = files(systemd(command("/x", "no/path"), folders(tmp_path)).targets)
    for name, data in units.items():
        (tmp_path / name).write_bytes(data.replace(b"OnCalendar=*", b"OnCalendar=noon"))

    assert _complaints(tmp_path, units) != []


def _complaints(folder: Path, units: dict[str, bytes]) -> list[str]:
    """What systemd says of these units; it may also complain of the machine's own."""
    paths = [str(folder / name) for name in units]
    line = ["systemd-analyze", "verify", "--user", *paths]
    environment = {"XDG_RUNTIME_DIR": str(folder), "HOME": str(folder), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
    return [line for line in done.stderr.splitlines() if "remem-maintain" in line]


def test_two_workspaces_have_two_timers() -> None:
    assert name_of(command("/a")) != name_of(command("/b"))


def test_a_name_that_no_timer_can_be_told_is_refused(tmp_path: Path) -> None:
    odd = command("/srv/two\nlines")

    for recipe in (systemd, launchd):
        with pytest.raises(InvalidInput, match="timers do not support"):
            recipe(odd, folders(tmp_path))
    with pytest.raises(InvalidInput, match="timers do not support"):
        cron_lines(odd)
