"""What does each kind of timer want to be told? Texts, made without touching anything.

Each names the workspace in its file's name, so that several can have a timer.
"""

from __future__ import annotations

import plistlib
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Literal

from remem.errors import InvalidInput, shown
from remem.hosts.command import Command
from remem.hosts.targets import Target
from remem.hosts.whole_file import WholeFile
from remem.notes.host_folders import HostFolders

Kind = Literal["systemd", "launchd", "cron"]
MARK: Final = "written by `remem maintain`"
"""Stands in all that is ours; no two hyphens, which XML does not allow in a remark."""
_HOUR, _MINUTE = 3, 17
_SERVICE: Final = """\
# {mark}; `remem maintain --uninstall` removes it
[Unit]
Description=remem: due work on {workspace}

[Service]
Type=oneshot
Nice=10
ExecStart={line}
"""
_TIMER: Final = """\
# {mark}; `remem maintain --uninstall` removes it
[Unit]
Description=remem: due work on {workspace}, every day

[Timer]
OnCalendar=*-*-* {hour:02}:{minute:02}:00
RandomizedDelaySec=30min
Persistent=true

[Install]
WantedBy=timers.target
"""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The files of a timer, and the commands that make it known and unknown."""

    targets: tuple[Target, ...]
    begin: tuple[tuple[str, ...], ...]
    end: tuple[tuple[str, ...], ...]
    forget: tuple[tuple[str, ...], ...] = ()


def name_of(command: Command) -> str:
    digest = blake2b(str(command.workspace).encode(errors="surrogateescape"), digest_size=4)
    return f"remem-maintain-{digest.hexdigest()}"


def systemd(command: Command, folders: HostFolders) -> Recipe:
    """A service and the timer that starts it; a missed day is made up for."""
    name, said = name_of(command), _specified(_plain(str(command.workspace)))
    line = " ".join(_quoted(each) for each in (command.program, *command.line("maintain")))
    service = _SERVICE.format(mark=MARK, workspace=said, line=line)
    timer = _TIMER.format(mark=MARK, workspace=said, hour=_HOUR, minute=_MINUTE)
    control = ("systemctl", "--user")
    return Recipe(
        targets=(
            _whole(folders, f"{name}.service", service),
            _whole(folders, f"{name}.timer", timer),
        ),
        begin=((*control, "daemon-reload"), (*control, "enable", "--now", f"{name}.timer")),
        end=((*control, "disable", "--now", f"{name}.timer"),),
        forget=((*control, "daemon-reload"),),
    )


def launchd(command: Command, folders: HostFolders) -> Recipe:
    """An agent of the person who is logged in."""
    label = f"dev.remem.{name_of(command)}"
    _plain(str(command.workspace))
    told = plistlib.dumps(
        {
            "Label": label,
            "ProgramArguments": [command.program, *command.line("maintain")],
            "StartCalendarInterval": {"Hour": _HOUR, "Minute": _MINUTE},
            "ProcessType": "Background",
            "LowPriorityIO": True,
        }
    ).decode()
    head, rest = told.split("<plist", 1)
    path = folders.launch_agents / f"{label}.plist"
    data = f"{head}<!-- {MARK} -->\n<plist{rest}".encode()
    return Recipe(
        targets=(WholeFile(path, data, MARK.encode()),),
        begin=(("launchctl", "load", "-w", str(path)),),
        end=(("launchctl", "unload", "-w", str(path)),),
    )


def cron_lines(command: Command) -> tuple[str, str]:
    """A remark and the line itself; cron takes an unescaped percent sign for a line's end."""
    _plain(str(command.workspace))
    line = command.shell("maintain").replace("%", "\\%")
    return (
        f"# {MARK} ({name_of(command)})",
        f"{_MINUTE} {_HOUR} * * * {line} >/dev/null 2>&1",
    )


def _whole(folders: HostFolders, name: str, text: str) -> WholeFile:
    return WholeFile(folders.systemd / name, text.encode(), MARK.encode())


def _plain(path: str) -> str:
    if not path.isprintable():
        raise InvalidInput(
            f"the workspace {shown(path)} has signs in its name that no timer can be told",
            hint="run `remem maintain` by other means",
        )
    return path


def _specified(text: str) -> str:
    """A text in which systemd looks for specifiers."""
    return text.replace("%", "%%")


def _quoted(word: str) -> str:
    """A word of a command, as systemd reads it."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{_specified(escaped)}"'
