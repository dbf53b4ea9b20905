"""Timers that run `remem maintain` every day: systemd units, or lines in the user's crontab.

The change is shown first; then the files are written and the service manager is called. If that
fails, the files are kept and the result names the commands that the owner has to run. Names contain
a digest of the workspace, so that several workspaces can have timers.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal

from remem.errors import ConfigError, FileError, InvalidInput, quoted
from remem.files.host_folders import HostFolders
from remem.files.layout import Layout
from remem.files.scopes import SCHEDULE, host_records
from remem.files.setup_journal import SetupJournal
from remem.setup.hosts.connect import HostFileResult, connect, disconnect
from remem.setup.hosts.recipes import Command
from remem.setup.hosts.targets import WholeFile
from remem.text.line_edits import diff_text

TimerKind = Literal["systemd", "cron"]
Approve = Callable[[str], bool]

_MARK: Final = "written by `remem maintain`"
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
_TIMEOUT_SECONDS: Final = 60.0
_CRONTAB: Final = Path("crontab")


@dataclass(frozen=True, slots=True)
class TimerChange:
    """The files that were changed; the owner still has to run the `remaining_commands`."""

    files: tuple[HostFileResult, ...]
    remaining_commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Timer:
    """The timer of one workspace; `command` starts remem on it."""

    layout: Layout
    command: Command
    folders: HostFolders

    @property
    def name(self) -> str:
        path = str(self.command.workspace).encode(errors="surrogateescape")
        return f"remem-maintain-{blake2b(path, digest_size=4).hexdigest()}"

    def default_kind(self) -> TimerKind:
        """Return systemd if it is running for this user, or else cron."""
        crontab, systemctl = self._program("crontab"), self._program("systemctl")
        if systemctl and not (crontab and self._failures(("show-environment",))):
            return "systemd"
        if crontab:
            return "cron"
        raise ConfigError(
            "neither systemd nor cron was found on this machine",
            hint="run `remem maintain` once a day by other means",
        )

    def installed(self) -> list[TimerKind]:
        """Return the kinds of timers that are installed for this workspace."""
        kinds: list[TimerKind] = []
        if SetupJournal(host_records(self.layout) / SCHEDULE).changes([]):
            kinds.append("systemd")
        with suppress(ConfigError, FileError):  # a crontab that cannot be listed counts as empty
            if self._cron_comment in (self._crontab() or b"").splitlines():
                kinds.append("cron")
        return kinds

    def install(self, kind: TimerKind, approve: Approve) -> TimerChange | None:
        """Install the timer if `approve` accepts the diff; None if it does not."""
        if kind == "cron":
            return self._edit_crontab(self.with_cron_lines, approve)
        files = connect(self.layout, SCHEDULE, self.units(), approve)
        if files is None:
            return None
        start = ("enable", "--now", f"{self.name}.timer")
        return TimerChange(tuple(files), self._failures(("daemon-reload",), start))

    def uninstall(self, kind: TimerKind, approve: Approve) -> TimerChange | None:
        """Stop the timer, then remove its files; None if `approve` does not agree."""
        if kind == "cron":
            change = self._edit_crontab(self.without_cron_lines, approve)
            return TimerChange(()) if change and not change.files[0].changed else change
        problems: list[str] = []

        def approve_and_stop(diff: str) -> bool:
            if not approve(diff):
                return False
            problems.extend(self._failures(("disable", "--now", f"{self.name}.timer")))
            return True

        files = disconnect(self.layout, SCHEDULE, self.units(), approve_and_stop)
        if files:
            problems.extend(self._failures(("daemon-reload",)))
        return None if files is None else TimerChange(tuple(files), tuple(problems))

    def units(self) -> list[WholeFile]:
        """Return systemd's files for the service and its timer, which catches up on missed runs."""
        workspace = _escape_specifiers(_require_printable(str(self.command.workspace)))
        words = (self.command.program, *self.command.arguments("maintain"))
        service = _SERVICE.format(
            mark=_MARK, workspace=workspace, line=" ".join(map(_quote_for_systemd, words))
        )
        timer = _TIMER.format(mark=_MARK, workspace=workspace, hour=_HOUR, minute=_MINUTE)
        folder, mark = self.folders.systemd, _MARK.encode()
        return [
            WholeFile(folder / f"{self.name}.service", service.encode(), mark),
            WholeFile(folder / f"{self.name}.timer", timer.encode(), mark),
        ]

    def with_cron_lines(self, table: bytes | None) -> bytes:
        """Return the crontab with our comment and line.

        Percent signs are escaped, as cron requires.
        """
        _require_printable(str(self.command.workspace))
        command = self.command.shell("maintain").replace("%", "\\%")
        line = f"{_MINUTE} {_HOUR} * * * {command} >/dev/null 2>&1".encode()
        ours = self._cron_comment + b"\n" + line + b"\n"
        if table is not None and ours in table:
            return table
        rest = self.without_cron_lines(table) or b""
        return rest + (b"" if not rest or rest.endswith(b"\n") else b"\n") + ours

    def without_cron_lines(self, table: bytes | None) -> bytes | None:
        """Return the crontab without our comment and the line after it, even if it was edited.

        A line that does not call `maintain` is somebody else's: ours was removed by hand.
        """
        lines = (table or b"").splitlines(keepends=True)
        comments = [index for index, line in enumerate(lines) if line.strip() == self._cron_comment]

        def is_ours(index: int, line: bytes) -> bool:
            return index in comments or (index - 1 in comments and b"maintain" in line)

        other_lines = [line for index, line in enumerate(lines) if not is_ours(index, line)]
        return b"".join(other_lines) or (None if comments else table)

    @property
    def _cron_comment(self) -> bytes:
        return f"# {_MARK} ({self.name})".encode()

    def _crontab(self) -> bytes | None:
        """Return the crontab, if any; raise FileError if it cannot be read."""
        try:
            return self._run("crontab", "-l")
        except FileError as error:
            if "no crontab" in str(error).lower():
                return None
            raise FileError(
                f"the crontab cannot be read: {error}", hint="see `crontab -l`"
            ) from error

    def _edit_crontab(
        self, edit: Callable[[bytes | None], bytes | None], approve: Approve
    ) -> TimerChange | None:
        before = self._crontab()
        after = edit(before)
        if after != before:
            if not approve(diff_text(before, after, str(_CRONTAB))):
                return None
            try:
                self._run("crontab", "-r" if after is None else "-", data=after)
            except FileError as error:
                problem = f"the crontab cannot be written: {error.args[0]}"
                raise FileError(problem, hint="see `crontab -e`") from error
        return TimerChange((HostFileResult(_CRONTAB, after != before),))

    def _failures(self, *commands: Sequence[str]) -> tuple[str, ...]:
        """Call systemctl; return the commands that failed, with the reasons."""
        problems = []
        for command in commands:
            try:
                self._run("systemctl", "--user", *command)
            except (ConfigError, FileError) as error:
                problems.append(f"systemctl --user {' '.join(command)}  ({error.args[0]})")
        return tuple(problems)

    def _program(self, name: str) -> str | None:
        return shutil.which(name, path=self.folders.programs or None)

    def _run(self, name: str, *arguments: str, data: bytes | None = None) -> bytes:
        """Run a program of the system, and return its output; a failure raises FileError."""
        program = self._program(name)
        if program is None:
            raise ConfigError(
                f"{name} was not found on this machine", hint="choose another timer: --with"
            )
        try:
            process = subprocess.run(  # noqa: S603 - the system's own program, without a shell
                [program, *arguments],
                input=data,
                capture_output=True,
                check=False,
                timeout=_TIMEOUT_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise FileError(f"{name} failed: {error}", hint="try again later") from error
        if process.returncode:
            errors = process.stderr.decode(errors="replace").strip().splitlines()
            raise FileError(errors[-1] if errors else f"{name}: exit status {process.returncode}")
        return process.stdout


def _require_printable(path: str) -> str:
    """Return a path; raise InvalidInput if timers do not support its characters."""
    if not path.isprintable():
        raise InvalidInput(
            f"the path {quoted(path)} contains characters that timers do not support",
            hint="schedule `remem maintain` another way",
        )
    return path


def _escape_specifiers(text: str) -> str:
    """Escape a text in which systemd expands specifiers."""
    return text.replace("%", "%%")


def _quote_for_systemd(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{_escape_specifiers(escaped)}"'
