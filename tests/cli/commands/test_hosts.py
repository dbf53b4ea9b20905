"""A person connects a host on the command line, looks at the change, and takes it back."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SETTINGS = '{\n  // mine\n  "theme": "dark",\n}\n'


@pytest.fixture
def claude(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home with Claude Code in it; the current folder is a project."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCLAW_STATE_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)
    return home


def test_connect_shows_the_change_and_does_nothing_without_a_yes(run: Run, claude: Path) -> None:
    result = run("connect", "claude-code")

    assert result.exit_code == 1
    assert "+++ " in result.stdout
    assert '+    "SessionStart": [' in result.stdout
    assert "nothing was changed" in result.stderr
    assert (claude / ".claude/settings.json").read_text() == SETTINGS


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ("claude", "'claude' may be claude-code or claude-desktop."),
        ("vscode", "For any other MCP client, see `remem help serve`."),
        ("Gemini", "Gemini CLI was not found"),
        ("Claude_Desktop", "Claude Desktop was not found"),
    ],
)
def test_a_host_is_known_by_the_beginning_of_its_name(
    run: Run, claude: Path, given: str, answer: str
) -> None:
    assert answer in " ".join(run("connect", given).stderr.split())


def test_a_dry_run_is_not_a_failure(run: Run, claude: Path) -> None:
    result = run("connect", "claude-code", "--dry-run")

    assert result.exit_code == 0
    assert not (claude / ".claude.json").exists()


def test_connect_and_disconnect_on_the_command_line(run: Run, claude: Path, root: Path) -> None:
    done = run("connect", "claude-code", "--yes")

    servers = json.loads((claude / ".claude.json").read_text())["mcpServers"]
    assert done.exit_code == 0
    assert Path(servers["remem"]["command"]).is_absolute()
    assert servers["remem"]["args"][-3:] == ["--workspace", str(root), "serve"]
    assert "// mine" in (claude / ".claude/settings.json").read_text()
    assert "MEMORY.md: Claude Code does not load it" in done.stderr
    assert "activate" not in done.stderr  # Claude Code does not read AGENTS.md of the workspace
    again = run("connect", "claude-code", "--yes")
    assert again.stdout == "Claude Code is connected already\n"

    undone = run("disconnect", "claude-code", "--yes")

    assert "restored exactly" in undone.stdout
    assert (claude / ".claude/settings.json").read_text() == SETTINGS
    assert not (claude / ".claude.json").exists()
    once_more = run("disconnect", "claude-code", "--yes")
    assert once_more.stdout == "Claude Code is not connected to this workspace\n"


def test_a_project_has_its_own_settings(run: Run, claude: Path, tmp_path: Path) -> None:
    run("connect", "claude-code", "--where", "project", "--yes")

    assert (tmp_path / ".mcp.json").exists()
    assert (tmp_path / ".claude/settings.local.json").exists()
    assert not (claude / ".claude.json").exists()


def test_a_project_can_be_disconnected_from_anywhere(
    run: Run, claude: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record has the folder, whatever the current one is."""
    run("connect", "cursor", "--where", "project", "--yes", "--anyway")
    monkeypatch.chdir(claude)

    run("disconnect", "cursor", "--yes")

    assert not (tmp_path / ".cursor").exists()


def test_a_host_that_is_not_installed_is_reported(run: Run, claude: Path) -> None:
    result = run("connect", "cursor", "--yes")

    assert result.exit_code == 1
    assert "Cursor was not found" in result.stderr
    assert run("connect", "cursor", "--yes", "--anyway").exit_code == 0


def test_a_host_without_projects_says_so(run: Run, claude: Path) -> None:
    result = run("connect", "claude-desktop", "--where", "project", "--anyway")

    assert result.exit_code == 1
    assert "no project settings" in result.stderr


def test_hosts_are_connected_only_in_main(run: Run, claude: Path) -> None:
    for command in (["connect", "codex"], ["disconnect", "codex"], ["uninstall"]):
        result = run("--session", "agent:main:telegram:group:1", *command)
        assert result.exit_code == 1
        assert "works only in the main session" in result.stderr


def test_uninstall_leaves_hosts_and_markdown_as_they_were(
    run: Run, claude: Path, root: Path
) -> None:
    (root / "MEMORY.md").write_text("# Memory\n\n- David drinks his coffee black every morning\n")
    (root / "AGENTS.md").write_text("# Agents\n")
    run("store", "-c", "fact", "The gate is painted green.")
    run("rooms", "map", "telegram:-100123", "kitchen")
    run("connect", "claude-code", "--yes")
    run("connect", "codex", "--yes", "--anyway")
    run("migrate")
    assert run("activate", "--yes").exit_code == 0
    markdown = {path: path.read_bytes() for path in root.rglob("*.md")}
    markdown[root / "AGENTS.md"] = b"# Agents\n"

    shown = run("uninstall", "--dry-run")
    assert shown.exit_code == 0
    assert (claude / ".claude.json").exists()
    done = run("uninstall", "--yes")

    assert done.exit_code == 0
    assert "kitchen" in done.stdout
    assert "are no longer separated" in done.stdout
    assert (claude / ".claude/settings.json").read_text() == SETTINGS
    assert not (claude / ".claude.json").exists()
    assert not (claude / ".codex/config.toml").exists()
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == markdown
    assert (root / ".remem/main/entries.db").exists()
    assert run("recall", "which colour has the gate?").exit_code == 0


def test_the_only_host_need_not_be_named_to_disconnect_it(run: Run, claude: Path) -> None:
    assert "no host is connected" in run("disconnect", "--yes").stderr
    assert run("activate", "--yes").exit_code == 0
    run("connect", "claude-code", "--yes")
    run("connect", "codex", "--yes", "--anyway")

    several = run("disconnect", "--yes")

    assert several.exit_code == 1
    assert "connected: claude-code, codex" in several.stderr
    assert "rollback" not in run("disconnect", "codex", "--yes").stderr
    last = run("disconnect", "--yes")
    assert "restored exactly" in last.stdout
    assert "rollback   removes the section" in last.stderr
    assert (claude / ".claude/settings.json").read_text() == SETTINGS


def test_uninstall_names_what_it_changes_and_how_to_remove_the_program(
    run: Run, claude: Path, root: Path
) -> None:
    run("connect", "claude-code", "--yes")

    asked = run("uninstall", "--purge-state", input="n\n")

    settings = "~/.claude.json, ~/.claude/settings.json"
    assert asked.stdout.startswith(f"Claude Code: {settings}")
    assert f"{root / '.remem'}: removed" in asked.stdout
    assert "---" not in asked.stdout, "diffs are for --dry-run"
    assert (root / ".remem").exists()
    assert "+++" in run("uninstall", "--dry-run").stdout
    assert "`pipx uninstall remem`" in run("uninstall", "--yes").stdout


def test_a_broken_list_of_rooms_does_not_stop_an_uninstall(
    run: Run, claude: Path, root: Path
) -> None:
    run("rooms", "map", "telegram:-100123", "kitchen")
    run("--session", "agent:main:telegram:group:-100123", "store", "-c", "fact", "It is hot.")
    run("connect", "claude-code", "--yes")
    (root / "memory/group_names.json").write_text("{torn")

    done = run("uninstall", "--yes", "--purge-state")

    assert done.exit_code == 0
    assert "the groups are no longer separated" in done.stdout
    assert not (claude / ".claude.json").exists()
    assert not (root / ".remem").exists()


def test_the_state_is_removed_only_on_request(run: Run, claude: Path, root: Path) -> None:
    run("store", "-c", "fact", "The gate is painted green.")

    result = run("uninstall", "--yes", "--purge-state")

    assert "was removed" in result.stdout
    assert not (root / ".remem").exists()
    assert "painted green" in (root / "memory/domains/facts.md").read_text()


def test_the_command_in_the_settings_runs_from_anywhere(
    run: Run, claude: Path, tmp_path: Path
) -> None:
    import subprocess

    run("connect", "claude-code", "--yes")
    servers = json.loads((claude / ".claude.json").read_text())["mcpServers"]
    line = [servers["remem"]["command"], *servers["remem"]["args"][:-1], "index"]

    done = subprocess.run(line, capture_output=True, cwd="/", env={}, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"# Memory Index")
    assert sys.executable.startswith(str(Path(line[0]).parent))


def test_connect_can_activate_in_the_same_step(run: Run, claude: Path, root: Path) -> None:
    (root / "MEMORY.md").write_text("# Memory\n\n- David drinks his coffee black every morning\n")

    run("migrate")
    result = run("connect", "claude-code", "--yes", "--activate")

    assert result.exit_code == 0, result.output
    assert "remem:begin" in (root / "AGENTS.md").read_text()


def test_the_audit_says_whether_each_connected_host_loads_memory_md(
    run: Run, claude: Path, root: Path
) -> None:
    (root / "MEMORY.md").write_text("# Memory\n\n- David drinks his coffee black every morning\n")
    for host in ("claude-code", "openclaw"):
        run("connect", host, "--yes", "--anyway")

    def notes() -> str:
        return " ".join(json.loads(run("audit", "--json").stdout)["notes"])

    assert "no agent is connected" not in notes()
    assert "Claude Code does not load it" in notes()
    assert "OpenClaw loads it in main" in notes()
    run("migrate")
    assert run("activate", "--yes").exit_code == 0
    assert "OpenClaw loads the index instead" in notes()
    run("disconnect", "openclaw", "--yes")
    assert "OpenClaw" not in notes()


def test_the_doctor_reports_a_failed_hook(run: Run, root: Path) -> None:
    run("index")
    assert run("hook", "prompt", "--within", "60", input=b"{").exit_code == 0

    result = run("doctor")

    assert "a hook failed at" in result.output
    assert "not JSON" in result.output


@pytest.mark.parametrize("seconds", ["inf", "nan", "-1", "soon"])
def test_an_invalid_time_limit_stops_no_host(
    run: Run, monkeypatch: pytest.MonkeyPatch, seconds: str
) -> None:
    run("index")
    monkeypatch.setenv("REMEM_HOOK_SECONDS", seconds)
    assert run("hook", "prompt", input="{}").exit_code == 0

    assert f"--within '{seconds}' is not a number of seconds" in run("doctor").output


def test_connect_offers_permissions_and_the_end_of_the_own_memory(run: Run, claude: Path) -> None:
    settings = claude / ".claude/settings.json"
    settings.write_text('{"model": "opus"}')
    named = run("connect", "claude-code", "--yes")
    assert "connect claude-code --allow-tools`" in named.stderr
    assert "connect claude-code --own-memory-off`" in named.stderr

    run("connect", "claude-code", "--yes", "--allow-tools", "--own-memory-off")
    written = json.loads(settings.read_text())
    assert written["permissions"]["allow"] == ["mcp__remem"]
    assert written["autoMemoryEnabled"] is False


def test_connect_warns_about_comments_that_claude_code_rejects(run: Run, claude: Path) -> None:
    assert "Claude Code rejects" in run("connect", "claude-code", "--yes").stderr


def test_disconnect_names_the_files_and_shows_their_changes_on_request(
    run: Run, claude: Path
) -> None:
    run("connect", "claude-code", "--yes")

    asked = run("disconnect", "claude-code", input="n\n").output
    tried = run("disconnect", "claude-code", "--dry-run").stdout

    assert "Claude Code: ~/.claude.json, ~/.claude/settings.json" in asked
    assert "--- " not in asked
    assert "SessionStart" in tried
    assert (
        "~/.claude.json: removed, as remem had created it"
        in run("disconnect", "claude-code", "--yes").stdout
    )
