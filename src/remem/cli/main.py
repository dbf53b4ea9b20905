"""The command table, and how every command ends."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper
from typing import Any, Final

import click

from remem.errors import RememError

_SECTIONS: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "Memory": {
        "store": ("tools", "Store one memory."),
        "recall": ("tools", "Recall memories within a token budget."),
        "search": ("tools", "Search the memory files."),
        "get": ("tools", "Read lines of a memory file."),
        "status": ("tools", "Show the state of the memory."),
        "open": ("tools", "Load what a message needs of a chat's files."),
        "flush": ("flush", "Write what was learned in a conversation into memory."),
        "heartbeat": ("tools", "Learn from recent conversations and daily notes."),
        "consolidate": ("learning", "Keep what recurred in several conversations."),
        "note": ("look", "Append a line to today's note."),
        "fact": ("facts", "Facts about people, projects and things, with their history."),
        "audit": ("audit", "Show what the memory costs in tokens."),
        "index": ("look", "Print the index to include in every conversation."),
        "start": ("activation", "Print what a host puts into a new conversation."),
        "history": ("look", "Show every version of an entry."),
        "reinforce": ("tools", "Mark one memory as still relevant."),
        "forget": ("tools", "Archive one memory."),
        "erase": ("backup", "Remove one entry or fact for good."),
        "review": ("look", "Confirm or dismiss memories that wait for review."),
    },
    "Workspace": {
        "init": ("setup", "Turn a folder into a workspace."),
        "refresh": ("refresh", "Bring search up to date with the memory files."),
        "rooms": ("setup", "List the rooms that have a memory."),
        "export": ("transfer", "Write every entry with its history as JSON Lines."),
        "import": ("transfer", "Read entries from JSON Lines."),
        "validate": ("activation", "Check whether agents may rely on this memory."),
        "activate": ("activation", "Tell agents to use this memory."),
        "rollback": ("activation", "Undo `remem activate`."),
        "backup": ("backup", "Back up the whole workspace to one file or folder."),
        "restore": ("backup", "Restore a workspace from a backup."),
        "maintain": ("maintain", "Run all maintenance that is due, for the whole workspace."),
        "decay": ("maintain", "Archive low-priority memories that have not been used for long."),
        "doctor": ("doctor", "Check the workspace and repair problems."),
        "migrate": ("migrate", "Turn MEMORY.md, USER.md and notes into entries."),
        "synthesize": ("synthesize", "Write the summaries."),
        "graduate": ("graduate", "Propose lines for MEMORY.md."),
        "rebuild": ("rebuild", "Rebuild derived files and indexes."),
    },
    "Machine": {
        "serve": ("serve", "Serve the memory to an MCP client at stdin and stdout."),
        "token": ("token", "Session tokens for a host that serves several chats."),
        "connect": ("connect", "Connect a host: show the change, then make it."),
        "disconnect": ("connect", "Disconnect a host."),
        "hook": ("hook", "Answer a host's hook; the event is read from stdin."),
        "uninstall": ("connect", "Remove remem from every host; the Markdown stays."),
        "models": ("models", "Local embedding models."),
        "bench": ("clone", "Measure remem on this machine."),
        "demo": ("clone", "Show remem at work with a real server and client."),
    },
}
_COMMANDS: Final = {
    name: place for commands in _SECTIONS.values() for name, place in commands.items()
}


_LOOKED_THROUGH: Final = (50_000, 5, 2)
"""So many new objects make the collector look for garbage among them; every fifth time it looks
at older ones too, and every tenth time at all, so that a server keeps none for long."""


@dataclass(frozen=True, slots=True)
class At:
    """Where a command works, and for whom."""

    workspace: str | None
    session: str


class _Commands(click.Group):
    """Loads a command when it is named; ends every one of them in the same way.

    (The unused arguments are click's.)
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"remem.cli.commands.{_COMMANDS[cmd_name][0]}")
        command: click.Command = module.COMMANDS[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for title, commands in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, help_) for name, (_, help_) in commands.items()])

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


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="The workspace is that of --workspace or REMEM_WORKSPACE, "
    "else the nearest folder upwards that has .remem in it.",
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
    """A memory that an AI agent can afford.

    \b
    remem init                                        make this folder a workspace
    remem store -c preference "David likes it brief." keep something
    remem recall "how should I write to David?"       find it again
    remem serve                                       give it to an agent, over MCP
    """
    ctx.obj = At(workspace, session)


def main() -> None:
    """The entry point; whatever the terminal believes, remem speaks UTF-8.

    What is loaded stays: a collector that looked through it as often as usual, and once more
    at the end, would take a tenth of a short command's time.
    """
    gc.set_threshold(*_LOOKED_THROUGH)
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    remem(prog_name="remem")
