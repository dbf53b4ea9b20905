"""How does a line come into a person's crontab, and out again? The table is no file of his: only
`crontab` may write it. Its bytes from before are kept, so that taking the line back is exact.

What does each kind of timer want to be told? Texts, made without touching anything.

Each names the workspace in its file's name, so that several can have a timer.
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


_PATIENCE: Final = 30.0


@dataclass(frozen=True, slots=True)
class Crontab:
    """The table of the person who runs this; `record` is where its earlier bytes are kept."""

    program: str
    record: Path

    def read(self) -> bytes | None:
        """None where there is no table; one that cannot be listed must not be written over."""
        done = _run([self.program, "-l"])
        if done.returncode == 0:
            return done.stdout
        reason = done.stderr.decode(errors="replace").strip()
        if "no crontab" in reason.lower():
            return None
        raise FileError(f"crontab does not show the table: {reason}", hint="see `crontab -l`")

    def write(self, data: bytes | None) -> None:
        done = _run([self.program, "-r"]) if data is None else _run([self.program, "-"], data)
        if done.returncode:
            reason = done.stderr.decode(errors="replace").strip()
            raise FileError(f"crontab refused the table: {reason}", hint="see `crontab -e`")

    def install(self, lines: tuple[str, ...], data: bytes | None) -> None:
        """The record is safe before the table changes."""
        after = added(data, lines)
        if after == data:
            return
        if self.record.exists():
            atomic.remove(self.record)
        kept = {
            "before": None if data is None else base64.b64encode(data).decode(),
            "after": atomic.digest(after),
        }
        atomic.create(self.record, json.dumps(kept).encode())
        self.write(after)

    def uninstall(self, lines: tuple[str, ...], data: bytes | None) -> bool:
        """Whether the table is, byte for byte, what it was before."""
        wanted, exact = self.without(lines, data)
        if wanted != data:
            self.write(wanted)
        if self.record.exists():
            atomic.remove(self.record)
        return exact

    def without(self, lines: tuple[str, ...], data: bytes | None) -> tuple[bytes | None, bool]:
        """The table without ours: its earlier bytes, unless a person has edited it since."""
        kept = atomic.read(self.record)
        if data is not None and kept is not None:
            record = json.loads(kept)
            if record["after"] == atomic.digest(data):
                before = record["before"]
                return (None if before is None else base64.b64decode(before)), True
        return cleared(data, lines), kept is None


def added(data: bytes | None, lines: tuple[str, ...]) -> bytes:
    """The table with the lines at its end, once."""
    ours = [line.encode() for line in lines]
    if data is not None and _has(data, ours):
        return data
    start = cleared(data, lines) or b""
    start += b"" if not start or start.endswith(b"\n") else b"\n"
    return start + b"".join(line + b"\n" for line in ours)


def cleared(data: bytes | None, lines: tuple[str, ...]) -> bytes | None:
    """The table without the lines; what follows our remark is ours, however it was edited."""
    if data is None:
        return None
    remark = lines[0].encode()
    kept, ours = [], False
    for line in data.splitlines(keepends=True):
        if line.strip() == remark:
            ours = True
        elif ours:
            ours = False
        else:
            kept.append(line)
    return b"".join(kept)


def crontab_at(record: Path, programs: str) -> Crontab:
    found = shutil.which("crontab", path=programs or None)
    if found is None:
        raise ConfigError(
            "there is no crontab on this machine", hint="choose another timer: --with systemd"
        )
    return Crontab(found, record)


def _has(data: bytes, ours: list[bytes]) -> bool:
    lines = [line.strip() for line in data.splitlines()]
    return any(lines[i : i + len(ours)] == ours for i in range(len(lines)))


def _run(line: list[str], data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 - the system's own program, without a shell
            line, input=data, capture_output=True, check=False, timeout=_PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"{line[0]} does not answer: {error}", hint="try again later") from error
