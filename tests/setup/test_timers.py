"""A timer runs exactly the right command, and its installation leaves everything else alone."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import ConfigError, FileError, InvalidInput
from remem.files.host_folders import HostHomes, folders_of
from remem.files.layout import Layout
from remem.setup.hosts.recipes import Command
from remem.setup.timers import Timer
from tests.tables import each_row

ODD_PATHS = ["/home/me/my agent", '/srv/50% "done"', "/srv/a$HOME\\b", "/srv/代理"]
TABLES = st.none() | st.lists(
    st.sampled_from([b"# mine", b"", b"0 5 * * * backup", b"MAILTO=me"]), min_size=1, max_size=5
).map(lambda lines: b"".join(line + b"\n" for line in lines))
CRONTAB = """#!/bin/sh
table="{table}"
case "$1" in
  -l) [ -f "$table" ] && cat "$table" || {{ echo "no crontab for you" >&2; exit 1; }} ;;
  -r) rm -f "$table" ;;
  -) cat > "$table.new"; grep -q refuse "$table.new" && {{ echo "bad minute" >&2; exit 1; }}
     mv "$table.new" "$table" ;;
esac
"""
NOT_ALLOWED = '#!/bin/sh\necho "you are not allowed to use this program" >&2; exit 1\n'


def timer(home: Path, workspace: str = "/srv/agent", program: str = "/bin/true") -> Timer:
    homes = HostHomes(openclaw=home, claude=home, codex=home)
    folders = replace(
        folders_of(homes, home, {}, "linux"),
        home=home,
        desktop=home / ".config/x",
        programs=str(home / "bin"),
    )
    return Timer(Layout(home / "workspace"), Command(program, (), Path(workspace)), folders)


def add_program(home: Path, name: str, script: str) -> None:
    program = home / "bin" / name
    program.parent.mkdir(exist_ok=True)
    program.write_text(script)
    program.chmod(0o755)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The crontab of a machine that has no systemd."""
    add_program(tmp_path, "crontab", CRONTAB.format(table=tmp_path / "table"))
    return tmp_path / "table"


@each_row(
    ("programs", "kind"),
    [
        ({"systemctl": 0, "crontab": 0}, "systemd"),
        ({"systemctl": 1, "crontab": 0}, "cron"),
        ({"systemctl": 1}, "systemd"),
        ({"crontab": 0}, "cron"),
    ],
)
def test_cron_is_used_if_systemd_does_not_run(
    tmp_path: Path, programs: dict[str, int], kind: str
) -> None:
    for name, status in programs.items():
        add_program(tmp_path, name, f"#!/bin/sh\nexit {status}\n")

    assert timer(tmp_path).default_kind() == kind


def test_a_machine_without_either_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="neither systemd nor cron"):
        timer(tmp_path).default_kind()
    with pytest.raises(ConfigError, match="crontab was not found"):
        timer(tmp_path).install("cron", lambda _diff: True)


@given(before=TABLES)
def test_installing_cron_lines_twice_is_installing_them_once(before: bytes | None) -> None:
    installed = timer(Path("/home")).with_cron_lines(before)

    assert timer(Path("/home")).with_cron_lines(installed) == installed
    assert installed.startswith(before or b"")


@given(before=TABLES)
def test_removing_cron_lines_restores_the_crontab(before: bytes | None) -> None:
    installed = timer(Path("/home")).with_cron_lines(before)

    assert timer(Path("/home")).without_cron_lines(installed) == before


def test_edits_of_the_crontab_are_kept(tmp_path: Path, table: Path) -> None:
    table.write_bytes(b"0 5 * * * backup\n")
    timer(tmp_path).install("cron", lambda _diff: True)
    assert timer(tmp_path).installed() == ["cron"]
    table.write_bytes(table.read_bytes().replace(b"17 3", b"18 4") + b"1 1 * * * mine\n")

    timer(tmp_path).uninstall("cron", lambda _diff: True)

    assert table.read_bytes() == b"0 5 * * * backup\n1 1 * * * mine\n"
    assert timer(tmp_path).installed() == []


def test_the_line_after_ours_is_kept_if_ours_was_removed_by_hand(
    tmp_path: Path, table: Path
) -> None:
    timer(tmp_path).install("cron", lambda _diff: True)
    comment = table.read_bytes().splitlines(keepends=True)[0]
    table.write_bytes(comment + b"1 1 * * * mine\n")

    timer(tmp_path).uninstall("cron", lambda _diff: True)

    assert table.read_bytes() == b"1 1 * * * mine\n"


def test_a_refused_crontab_stays_as_it_was(tmp_path: Path, table: Path) -> None:
    table.write_bytes(b"0 5 * * * backup\n")

    with pytest.raises(FileError, match="bad minute"):
        timer(tmp_path, "/srv/refuse").install("cron", lambda _diff: True)

    assert table.read_bytes() == b"0 5 * * * backup\n"


def test_a_crontab_that_cannot_be_listed_is_not_overwritten(tmp_path: Path) -> None:
    add_program(tmp_path, "crontab", NOT_ALLOWED)

    assert timer(tmp_path).installed() == []
    with pytest.raises(FileError, match="cannot be read: you are not allowed"):
        timer(tmp_path).install("cron", lambda _diff: True)


@each_row("workspace", ODD_PATHS)
def test_a_shell_reads_the_cron_line_as_the_right_command(workspace: str, tmp_path: Path) -> None:
    line = timer(tmp_path, workspace).with_cron_lines(None).decode().splitlines()[1]
    minute, hour, *_, command = line.split(" ", 5)

    assert (minute, hour) == ("17", "3")
    words = shlex.split(command.removesuffix(" >/dev/null 2>&1").replace("\\%", "%"))
    assert words == ["/bin/true", "--workspace", workspace, "maintain"]
    assert "%" not in line.replace("\\%", "")


def test_unprintable_paths_are_refused(tmp_path: Path) -> None:
    odd = timer(tmp_path, "/srv/two\nlines")

    with pytest.raises(InvalidInput, match="timers do not support"):
        odd.units()
    with pytest.raises(InvalidInput, match="timers do not support"):
        odd.with_cron_lines(None)


def test_two_workspaces_have_two_timers(tmp_path: Path) -> None:
    assert timer(tmp_path, "/a").name != timer(tmp_path, "/b").name


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
@pytest.mark.parametrize("workspace", ODD_PATHS)
def test_systemd_accepts_the_units(workspace: str, tmp_path: Path) -> None:
    assert not complaints_of_systemd(tmp_path, timer(tmp_path, workspace), b"")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_would_report_a_wrong_unit(tmp_path: Path) -> None:
    assert complaints_of_systemd(tmp_path, timer(tmp_path), b"noon")


def complaints_of_systemd(folder: Path, of: Timer, day: bytes) -> list[str]:
    """What systemd reports about the units; it may also report others of this machine."""
    paths = []
    for unit in of.units():
        paths.append(folder / unit.path.name)
        paths[-1].write_bytes(unit.content.replace(b"OnCalendar=*", b"OnCalendar=" + (day or b"*")))
    environment = {"XDG_RUNTIME_DIR": str(folder), "HOME": str(folder), "PATH": "/usr/bin:/bin"}
    line = ["systemd-analyze", "verify", "--user", *map(str, paths)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
    return [line for line in done.stderr.splitlines() if "remem-maintain" in line]
