"""A person has all due work done, and lets his machine do it every day."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Run

GROUP = "agent:main:telegram:group:-100123"


@pytest.fixture
def calls(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose systemctl only records its arguments."""
    log = tmp_path / "calls"
    program = tmp_path / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {log}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return log


def units(home: Path) -> dict[str, bytes]:
    folder = home / ".config/systemd/user"
    return {path.name: path.read_bytes() for path in folder.glob("*")} if folder.exists() else {}


def test_all_scopes_are_reported_and_what_is_not_due_is_left(run: Run) -> None:
    run("rooms", "map", "telegram:-100123", "kitchen")
    run("--session", GROUP, "store", "-c", "fact", "The oven is hot.")

    first = json.loads(run("maintain", "--json").stdout)
    second = run("maintain")

    done = {(item["scope"], item["task"]) for item in first["steps"] if item["state"] == "done"}
    assert {("main", "synthesize"), ("main", "decay"), ("group:kitchen", "decay")} <= done
    assert ("group:kitchen", "synthesize") not in {
        (item["scope"], item["task"]) for item in first["steps"]
    }
    assert second.exit_code == 0
    assert "main           decay" in second.stdout
    assert "not due  last done " in second.stdout


def test_a_single_task_can_be_chosen(run: Run) -> None:
    run("store", "-c", "fact", "The oven is hot.")

    log = json.loads(run("maintain", "--only", "decay", "--json").stdout)

    assert {item["task"] for item in log["steps"] if item["state"] == "done"} == {"decay"}
    assert "the tasks are: " in run("maintain", "--only", "magic").stderr


def test_maintain_works_only_in_main(run: Run) -> None:
    assert "works only in the main session" in run("--session", GROUP, "maintain").stderr


def test_a_timer_is_shown_first_and_removed_byte_for_byte(
    run: Run, home: Path, calls: Path
) -> None:
    run("store", "-c", "fact", "The oven is hot.")

    log = run("maintain", "--install", "--with", "systemd")
    assert log.exit_code == 1
    assert "+OnCalendar=" in log.stdout
    assert units(home) == {}

    run("maintain", "--install", "--with", "systemd", "--yes")
    service, timer = sorted(units(home))
    assert b" maintain" in units(home)[service].replace(b'"', b"")
    assert "already installed" in run("maintain", "--install", "--with", "systemd", "--yes").stdout

    undone = run("maintain", "--uninstall", "--with", "systemd", "--yes")

    assert "removed, as remem had created it" in undone.stdout
    assert not (home / ".config").exists(), "folders that were made for it are gone too"
    said = calls.read_text().splitlines()
    assert said[:2] == ["--user daemon-reload", f"--user enable --now {timer}"]
    assert said[-2:] == [f"--user disable --now {timer}", "--user daemon-reload"]


def test_a_timer_that_cannot_be_started_leaves_its_command(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run("store", "-c", "fact", "The oven is hot.")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    result = run("maintain", "--install", "--with", "systemd", "--yes")

    assert result.exit_code == 0
    assert "run this yourself: systemctl --user enable --now " in result.stderr
    assert len(units(home)) == 2


def test_uninstalling_remem_removes_the_timer_too(run: Run, home: Path, calls: Path) -> None:
    run("store", "-c", "fact", "The oven is hot.")
    run("maintain", "--install", "--with", "systemd", "--yes")

    result = run("uninstall", "--yes")

    assert "the timer (systemd) is removed" in result.stdout
    assert units(home) == {}


def test_a_timer_is_not_listed_as_a_host(run: Run, calls: Path) -> None:
    run("store", "-c", "fact", "The oven is hot.")
    run("maintain", "--install", "--with", "systemd", "--yes")

    assert run("audit").exit_code == 0
    assert "schedule" not in run("audit").stdout


def test_the_timer_that_is_set_is_removed_without_being_named(
    run: Run, home: Path, calls: Path, tmp_path: Path
) -> None:
    """Cron is removed although systemd would be the default on this machine."""
    table, program = tmp_path / "table", calls.parent / "bin" / "crontab"
    program.write_text(
        f"""#!/bin/sh
case "$1" in
  -l) cat "{table}" 2>/dev/null || {{ echo "no crontab for you" >&2; exit 1; }} ;;
  -r) rm "{table}" ;;
  -) cat > "{table}" ;;
esac
"""
    )
    program.chmod(0o755)
    run("store", "-c", "fact", "The oven is hot.")
    run("maintain", "--install", "--with", "cron", "--yes")
    assert b" maintain" in table.read_bytes()

    undone = run("maintain", "--uninstall", "--yes")

    assert "removed, as remem had created it" in undone.stdout
    assert not table.exists()
