"""How does a line come into a person's crontab, and out again? The table is no file of his: only
`crontab` may write it. Its bytes from before are kept, so that taking the line back is exact."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.errors import ConfigError, FileError
from remem.notes import files

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
            files.remove(self.record)
        kept = {
            "before": None if data is None else base64.b64encode(data).decode(),
            "after": files.digest(after),
        }
        files.create(self.record, json.dumps(kept).encode())
        self.write(after)

    def uninstall(self, lines: tuple[str, ...], data: bytes | None) -> bool:
        """Whether the table is, byte for byte, what it was before."""
        wanted, exact = self.without(lines, data)
        if wanted != data:
            self.write(wanted)
        if self.record.exists():
            files.remove(self.record)
        return exact

    def without(self, lines: tuple[str, ...], data: bytes | None) -> tuple[bytes | None, bool]:
        """The table without ours: its earlier bytes, unless a person has edited it since."""
        kept = files.read(self.record)
        if data is not None and kept is not None:
            record = json.loads(kept)
            if record["after"] == files.digest(data):
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
