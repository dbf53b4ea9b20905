"""Commands that need a clone of the project: `bench` and `demo` are not part of the package."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from remem.errors import RememError

_CLONE = Path(__file__).resolve().parents[4]
_MODULES = {"bench": "bench.commands", "demo": "examples.demo.command"}


class _FromClone(dict[str, click.Command]):
    """Imports a command from the clone when it is looked up."""

    def __missing__(self, name: str) -> click.Command:
        module = _MODULES[name]
        if not (_CLONE / module.split(".")[0] / "__init__.py").is_file():
            raise RememError(
                f"`remem {name}` is not part of the installed package",
                hint="clone the project and run it there",
            )
        if str(_CLONE) not in sys.path:
            sys.path.append(str(_CLONE))
        loaded: Any = import_module(module)
        command: click.Command = loaded.COMMANDS[name]
        return command


COMMANDS = _FromClone()
