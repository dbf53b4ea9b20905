"""The folders in which hosts keep their settings and transcripts."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from remem.config import Config
from remem.errors import ConfigError, quoted


@dataclass(frozen=True, slots=True)
class HostHomes:
    """The folders in which the hosts keep their transcripts.

    `agents` are the OpenClaw agents that the setting `openclaw_agents` names. If it is empty, the
    agents whose default workspace is this one, or whose transcripts name this folder, count.
    """

    openclaw: Path
    claude: Path
    codex: Path
    agents: tuple[str, ...] = ()


def host_homes(config: Config, environment: Mapping[str, str]) -> HostHomes:
    """Return the home folders of the hosts.

    Settings come first, then the hosts' own environment variables, then the defaults.
    """

    def home(configured: str, variable: str, default: str) -> Path:
        path = configured or environment.get(variable) or default
        try:
            return Path(path).expanduser()
        except RuntimeError as error:
            raise ConfigError(f"the home folder in {quoted(path)} is unknown") from error

    return HostHomes(
        openclaw=home(config.openclaw_home, "OPENCLAW_STATE_DIR", "~/.openclaw"),
        claude=home(config.claude_home, "CLAUDE_CONFIG_DIR", "~/.claude"),
        codex=home(config.codex_home, "CODEX_HOME", "~/.codex"),
        agents=config.openclaw_agents,
    )


@dataclass(frozen=True, slots=True)
class HostFolders:
    """The folders and files in which hosts keep the settings of one user.

    `home` is the user's home folder, `project` their working folder, `programs` the value of PATH.
    """

    home: Path
    project: Path
    claude: Path
    claude_file: Path
    desktop: Path
    codex: Path
    openclaw: Path
    openclaw_file: Path
    programs: str = ""

    @property
    def cursor(self) -> Path:
        return self.home / ".cursor"

    @property
    def gemini(self) -> Path:
        return self.home / ".gemini"

    @property
    def systemd(self) -> Path:
        """The folder of the user's systemd units, on Linux."""
        return self.desktop.parent / "systemd" / "user"


def folders_of(
    homes: HostHomes, project: Path, environment: Mapping[str, str], platform: str = sys.platform
) -> HostFolders:
    """Return the folders that the hosts' environment variables name, or else the default ones."""
    home = Path("~").expanduser()
    claude_home = environment.get("CLAUDE_CONFIG_DIR")
    openclaw_file = environment.get("OPENCLAW_CONFIG_PATH")
    return HostFolders(
        home=home,
        project=project.absolute(),
        claude=homes.claude,
        claude_file=(homes.claude if claude_home else home) / ".claude.json",
        desktop=_applications(home, environment, platform) / "Claude",
        codex=homes.codex,
        openclaw=homes.openclaw,
        openclaw_file=Path(openclaw_file).expanduser()
        if openclaw_file
        else homes.openclaw / "openclaw.json",
        programs=environment.get("PATH", ""),
    )


def _applications(home: Path, environment: Mapping[str, str], platform: str) -> Path:
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config").expanduser()
