"""The table of commands, and the options that they share."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

import click

from remem.cli.opening import CommandTarget
from remem.cli.root import HelpFormatter, RootGroup
from remem.errors import RememError

_SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "Store and find": {
        "store": "memory",
        "recall": "memory",
        "search": "files",
        "get": "files",
        "list": "entries",
        "recent": "entries",
        "open": "files",
        "index": "index",
        "start": "files",
        "status": "files",
    },
    "One memory": {
        "edit": "entries",
        "history": "entries",
        "reinforce": "memory",
        "forget": "memory",
        "erase": "facts",
        "review": "memory",
        "curate": "curate",
    },
    "Learn": {
        "flush": "learning",
        "note": "memory",
        "fact": "facts",
        "graph": "graph",
        "ingest": "graph",
        "heartbeat": "learning",
        "consolidate": "learning",
        "synthesize": "facts",
        "graduate": "audit",
    },
    "Share": {
        "spaces": "spaces",
        "shared-recall": "spaces",
        "shared-store": "spaces",
        "proposals": "spaces",
        "handle": "spaces",
    },
    "Set up": {
        "setup": "setup",
        "init": "workspace",
        "connect": "hosts",
        "disconnect": "hosts",
        "rooms": "workspace",
        "migrate": "workspace",
        "validate": "workspace",
        "activate": "workspace",
        "rollback": "workspace",
        "models": "server",
        "uninstall": "uninstall",
    },
    "Maintain": {
        "audit": "audit",
        "refresh": "files",
        "maintain": "maintenance",
        "decay": "maintenance",
        "doctor": "maintenance",
        "rebuild": "backup",
        "backup": "backup",
        "restore": "backup",
        "export": "transfer",
        "import": "transfer",
        "copy": "transfer",
    },
    "Serve": {
        "serve": "server",
        "token": "server",
        "hook": "hook",
    },
    "Help": {
        "help": "help",
        "version": "help",
        "completion": "help",
    },
    "From a clone": {
        "bench": "bench.commands",
        "demo": "examples.demo.command",
    },
}
"""The commands in the order of the help, each with its module, which is imported when needed."""
_DAILY: Final = ("setup", "store", "recall", "list", "edit", "forget", "index", "status")
"""The commands that `remem --help` lists; `remem help all` lists all of them."""
_FROM_CLONE: Final = {
    "bench": "Measure remem on this machine.",
    "demo": "Show remem at work with a real server and client.",
}
"""Commands that are not part of the installed package, and slow to import."""
_MODULES: Final = {
    name: module for commands in _SECTIONS.values() for name, module in commands.items()
}
_CLONE: Final = Path(__file__).resolve().parents[3]


def _load(name: str) -> click.Command:
    command: click.Command = _import(name).COMMANDS[name]
    return command


def _import(command: str) -> Any:
    module = _MODULES[command]
    if command not in _FROM_CLONE:
        return import_module(f"remem.cli.commands.{module}")
    if not (_CLONE / module.split(".")[0] / "__init__.py").is_file():
        raise RememError(
            f"`remem {command}` is not part of the installed package",
            hint="clone the project and run it there",
        )
    if str(_CLONE) not in sys.path:
        sys.path.append(str(_CLONE))
    return import_module(module)


def _complete_folder(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


@click.command(
    cls=RootGroup,
    sections={title: tuple(commands) for title, commands in _SECTIONS.items()},
    daily=_DAILY,
    load=_load,
    summaries=_FROM_CLONE,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`remem help COMMAND` explains a command, `remem help all` lists all of them. "
    "--workspace and --session may also come after the command. The default workspace is that "
    "of REMEM_WORKSPACE, of the folder that you are in, or else the one that you set up last.",
)
@click.option(
    "--workspace",
    metavar="PATH",
    help="The folder that holds the memory.",
    shell_complete=_complete_folder,
)
@click.option(
    "--session",
    metavar="KEY",
    default="main",
    show_default=True,
    help="The chat whose memory is used: main (your own), or the key of a group from its host.",
)
@click.version_option(package_name="remem", message="remem %(version)s")
@click.pass_context
def remem(ctx: click.Context, workspace: str | None, session: str) -> None:
    """A memory for AI agents: plain Markdown, found within a token budget.

    \b
    remem setup
    remem store "David likes tea."
    remem recall "what does he drink?"
    """  # noqa: D401 - the text of `remem --help`
    ctx.obj = CommandTarget(workspace, session)


def main() -> None:
    """Run the command line; output is UTF-8, whatever the terminal's encoding.

    A standard stream that is closed is opened as /dev/null. Otherwise the next file that is opened,
    perhaps the database, would get its number, and messages would be written to it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    click.Context.formatter_class = HelpFormatter
    remem(prog_name="remem")
