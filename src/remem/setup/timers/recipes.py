"""What each kind of timer consists of: systemd units, a launchd agent, crontab lines.

File names contain a digest of the workspace, so that several workspaces can have timers. Only the
program `crontab` may write the crontab; its earlier bytes are recorded, so that removing our lines
restores it exactly.
"""

from __future__ import annotations

import base64
import json
import plistlib
import shutil
import subprocess
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal

from remem.errors import ConfigError, FileError, InvalidInput, shown
from remem.files import atomic
from remem.files.host_folders import HostFolders
from remem.setup.hosts.recipes import Command
from remem.setup.hosts.targets import Target, WholeFile

Kind = Literal["systemd", "launchd", "cron"]
MARK: Final = "written by `remem maintain`"
"""Marks everything that remem wrote; without two hyphens, which XML comments do not allow."""
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
    """The files of a timer, and the commands that start, stop and forget it."""

    targets: tuple[Target, ...]
    begin: tuple[tuple[str, ...], ...]
    end: tuple[tuple[str, ...], ...]
    forget: tuple[tuple[str, ...], ...] = ()


def name_of(command: Command) -> str:
    digest = blake2b(str(command.workspace).encode(errors="surrogateescape"), digest_size=4)
    return f"remem-maintain-{digest.hexdigest()}"


def systemd(command: Command, folders: HostFolders) -> Recipe:
    """A service and the timer that starts it; a missed run is made up for."""
    name, workspace = name_of(command), _escape_specifiers(_printable(str(command.workspace)))
    line = " ".join(_quote(word) for word in (command.program, *command.line("maintain")))
    service = _SERVICE.format(mark=MARK, workspace=workspace, line=line)
    timer = _TIMER.format(mark=MARK, workspace=workspace, hour=_HOUR, minute=_MINUTE)
    control = ("systemctl", "--user")
    return Recipe(
        targets=(
            _unit_file(folders, f"{name}.service", service),
            _unit_file(folders, f"{name}.timer", timer),
        ),
        begin=((*control, "daemon-reload"), (*control, "enable", "--now", f"{name}.timer")),
        end=((*control, "disable", "--now", f"{name}.timer"),),
        forget=((*control, "daemon-reload"),),
    )


def launchd(command: Command, folders: HostFolders) -> Recipe:
    """A launch agent of the logged-in user."""
    label = f"dev.remem.{name_of(command)}"
    _printable(str(command.workspace))
    plist = plistlib.dumps(
        {
            "Label": label,
            "ProgramArguments": [command.program, *command.line("maintain")],
            "StartCalendarInterval": {"Hour": _HOUR, "Minute": _MINUTE},
            "ProcessType": "Background",
            "LowPriorityIO": True,
        }
    ).decode()
    head, rest = plist.split("<plist", 1)
    path = folders.launch_agents / f"{label}.plist"
    data = f"{head}<!-- {MARK} -->\n<plist{rest}".encode()
    return Recipe(
        targets=(WholeFile(path, data, MARK.encode()),),
        begin=(("launchctl", "load", "-w", str(path)),),
        end=(("launchctl", "unload", "-w", str(path)),),
    )


def cron_lines(command: Command) -> tuple[str, str]:
    """A comment and the line itself; cron reads an unescaped percent sign as a newline."""
    _printable(str(command.workspace))
    line = command.shell("maintain").replace("%", "\\%")
    return (
        f"# {MARK} ({name_of(command)})",
        f"{_MINUTE} {_HOUR} * * * {line} >/dev/null 2>&1",
    )


def _unit_file(folders: HostFolders, name: str, text: str) -> WholeFile:
    return WholeFile(folders.systemd / name, text.encode(), MARK.encode())


def _printable(path: str) -> str:
    if not path.isprintable():
        raise InvalidInput(
            f"the path {shown(path)} contains characters that timers do not support",
            hint="schedule `remem maintain` another way",
        )
    return path


def _escape_specifiers(text: str) -> str:
    """Escape a text in which systemd expands specifiers."""
    return text.replace("%", "%%")


def _quote(word: str) -> str:
    """Quote a word of a command for systemd."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{_escape_specifiers(escaped)}"'


_TIMEOUT_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Crontab:
    """The crontab of the current user; its earlier bytes are kept in the file `record`."""

    program: str
    record: Path

    def read(self) -> bytes | None:
        """The crontab, or None; raises if it cannot be listed, so that it is not overwritten."""
        done = _run([self.program, "-l"])
        if done.returncode == 0:
            return done.stdout
        reason = done.stderr.decode(errors="replace").strip()
        if "no crontab" in reason.lower():
            return None
        raise FileError(f"the crontab cannot be read: {reason}", hint="see `crontab -l`")

    def write(self, data: bytes | None) -> None:
        done = _run([self.program, "-r"]) if data is None else _run([self.program, "-"], data)
        if done.returncode:
            reason = done.stderr.decode(errors="replace").strip()
            raise FileError(f"the crontab cannot be written: {reason}", hint="see `crontab -e`")

    def install(self, lines: tuple[str, ...], data: bytes | None) -> None:
        """Record the crontab, then add the lines."""
        after = with_lines(data, lines)
        if after == data:
            return
        if self.record.exists():
            atomic.remove(self.record)
        record = {
            "before": None if data is None else base64.b64encode(data).decode(),
            "after": atomic.digest(after),
        }
        atomic.create(self.record, json.dumps(record).encode())
        self.write(after)

    def uninstall(self, lines: tuple[str, ...], data: bytes | None) -> bool:
        """Remove the lines; return whether the crontab is byte for byte what it was before."""
        wanted, exact = self.without(lines, data)
        if wanted != data:
            self.write(wanted)
        if self.record.exists():
            atomic.remove(self.record)
        return exact

    def without(self, lines: tuple[str, ...], data: bytes | None) -> tuple[bytes | None, bool]:
        """The crontab without our lines: its earlier bytes, unless it was edited since."""
        recorded = atomic.read(self.record)
        if data is not None and recorded is not None:
            record = json.loads(recorded)
            if record["after"] == atomic.digest(data):
                before = record["before"]
                return (None if before is None else base64.b64decode(before)), True
        return without_lines(data, lines), recorded is None


def with_lines(data: bytes | None, lines: tuple[str, ...]) -> bytes:
    """Append the lines, unless they are there already."""
    encoded = [line.encode() for line in lines]
    if data is not None and _contains(data, encoded):
        return data
    table = without_lines(data, lines) or b""
    table += b"" if not table or table.endswith(b"\n") else b"\n"
    return table + b"".join(line + b"\n" for line in encoded)


def without_lines(data: bytes | None, lines: tuple[str, ...]) -> bytes | None:
    """Remove the lines; the one after our comment is ours, even if it was edited."""
    if data is None:
        return None
    comment = lines[0].encode()
    rest, skip = [], False
    for line in data.splitlines(keepends=True):
        if line.strip() == comment:
            skip = True
        elif skip:
            skip = False
        else:
            rest.append(line)
    return b"".join(rest)


def find_crontab(record: Path, programs: str) -> Crontab:
    program = shutil.which("crontab", path=programs or None)
    if program is None:
        raise ConfigError(
            "crontab was not found on this machine", hint="choose another timer: --with systemd"
        )
    return Crontab(program, record)


def _contains(data: bytes, wanted: list[bytes]) -> bool:
    lines = [line.strip() for line in data.splitlines()]
    return any(lines[i : i + len(wanted)] == wanted for i in range(len(lines)))


def _run(line: list[str], data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 - the system's own program, without a shell
            line, input=data, capture_output=True, check=False, timeout=_TIMEOUT_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"{line[0]} failed: {error}", hint="try again later") from error
