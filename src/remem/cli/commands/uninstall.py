"""The command `uninstall`, which removes remem from every host."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import click

from remem.app.environment import models_folder
from remem.cli.commands.hosts import all_files, dry_run_option, workspace_and_hosts
from remem.cli.file_changes import show_commands, show_restored
from remem.cli.opening import CommandTarget, next_step, short_path
from remem.cli.questions import approval, confirm, nothing_changed
from remem.cli.terminal import say, yes_option
from remem.setup.hosts.connect import connected_files, uninstall
from remem.setup.hosts.recipes import HOSTS, this_command
from remem.setup.timers import Timer

if TYPE_CHECKING:
    from remem.files.host_folders import HostFolders
    from remem.files.layout import Layout


@click.command("uninstall")
@dry_run_option
@yes_option
@click.option("--purge-state", is_flag=True, help="Remove .remem too: entries, history, vectors.")
@click.pass_obj
def uninstall_(target: CommandTarget, dry_run: bool, yes: bool, purge_state: bool) -> None:
    """Remove remem from every host; the Markdown files are kept.

    The settings of every host are restored, and the section in AGENTS.md is removed. MEMORY.md,
    the notes and the domain files are not changed, so that people and hosts can still read them.
    The folder .remem is kept too, unless --purge-state is given. --dry-run shows each change.

    \b
    remem uninstall --dry-run
    """
    from remem.app.stores import names_of_spaces, postgres_address  # slow: loads SQLite

    layout, folders = workspace_and_hosts(target, "uninstall")
    files = {host.name: all_files(host, folders, layout) for host in HOSTS.values()}
    if dry_run:
        ask = approval("Remove remem?", yes=yes, dry_run=True)
    else:
        for host in () if yes else HOSTS.values():
            if changed := connected_files(layout, host.name, files[host.name]):
                say(f"{host.title}: {', '.join(map(short_path, changed))}")
        ask = lambda changes: _agrees_to(changes, yes=yes)  # noqa: E731 - one of two functions
    approve = _with_timers(ask, layout, folders)
    address = postgres_address(layout)
    spaces = names_of_spaces(layout, address)
    result = uninstall(layout, files, approve, spaces=spaces, purge_state=purge_state)
    if result is None:
        nothing_changed("remem uninstall --yes", dry_run=dry_run)
        return
    show_restored(result.files)
    if result.agents_file:
        say(f"{result.agents_file}: remem's section was removed")
    for line in (*result.losses, result.state):
        say(line)
    if address is not None:
        say(
            f"the entries and the grants of shared spaces remain in {address}, workspace "
            f"{address.workspace}; `DROP SCHEMA remem CASCADE` removes those of every workspace"
        )
    say(
        "the program stays: remove it with the tool that installed it, such as `pipx uninstall "
        f"remem`, and its models with the folder {short_path(models_folder())}"
    )
    if purge_state:
        next_step(target, "init", "turns the files into a memory again")
    else:
        next_step(target, "setup", "connects your agents again")


def _agrees_to(changes: str, *, yes: bool) -> bool:
    """Show the lines of the changes that are not diffs, and ask whether remem may be removed."""
    for line in changes.splitlines():
        if line[:1] not in "-+@ \\":
            say(line)
    return yes or confirm("Remove remem?")


def _with_timers(
    approve: Callable[[str], bool], layout: Layout, folders: HostFolders
) -> Callable[[str], bool]:
    """Return a function that asks for an uninstall and, if it is approved, removes the timers."""
    timer = Timer(layout, this_command(layout.root), folders)
    kinds = timer.installed()

    def approve_all(diff: str) -> bool:
        if not approve("".join(f"the timer ({kind}) is removed\n" for kind in kinds) + diff):
            return False
        for kind in kinds:
            timer_change = timer.uninstall(kind, lambda _diff: True)
            show_commands(timer_change.remaining_commands if timer_change else ())
        return True

    return approve_all


COMMANDS: Final = {"uninstall": uninstall_}
