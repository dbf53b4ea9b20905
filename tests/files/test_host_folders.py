"""Where hosts keep their settings, on each system and with the hosts' own variables."""

from __future__ import annotations

from pathlib import Path

from remem.app.environment import host_folders
from remem.config import Config
from remem.files.host_folders import HostHomes, folders_of

PLACES = HostHomes(openclaw=Path("/o"), claude=Path("/c"), codex=Path("/x"))


def test_each_system_has_its_own_place_for_the_desktop(home: Path) -> None:
    def desktop(platform: str, **environment: str) -> Path:
        return folders_of(PLACES, Path("/p"), environment, platform).desktop

    assert desktop("linux") == home / ".config/Claude"
    assert desktop("linux", XDG_CONFIG_HOME="/cfg") == Path("/cfg/Claude")
    assert desktop("darwin") == home / "Library/Application Support/Claude"
    assert desktop("win32", APPDATA="/roaming") == Path("/roaming/Claude")


def test_the_hosts_own_variables_count(home: Path) -> None:
    moved = {
        "CLAUDE_CONFIG_DIR": "/elsewhere/claude",
        "CODEX_HOME": "/elsewhere/codex",
        "OPENCLAW_STATE_DIR": "/elsewhere/claw",
        "OPENCLAW_CONFIG_PATH": "/elsewhere/claw.json",
        "PATH": "/bin",
    }

    found = host_folders(Config(), Path("/p"), moved)

    assert found.claude_file == Path("/elsewhere/claude/.claude.json")
    assert found.codex == Path("/elsewhere/codex")
    assert found.openclaw == Path("/elsewhere/claw")
    assert found.openclaw_file == Path("/elsewhere/claw.json")
    assert found.programs == "/bin"


def test_without_variables_everything_is_in_the_home_folder(home: Path) -> None:
    found = host_folders(Config(), Path("/p"), {})

    assert found.claude_file == home / ".claude.json"
    assert found.claude == home / ".claude"
    assert found.cursor == home / ".cursor"
    assert found.openclaw_file == home / ".openclaw/openclaw.json"
