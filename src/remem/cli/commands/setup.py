"""Commands `init` and `rooms`."""

from __future__ import annotations

from pathlib import Path

import click

from remem.app.environment import find_workspace
from remem.cli.main import At
from remem.cli.opening import remembering
from remem.cli.terminal import visible
from remem.errors import ConfigError, NotAllowed
from remem.files.layout import Layout
from remem.files.rooms import read_rooms
from remem.model.rooms import RoomName
from remem.ops.rename_room import finish_renaming, rename_room
from remem.setup.init import initialise
from remem.setup.rooms import map_room, transcripts_allowed


@click.command()
@click.argument("path", required=False)
@click.pass_obj
def init(at: At, path: str | None) -> None:
    """Turn a folder into a workspace.

    PATH is the folder, this one by default. What is there already stays as it is.

    \b
    remem init ~/agent
    """
    if path and at.workspace and path != at.workspace:
        raise ConfigError(f"which folder is meant, {path} or {at.workspace}?")
    layout = Layout(find_workspace(path or at.workspace or "."))
    created = initialise(layout)
    for created_path in created:
        click.echo(f"created {created_path}")
    if not created:
        click.echo(f"{layout.root} is a workspace already")
    here = layout.root == Path.cwd()
    where = "" if here else f"--workspace {layout.root} "
    click.echo(f"next: remem {where}store -c fact 'Something to remember.'", err=True)


@click.group(invoke_without_command=True)
@click.pass_context
def rooms(ctx: click.Context) -> None:
    """List the rooms that have a memory.

    memory/group_names.json gives the rooms their names. A room without one has no memory.

    \b
    remem rooms
    remem rooms map telegram:-100123 kitchen
    remem rooms rename telegram:-100123 pantry
    """
    if ctx.obj.session != "main":
        raise NotAllowed("rooms are the owner's", hint="omit --session")
    if ctx.invoked_subcommand is not None:
        return
    layout = remembering(ctx.obj)
    if finish_renaming(layout):
        click.echo("a renaming that was cut short is finished", err=True)
    mapped = read_rooms(layout.root)
    for line in mapped.lines:
        room = f"{line.channel}:{line.id}" if line.channel else line.id
        found = mapped.resolve(line.channel, line.id)
        problem = "" if isinstance(found, RoomName) else f"\thas no memory: {found.reason}"
        click.echo(visible(f"{room}\t{line.name}{problem}"))
    if not mapped.lines:
        click.echo("no room is mapped", err=True)


@rooms.command("map", context_settings={"ignore_unknown_options": True})  # ids begin with a minus
@click.argument("room")
@click.argument("name")
@click.pass_obj
def map_(at: At, room: str, name: str) -> None:
    """Give a room a name, and with it a memory.

    ROOM is its id, or <channel>:<id>. NAME is free to choose, but no two rooms have the same.

    \b
    remem rooms map telegram:-100123 kitchen
    remem rooms map -100123 kitchen
    """
    map_room(remembering(at), room, name)
    click.echo(f"{room} is called {name}", err=True)


@rooms.command("rename", context_settings={"ignore_unknown_options": True})
@click.argument("room")
@click.argument("name")
@click.pass_obj
def rename(at: At, room: str, name: str) -> None:
    """Give a room another name; everything that it remembers moves along.

    Its gate, its files and its entries with their history; `transcripts` in .remem/config.toml
    renames it. Servers that have the room's memory
    open have to be ended first. What a kill interrupts, `remem rooms` finishes.

    \b
    remem rooms rename telegram:-100123 pantry
    """
    layout = remembering(at)
    before = rename_room(layout, room, name)
    click.echo(f"{room} was called {before}, and is called {name}", err=True)
    if before != name and transcripts_allowed(layout, before):
        click.echo(
            f"remem: warning: .remem/config.toml lets search read the conversations of "
            f'"group:{before}": write "group:{name}" there',
            err=True,
        )


COMMANDS = {"init": init, "rooms": rooms}
