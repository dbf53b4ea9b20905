"""Commands that set up a workspace: init, rooms, migrate, validate, activate and rollback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from remem.cli.opening import (
    CommandTarget,
    existing_workspace,
    next_step,
    opened,
    require_owner,
    suggest_activating,
    suggest_connecting,
    target_for,
)
from remem.cli.questions import approval, nothing_changed
from remem.cli.terminal import json_option, progress, remark, respond, say, warn, yes_option
from remem.errors import ConfigError, counted
from remem.files.layout import Layout
from remem.text.markdown import one_line

if TYPE_CHECKING:
    from remem.setup.migrate.account import Migration
    from remem.setup.migrate.undo import UndoneMigration
    from remem.setup.validate.result import Validation


@click.command()
@click.argument("path", required=False)
@click.pass_obj
def init(target: CommandTarget, path: str | None) -> None:
    """Turn a folder into a workspace.

    PATH is the folder, by default the current one. Existing files are left unchanged.

    \b
    remem init ~/agent
    """
    from remem.app.environment import find_workspace
    from remem.setup.discover import memory_in
    from remem.setup.init import initialise

    if path and target.workspace and path != target.workspace:
        raise ConfigError(
            f"two folders were given: {path} and {target.workspace}", hint="give only one of them"
        )
    layout = Layout(find_workspace(path or target.workspace or "."))
    new_paths = initialise(layout)
    for new_path in new_paths:
        say(f"created {new_path}")
    target = target_for(layout.root)
    if not new_paths:
        say(f"{layout.root} is already a workspace")
        next_step(target, "status", "shows what is in it")
    elif memory := memory_in(layout.root):
        say(f"found {memory}", err=True)
        next_step(target, "migrate --dry-run", "shows which lines would become entries")
        next_step(target, "setup", "migrates them, and connects your agents")
    else:
        next_step(target, "store 'Something to remember.'", "the first memory")
        next_step(target, "setup", "connects your agents")


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def rooms(ctx: click.Context, as_json: bool) -> None:
    """List, name and rename the rooms that have a memory.

    memory/group_names.json gives the rooms their names. A room without a name has no memory.

    \b
    remem rooms
    remem rooms map telegram:-100123 kitchen
    remem rooms rename telegram:-100123 pantry
    """
    require_owner(ctx.obj, "rooms")
    if ctx.invoked_subcommand is not None:
        return
    from remem.files.rooms import read_rooms
    from remem.model.rooms import RoomName
    from remem.ops.rename_room import finish_renaming

    layout = existing_workspace(ctx.obj, even_without_state=True)
    if finish_renaming(layout):
        say("an interrupted renaming was finished", err=True)
    named_rooms = read_rooms(layout.root)
    found: list[dict[str, str]] = []
    for line in named_rooms.lines:
        room = f"{line.channel}:{line.id}" if line.channel else line.id
        name = named_rooms.resolve(line.channel, line.id)
        problem = "" if isinstance(name, RoomName) else name.reason
        found.append({"room": room, "name": line.name, "problem": problem})
        if not as_json:
            say(f"{room}\t{line.name}" + (f"\thas no memory: {problem}" if problem else ""))
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
    elif not found:
        say("no room has a name; `remem rooms map ROOM NAME` gives it one", err=True)


@rooms.command("map", context_settings={"ignore_unknown_options": True})  # ids begin with a minus
@click.argument("room")
@click.argument("name")
@click.pass_obj
def map_(target: CommandTarget, room: str, name: str) -> None:
    """Give a room a name, and with it a memory.

    ROOM is its id, or <channel>:<id>. NAME can be any name that no other room has.

    \b
    remem rooms map telegram:-100123 kitchen
    remem rooms map -100123 kitchen
    """
    from remem.setup.rooms import map_room

    map_room(existing_workspace(target, even_without_state=True), room, name)
    say(f"{room} is now called {name}", err=True)
    next_step(target, "rooms", "lists the rooms")


@rooms.command("rename", context_settings={"ignore_unknown_options": True})
@click.argument("room")
@click.argument("name")
@click.pass_obj
def rename(target: CommandTarget, room: str, name: str) -> None:
    """Rename a room; its memory moves with it.

    The memory is its gate, its files and its entries with their history. Stop servers that have it
    open first. If the renaming is interrupted, `remem rooms` finishes it.

    \b
    remem rooms rename telegram:-100123 pantry
    """
    from remem.ops.rename_room import rename_room
    from remem.setup.rooms import transcripts_allowed

    layout = existing_workspace(target, even_without_state=True)
    before = rename_room(layout, room, name)
    say(f"{room} was called {before} and is now called {name}", err=True)
    if before != name and transcripts_allowed(layout, before):
        warn(
            f'.remem/config.toml lets search read the conversations of "group:{before}"; '
            f'change it to "group:{name}"'
        )
    next_step(target, "rooms", "lists the rooms")


@click.command()
@click.option("--dry-run", is_flag=True, help="Only report what would be done.")
@click.option("--only", metavar="PATTERN", multiple=True, help="Read only these files.")
@click.option("--exclude", metavar="PATTERN", multiple=True, help="Leave these files out.")
@click.option("--undo", is_flag=True, help="Undo the last migration; later changes are kept.")
@json_option
@click.option(
    "--report",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the whole report, as Markdown, to a file.",
)
@click.pass_obj
def migrate(
    target: CommandTarget,
    *,
    dry_run: bool,
    only: tuple[str, ...],
    exclude: tuple[str, ...],
    undo: bool,
    as_json: bool,
    file: Path | None,
) -> None:
    """Turn MEMORY.md, USER.md and notes into entries.

    Lines of MEMORY.md and USER.md become entries unless they are logs or forms; lines of notes
    become entries only if they clearly state something lasting. Everything else stays searchable
    in its file. The files are not changed. You can repeat the command at any time: nothing is
    stored twice, a changed line becomes a new version of its entry, and the next run finishes one
    that was interrupted.

    PATTERN is a path such as MEMORY.md, or a pattern such as 'memory/2026-*'.

    \b
    remem migrate --dry-run
    remem migrate --exclude 'memory/archive/*' --report migration.md
    remem migrate --undo
    """
    from remem.cli.commands.transfer import complete_file, make_vectors
    from remem.setup.migrate.account import migration_text

    def show(migration: Migration) -> None:
        say(migration_text(migration, full=False).removesuffix("\n"), fold=False)

    if undo and (dry_run or only or exclude or file):
        raise click.UsageError("--undo cannot be combined with other options.")
    with opened(target) as workspace:
        if undo:
            respond(workspace.setup.undo_migration(), as_json, _show_undone)
            next_step(target, "migrate --dry-run", "shows what it would do", quiet=as_json)
            return
        with progress() as report:
            migration = workspace.setup.migrate(
                only=only,
                exclude=exclude,
                dry_run=dry_run,
                progress=lambda read, total: report(f"{read} of {total} files"),
            )
        if file is not None:
            with complete_file(file) as out:
                out.write(migration_text(migration, full=True).encode())
        respond(migration, as_json, show)
        if not dry_run:
            make_vectors(workspace)
    if dry_run and migration.changes:
        next_step(target, "migrate", "stores the entries; files are not changed", quiet=as_json)
    else:
        next_step(target, "index", "shows what every conversation begins with", quiet=as_json)
        suggest_connecting(target, quiet=as_json)


def _show_undone(report: UndoneMigration) -> None:
    say(
        f"the migration of {report.at} was undone: "
        f"{counted(report.archived, 'new entry', 'new entries')} archived, "
        f"{counted(report.restored, 'changed entry', 'changed entries')} restored"
    )
    for entry in report.kept:
        say(f"kept, because it has changed since: {entry.id} {one_line(entry.content, 60)}")


@click.command()
@json_option
@click.pass_obj
def validate(target: CommandTarget, as_json: bool) -> None:
    """Check whether agents may rely on this memory.

    There are six checks: all tools work, recall finds what search finds, the index is small,
    stored entries can be recalled, domain files can be read, and conversations start with at least
    as much as before. Nothing is changed. The exit status is 1 if a check fails.

    \b
    remem validate
    """
    with opened(target) as workspace, progress() as report:
        result = workspace.setup.validate(report)
    respond(result, as_json, _show_validation)
    if not result.passed:
        raise click.exceptions.Exit(1)
    suggest_activating(target, quiet=as_json)


def _show_validation(result: Validation) -> None:
    for check in result.checks:
        outcome = "ok  " if check.passed else "FAIL"
        say(f"{outcome}  {check.number}. {check.name}: {check.summary}")
        for reason in check.reasons:
            say(f"      - {reason}")
    if not result.passed:
        say("not ready to be activated", err=True)


@click.command()
@yes_option
@click.pass_obj
def activate(target: CommandTarget, yes: bool) -> None:
    """Tell agents to use this memory.

    Adds one marked section to AGENTS.md if every check of `remem validate` passes. The change is
    shown first, with the lines of MEMORY.md that conversations no longer start with.
    `remem rollback` undoes it.

    \b
    remem activate
    remem activate --yes
    """
    if activate_workspace(target, yes=yes):
        suggest_connecting(target)
        next_step(target, "rollback", "undoes this")


def activate_workspace(target: CommandTarget, *, yes: bool, default: bool = False) -> bool:
    """Add the section to AGENTS.md; return whether it was changed.

    `default` is the answer if the user only presses Enter.
    """
    approved = True
    ask = approval("Add this section to AGENTS.md?", yes=yes, default=default)

    def approve(diff: str) -> bool:
        nonlocal approved
        approved = ask(diff)
        return approved

    with opened(target) as workspace, progress() as report:
        activation = workspace.setup.activate(approve, report)
    for text in activation.remarks:
        remark(text)
    if not approved:
        nothing_changed("remem activate --yes")
    if activation.changed:
        say(f"activated: {activation.file} tells agents to use this memory")
    else:
        say(f"{activation.file} already tells agents to use this memory")
    return activation.changed


@click.command()
@click.pass_obj
def rollback(target: CommandTarget) -> None:
    """Undo `remem activate`.

    AGENTS.md is restored byte for byte. Your text around the section is kept; your text inside
    the section is saved to a copy, whose path is printed.

    \b
    remem rollback
    """
    from remem.app.environment import find_workspace
    from remem.setup.activate import roll_back

    require_owner(target, "rollback")
    result = roll_back(Layout(find_workspace(target.workspace)))
    for text in result.remarks:
        remark(text)
    for copy in result.kept:
        say(f"your text in the section was saved in {copy}")
    if not result.changed:
        say(f"{result.file} has no remem section")
    elif result.exact:
        say(f"rolled back: {result.file} was restored exactly")
    else:
        say(f"rolled back: the section was removed from {result.file}; your edits were kept")
    if result.changed:
        next_step(target, "activate", "adds the section again")


COMMANDS: Final = {
    "init": init,
    "rooms": rooms,
    "migrate": migrate,
    "validate": validate,
    "activate": activate,
    "rollback": rollback,
}
