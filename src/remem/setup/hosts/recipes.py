"""The files of every host and what is added to them, and the command that starts remem.

The command contains absolute paths, because a host may run it from any folder.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files as resources
from pathlib import Path
from typing import Any, Final

from remem.files.host_folders import HostFolders
from remem.setup.hosts import claude_code
from remem.setup.hosts.claude_code import TOOLS
from remem.setup.hosts.json_file import Addition, JsonFile
from remem.setup.hosts.targets import HostTarget, WholeFile
from remem.setup.hosts.toml_file import TomlFile

NAME: Final = claude_code.SERVER
HOOK_SECONDS: Final = 10
"""A hook takes about a second; this is the limit on a busy machine."""
ALLOW_TOOLS: Final = "allow-tools"
OWN_MEMORY_OFF: Final = "own-memory-off"
_MEMORY_TOOLS: Final = "group:memory"


@dataclass(frozen=True, slots=True)
class Command:
    """A command line of remem that is bound to a workspace.

    `program_arguments` start remem if the program is a Python interpreter.
    """

    program: str
    program_arguments: tuple[str, ...]
    workspace: Path

    def arguments(self, *words: str) -> list[str]:
        """Return the arguments of the program that run a command of remem on the workspace."""
        return [*self.program_arguments, "--workspace", str(self.workspace), *words]

    def shell(self, *words: str) -> str:
        """Return the command line as one string, for a host that passes it to a shell."""
        line = [self.program, *self.arguments(*words)]
        return subprocess.list2cmdline(line) if sys.platform == "win32" else shlex.join(line)

    def is_server(self, value: Any) -> bool:
        """Return whether a host's entry starts a server on this workspace."""
        arguments = value.get("args") if isinstance(value, dict) else None
        return isinstance(arguments, list) and self._names_workspace(arguments, "serve")

    def is_hook(self, value: Any) -> bool:
        """Return whether a host's hook, or every hook of a group, calls this workspace."""
        if not isinstance(value, dict):
            return False
        if isinstance(inner := value.get("hooks"), list):
            return bool(inner) and all(map(self.is_hook, inner))
        try:
            return self._names_workspace(shlex.split(value.get("command") or ""), "hook")
        except (ValueError, AttributeError, TypeError):  # not a command line
            return False

    def _names_workspace(self, words: Sequence[Any], verb: str) -> bool:
        arguments = ["--workspace", str(self.workspace), verb]
        return any(list(words[i : i + 3]) == arguments for i in range(len(words)))


def this_command(workspace: Path) -> Command:
    """Return the `remem` program of this interpreter's environment, or else the interpreter itself.

    `-P` keeps the current folder off the import path.
    """
    program = Path(sys.executable).parent / ("remem.exe" if sys.platform == "win32" else "remem")
    if program.is_file():
        return Command(str(program), (), workspace)
    return Command(sys.executable, ("-P", "-m", "remem"), workspace)


Where = claude_code.Where


@dataclass(frozen=True, slots=True)
class SettingsOffer:
    """An optional change to a host's settings, made only if the owner agrees.

    `file` contains the settings, and `applies` says whether the change is possible and not made
    yet.
    """

    name: str
    question: str
    addition: Addition
    file: Callable[[HostFolders, Where], Path]
    applies: Callable[[HostFolders, Where], bool]


def _no_problems(_folders: HostFolders, _where: Where) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Host:
    """A host that can be connected: how it is found, its files, and what to do afterwards.

    `targets` returns its files, and `problems` the reasons why the host would ignore the settings
    that remem writes.
    """

    name: str
    title: str
    program: str
    folder: Callable[[HostFolders], Path]
    targets: Callable[[HostFolders, Where, Command], list[HostTarget]]
    places: tuple[Where, ...]
    afterwards: str
    offers: tuple[SettingsOffer, ...] = ()
    problems: Callable[[HostFolders, Where], list[str]] = _no_problems

    def files(
        self, folders: HostFolders, where: Where, command: Command, accepted_offers: Collection[str]
    ) -> list[HostTarget]:
        """Return the targets, with the offers that were accepted."""
        offers = [offer for offer in self.offers if offer.name in accepted_offers]
        return [
            replace(
                target,
                additions=(
                    *target.additions,
                    *(
                        offer.addition
                        for offer in offers
                        if offer.file(folders, where) == target.path
                    ),
                ),
            )
            if isinstance(target, JsonFile)
            else target
            for target in self.targets(folders, where, command)
        ]

    def is_installed(self, folders: HostFolders) -> bool:
        program = shutil.which(self.program, path=folders.programs) if self.program else None
        return program is not None or self.folder(folders).exists()


def _claude_code(folders: HostFolders, where: Where, command: Command) -> list[HostTarget]:
    settings = claude_code.settings_file(folders, where)
    servers = folders.claude_file if where == "user" else folders.project / ".mcp.json"
    events = {
        "SessionStart": ("session-start", "startup|resume|clear|compact"),
        "UserPromptSubmit": ("prompt", None),
        "PreCompact": ("pre-compact", None),
        "SessionEnd": ("session-end", None),
    }
    return [
        JsonFile(servers, (_server(("mcpServers", NAME), command, "serve"),)),
        JsonFile(settings, _hooks(events, command, "claude-code")),
        _skill(settings.parent / "skills"),
    ]


def _claude_desktop(folders: HostFolders, _: Where, command: Command) -> list[HostTarget]:
    file = folders.desktop / "claude_desktop_config.json"
    return [JsonFile(file, (_server(("mcpServers", NAME), command, "serve"),))]


def _cursor(folders: HostFolders, where: Where, command: Command) -> list[HostTarget]:
    folder = folders.cursor if where == "user" else folders.project / ".cursor"
    return [JsonFile(folder / "mcp.json", (_server(("mcpServers", NAME), command, "serve"),))]


def _gemini_cli(folders: HostFolders, where: Where, command: Command) -> list[HostTarget]:
    folder = folders.gemini if where == "user" else folders.project / ".gemini"
    return [JsonFile(folder / "settings.json", (_server(("mcpServers", NAME), command, "serve"),))]


def _codex(folders: HostFolders, where: Where, command: Command) -> list[HostTarget]:
    folder = folders.codex if where == "user" else folders.project / ".codex"
    skills = (folders.home if where == "user" else folders.project) / ".agents" / "skills"
    events = {
        "SessionStart": ("session-start", "startup|resume|clear|compact"),
        "UserPromptSubmit": ("prompt", None),
        "PreCompact": ("pre-compact", None),
        "Stop": ("stop", None),
    }
    values = {"command": command.program, "args": command.arguments("serve")}
    return [
        TomlFile(folder / "config.toml", "mcp_servers", NAME, values, command.is_server),
        JsonFile(folder / "hooks.json", _hooks(events, command, "codex")),
        _skill(skills),
    ]


def _openclaw(folders: HostFolders, _: Where, command: Command) -> list[HostTarget]:
    hook = folders.openclaw / "hooks" / NAME
    entry = ("hooks", "internal", "entries", NAME)
    enable = Addition(entry, {"enabled": True}, lambda _value: True, unless=_loads_every_hook)
    deny = Addition(
        ("tools", "deny"), _MEMORY_TOOLS, _MEMORY_TOOLS.__eq__, append=True, shared=True
    )
    server = _server(("mcp", "servers", NAME), command, "serve", "--tokens")
    handler_command = {
        "program": command.program,
        "arguments": command.arguments("hook"),
        "workspace": str(command.workspace),
    }
    handler = _resource("openclaw/handler.js").replace(
        "const command = {};",
        f"const command = {json.dumps(handler_command, ensure_ascii=False)};",
    )
    return [
        JsonFile(folders.openclaw_file, (server, enable, deny), json5=True),
        WholeFile(hook / "HOOK.md", _resource("openclaw/HOOK.md").encode()),
        WholeFile(hook / "handler.js", handler.encode()),
        _skill(folders.openclaw / "skills"),
    ]


def _server(path: tuple[str, ...], command: Command, *arguments: str) -> Addition:
    value = {"command": command.program, "args": command.arguments(*arguments)}
    return Addition(path, value, command.is_server)


def _hooks(
    events: Mapping[str, tuple[str, str | None]], command: Command, host: str
) -> tuple[Addition, ...]:
    additions = []
    for event, (name, matcher) in events.items():
        group = _hook_group(command, name, matcher, host)
        additions.append(Addition(("hooks", event), group, command.is_hook, append=True))
    return tuple(additions)


def _hook_group(command: Command, event: str, matcher: str | None, host: str) -> dict[str, Any]:
    line = command.shell("hook", event, "--host", host)
    hook = {"type": "command", "command": line, "timeout": HOOK_SECONDS}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}


def _skill(folder: Path) -> HostTarget:
    return WholeFile(folder / NAME / "SKILL.md", _resource("SKILL.md").encode())


def _resource(name: str) -> str:
    return resources("remem.setup.hosts").joinpath("files", name).read_text(encoding="utf-8")


def _is_false(value: Any) -> bool:
    return value is False


def _loads_every_hook(settings: Any) -> bool:
    """Return whether OpenClaw loads all hooks.

    If so, an entry for our hook would disable the others.
    """
    try:
        internal = settings["hooks"]["internal"]
        return internal["enabled"] is True and not internal.get("entries")
    except (LookupError, TypeError, AttributeError):
        return False


HOSTS: Final = {
    host.name: host
    for host in (
        Host(
            "claude-code",
            "Claude Code",
            "claude",
            lambda folders: folders.claude,
            _claude_code,
            ("user", "project"),
            "start a new conversation; /mcp lists the server, /hooks the hooks",
            offers=(
                SettingsOffer(
                    ALLOW_TOOLS,
                    "May Claude Code use the memory tools without asking you each time?",
                    Addition(
                        ("permissions", "allow"), TOOLS, TOOLS.__eq__, append=True, shared=True
                    ),
                    claude_code.settings_file,
                    claude_code.asks_for_tools,
                ),
                SettingsOffer(
                    OWN_MEMORY_OFF,
                    "Claude Code also keeps its own memory. Switch it off, so that there is "
                    "only one? (Its files stay, and recall can search them.)",
                    Addition((claude_code.OWN_MEMORY,), value=False, is_own=_is_false, shared=True),
                    claude_code.settings_file,
                    claude_code.own_memory_is_default,
                ),
            ),
            problems=claude_code.settings_problems,
        ),
        Host(
            "claude-desktop",
            "Claude Desktop",
            "",
            lambda folders: folders.desktop,
            _claude_desktop,
            ("user",),
            "quit Claude Desktop and start it again",
        ),
        Host(
            "cursor",
            "Cursor",
            "cursor",
            lambda folders: folders.cursor,
            _cursor,
            ("user", "project"),
            "switch the server on under Settings, MCP",
        ),
        Host(
            "codex",
            "Codex",
            "codex",
            lambda folders: folders.codex,
            _codex,
            ("user", "project"),
            "start a new session; Codex asks once whether it may trust the hooks",
        ),
        Host(
            "gemini-cli",
            "Gemini CLI",
            "gemini",
            lambda folders: folders.gemini,
            _gemini_cli,
            ("user", "project"),
            "start a new conversation; /mcp lists the server",
        ),
        Host(
            "openclaw",
            "OpenClaw",
            "openclaw",
            lambda folders: folders.openclaw,
            _openclaw,
            ("user",),
            "restart the gateway: openclaw gateway restart",
        ),
    )
}
