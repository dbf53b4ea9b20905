"""Which command starts this remem from anywhere? Absolute, whatever a host calls home."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Command:
    """`program` and its first arguments, up to the workspace that it is bound to."""

    program: str
    first: tuple[str, ...]
    workspace: Path

    def line(self, *arguments: str) -> list[str]:
        return [*self.first, "--workspace", str(self.workspace), *arguments]

    def shell(self, *arguments: str) -> str:
        """One text for a host that hands it to a shell."""
        line = [self.program, *self.line(*arguments)]
        return subprocess.list2cmdline(line) if sys.platform == "win32" else shlex.join(line)

    def is_server(self, value: Any) -> bool:
        """Whether an entry of a host starts a server on this workspace."""
        arguments = value.get("args") if isinstance(value, dict) else None
        return isinstance(arguments, list) and self._serves(arguments)

    def is_hook(self, value: Any) -> bool:
        """Whether a hook of a host, or a whole group of them, calls this workspace."""
        if not isinstance(value, dict):
            return False
        if isinstance(inner := value.get("hooks"), list):
            return bool(inner) and all(self.is_hook(each) for each in inner)
        line = value.get("command")
        return isinstance(line, str) and self._calls(line)

    def _serves(self, arguments: Sequence[Any]) -> bool:
        return self._names_workspace(arguments, "serve")

    def _calls(self, line: str) -> bool:
        try:
            return self._names_workspace(shlex.split(line), "hook")
        except ValueError:
            return False

    def _names_workspace(self, words: Sequence[Any], verb: str) -> bool:
        wanted = ["--workspace", str(self.workspace), verb]
        return any(list(words[i : i + 3]) == wanted for i in range(len(words)))


def this_command(workspace: Path) -> Command:
    """The program beside this interpreter; else the interpreter, deaf to the current folder."""
    beside = Path(sys.executable).parent / ("remem.exe" if sys.platform == "win32" else "remem")
    if beside.is_file():
        return Command(str(beside), (), workspace)
    return Command(sys.executable, ("-P", "-m", "remem"), workspace)
