"""The table of commands, and the exit codes and error messages that they share."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

import click

from remem.cli.opening import Target
from remem.errors import RememError

_SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "Store and find": {
        "store": "memory",
        "recall": "memory",
        "search": "files",
        "get": "files",
        "open": "files",
        "index": "index",
        "start": "files",
        "status": "files",
    },
    "One memory": {
        "history": "memory",
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
        "heartbeat": "learning",
        "consolidate": "learning",
        "synthesize": "facts",
        "graduate": "audit",
    },
    "Set up": {
        "init": "workspace",
        "connect": "hosts",
        "disconnect": "hosts",
        "rooms": "workspace",
        "migrate": "workspace",
        "validate": "workspace",
        "activate": "workspace",
        "rollback": "workspace",
        "models": "server",
        "uninstall": "hosts",
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
        "export": "backup",
        "import": "backup",
    },
    "Serve": {
        "serve": "server",
        "token": "server",
        "hook": "hook",
    },
    "From a clone": {
        "bench": "bench.commands",
        "demo": "examples.demo.command",
    },
}
"""The commands in the order of the help, and the module of each, which is imported when needed."""
_FROM_CLONE: Final = {
    "bench": "Measure remem on this machine.",
    "demo": "Show remem at work with a real server and client.",
}
"""Commands that are not part of the installed package, and slow to import."""
_MODULES: Final = {
    name: module for commands in _SECTIONS.values() for name, module in commands.items()
}
_CLONE: Final = Path(__file__).resolve().parents[3]


class _Commands(click.Group):
    """Imports a command when it is used, and handles the errors of all commands.

    (The unused arguments are click's.)
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _MODULES:
            return None
        command: click.Command = _import(cmd_name).COMMANDS[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, self._summary(ctx, name)) for name in names])

    def _summary(self, ctx: click.Context, name: str) -> str:
        command = None if name in _FROM_CLONE else self.get_command(ctx, name)
        return command.get_short_help_str(limit=200) if command else _FROM_CLONE[name]

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except RememError as error:
            click.echo(f"remem: {error.args[0]}", err=True)
            if error.hint:
                click.echo(f"hint: {error.hint}", err=True)
            raise click.exceptions.Exit(1) from error
        except click.NoSuchOption as error:
            if error.option_name not in ("--workspace", "--session"):
                raise
            line = f"remem {error.option_name} … {ctx.invoked_subcommand} …"
            text = f"{error.option_name} must come before the command: {line}"
            raise click.UsageError(text, error.ctx) from error
        except BrokenPipeError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(141) from error
        except KeyboardInterrupt as error:
            raise click.exceptions.Exit(130) from error


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


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`remem COMMAND --help` explains a command. The workspace is given by --workspace "
    "or REMEM_WORKSPACE; otherwise it is the nearest folder upwards that contains .remem.",
)
@click.option("--workspace", metavar="PATH", help="The folder that holds the memory.")
@click.option(
    "--session",
    metavar="KEY",
    default="main",
    show_default=True,
    help="Who is asking, as the host names it.",
)
@click.version_option(package_name="remem", message="remem %(version)s")
@click.pass_context
def remem(ctx: click.Context, workspace: str | None, session: str) -> None:
    """A memory for AI agents: plain Markdown, found within a token budget.

    \b
    remem init                                         make this folder a workspace
    remem store -c preference "David likes it brief."  store a memory
    remem recall "how should I write to David?"        find it again
    remem connect claude-code                          give it to an agent
    """
    ctx.obj = Target(workspace, session)


def main() -> None:
    """The entry point; remem writes UTF-8, whatever the terminal's encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    remem(prog_name="remem")
