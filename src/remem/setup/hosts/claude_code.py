"""Read the settings of Claude Code about tools and its own memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, Literal

from remem.files import atomic
from remem.files.host_folders import HostFolders
from remem.text.jsonc import Malformed, parse, to_python

Where = Literal["user", "project"]

SERVER: Final = "remem"
TOOLS: Final = f"mcp__{SERVER}"
"""The permission for all tools of our server."""
OWN_MEMORY: Final = "autoMemoryEnabled"


def settings_file(folders: HostFolders, where: Where) -> Path:
    """Return the settings for hooks and permissions.

    In a project, these are the settings that are not shared, because the commands contain paths of
    this machine.
    """
    if where == "user":
        return folders.claude / "settings.json"
    return folders.project / ".claude" / "settings.local.json"


def asks_for_tools(folders: HostFolders, where: Where) -> bool:
    """Return whether Claude Code asks before each call of our tools."""
    permissions = _settings(folders, where).get("permissions", {})
    allowed = permissions.get("allow", []) if isinstance(permissions, dict) else []
    return isinstance(allowed, list) and TOOLS not in allowed


def own_memory_is_default(folders: HostFolders, where: Where) -> bool:
    """Return whether Claude Code keeps its own memory only because that is its default.

    If the settings switch it on or off, the user has decided, and is not asked.
    """
    return OWN_MEMORY not in _settings(folders, where)


def settings_problems(folders: HostFolders, where: Where) -> list[str]:
    """Return a problem if the settings have comments, because Claude Code then ignores them all."""
    file = settings_file(folders, where)
    text = (atomic.read(file) or b"").decode(errors="replace").removeprefix("\ufeff")
    try:
        if text.strip():
            json.loads(text)
    except ValueError:
        return [
            f"{file} has comments or trailing commas, which Claude Code rejects: it ignores the "
            "file, and the hooks would not run; remove them"
        ]
    return []


def _settings(folders: HostFolders, where: Where) -> dict[str, Any]:
    """Return the settings; connecting reports a file that cannot be parsed."""
    try:
        text = (atomic.read(settings_file(folders, where)) or b"").decode()
        root = parse(text)
    except (ValueError, Malformed):
        return {}
    settings = to_python(root) if root else {}
    return settings if isinstance(settings, dict) else {}
