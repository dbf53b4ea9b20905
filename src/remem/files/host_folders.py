"""Where do the hosts keep their settings? Arithmetic on paths; nothing is opened."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from remem.files.transcripts.places import Places


@dataclass(frozen=True, slots=True)
class HostFolders:
    """The homes of the hosts for one person; `project` is the folder that he works in.

    `programs` is where the system looks for programs, as PATH says.
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
        """Where a person's own units lie, on Linux."""
        return self.desktop.parent / "systemd" / "user"

    @property
    def launch_agents(self) -> Path:
        """Where a person's own agents lie, on macOS."""
        return self.home / "Library" / "LaunchAgents"


def folders_of(
    places: Places, project: Path, environment: Mapping[str, str], platform: str = sys.platform
) -> HostFolders:
    """As the hosts' own variables say, else the usual ones."""
    home = Path("~").expanduser()
    assert places.claude is not None, "wiring names all of them"
    assert places.codex is not None
    assert places.openclaw is not None
    moved = environment.get("CLAUDE_CONFIG_DIR")
    named = environment.get("OPENCLAW_CONFIG_PATH")
    return HostFolders(
        home=home,
        project=project.absolute(),
        claude=places.claude,
        claude_file=(places.claude if moved else home) / ".claude.json",
        desktop=_applications(home, environment, platform) / "Claude",
        codex=places.codex,
        openclaw=places.openclaw,
        openclaw_file=Path(named).expanduser() if named else places.openclaw / "openclaw.json",
        programs=environment.get("PATH", ""),
    )


def _applications(home: Path, environment: Mapping[str, str], platform: str) -> Path:
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config").expanduser()
