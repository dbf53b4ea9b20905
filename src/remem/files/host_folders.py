"""The folders in which hosts keep their settings; computed from paths, nothing is opened."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from remem.files.transcripts.locate import HostHomes


@dataclass(frozen=True, slots=True)
class HostFolders:
    """The settings folders of the hosts for one user; `project` is the user's working folder.

    `programs` is the value of PATH.
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
    def systemd(self) -> Path:
        """The folder of the user's systemd units, on Linux."""
        return self.desktop.parent / "systemd" / "user"


def folders_of(
    homes: HostHomes, project: Path, environment: Mapping[str, str], platform: str = sys.platform
) -> HostFolders:
    """The folders according to the hosts' environment variables, or the default ones."""
    home = Path("~").expanduser()
    assert homes.claude is not None, "`host_homes` sets all of them"
    assert homes.codex is not None
    assert homes.openclaw is not None
    moved = environment.get("CLAUDE_CONFIG_DIR")
    named = environment.get("OPENCLAW_CONFIG_PATH")
    return HostFolders(
        home=home,
        project=project.absolute(),
        claude=homes.claude,
        claude_file=(homes.claude if moved else home) / ".claude.json",
        desktop=_applications(home, environment, platform) / "Claude",
        codex=homes.codex,
        openclaw=homes.openclaw,
        openclaw_file=Path(named).expanduser() if named else homes.openclaw / "openclaw.json",
        programs=environment.get("PATH", ""),
    )


def _applications(home: Path, environment: Mapping[str, str], platform: str) -> Path:
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config").expanduser()
