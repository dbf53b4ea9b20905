"""Commands `connect`, `disconnect` and `uninstall`, and timers; each shows its change first."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import click

from remem.app.environment import find_workspace, host_folders
from remem.cli.main import At
from remem.cli.terminal import visible
from remem.errors import ConfigError, InvalidInput, NotAllowed
from remem.files.host_folders import HostFolders
from remem.files.layout import Layout
from remem.files.sessions import read_config
from remem.model.host_loading import memory_md_in
from remem.setup.hosts.connect import Uninstalled, Written, connect, disconnect, uninstall
from remem.setup.hosts.recipes import HOSTS, Host, Where, this_command
from remem.setup.hosts.targets import Target
from remem.setup.timers import Kind, Scheduled, Timer

_yes = click.option("--yes", is_flag=True, help="Do it without asking.")
_dry = click.option("--dry-run", is_flag=True, help="Only show what would change.")
_host = click.argument("host", type=click.Choice(list(HOSTS)))
_where = click.option(
    "--where",
    type=click.Choice(["user", "project"]),
    help="For all your projects, or for the folder that you are in.  [default: user]",
)


@click.command("connect")
@_host
@_where
@_dry
@_yes
@click.option("--anyway", is_flag=True, help="Also if the host is not found on this machine.")
@click.option("--activate", is_flag=True, help="Run `remem activate` afterwards.")
@click.pass_context
def connect_(
    ctx: click.Context,
    /,
    host: str,
    where: Where | None,
    *,
    dry_run: bool,
    yes: bool,
    anyway: bool,
    activate: bool,
) -> None:
    """Connect a host: show the change, then make it.

    Adds the server, and where the host has them its hooks and a skill, to the host's own files.
    Existing settings and comments stay as they are. `remem disconnect` undoes it exactly.

    \b
    remem connect claude-code
    remem connect codex --where project --dry-run
    """
    layout, folders = _places(ctx.obj)
    chosen = HOSTS[host]
    place: Where = where or "user"
    if place not in chosen.places:
        raise InvalidInput(f"{chosen.title} has no settings of a {place}", hint="omit --where")
    if not anyway and not chosen.is_installed(folders):
        raise ConfigError(
            f"{chosen.title} was not found: there is no {chosen.folder(folders)}",
            hint="install it first, or add --anyway",
        )
    targets = chosen.targets(folders, place, this_command(layout.root))
    done = connect(layout, host, targets, asking(f"Connect {chosen.title}?", dry_run, yes))
    if done is None:
        refuse(dry_run, f"remem connect {host} --yes")
        return
    changed = [written for written in done if written.changed]
    for written in changed:
        click.echo(f"wrote {written.path}")
    if not changed:
        click.echo(f"{chosen.title} is connected already")
    else:
        click.echo(f"next: {chosen.afterwards}", err=True)
    _offer_to_activate(ctx, layout, chosen, wanted=activate, yes=yes)


@click.command("disconnect")
@_host
@_dry
@_yes
@click.pass_obj
def disconnect_(at: At, host: str, dry_run: bool, yes: bool) -> None:
    """Disconnect a host.

    A file that nobody has edited since gets its very bytes back. Out of any other only what
    remem put there is taken. The memory itself stays.

    \b
    remem disconnect claude-code
    """
    layout, folders = _places(at)
    title = HOSTS[host].title
    ask = asking(f"Disconnect {title}?", dry_run, yes)
    done = disconnect(layout, host, _all_targets(HOSTS[host], folders, layout), ask)
    if done is None:
        refuse(dry_run, f"remem disconnect {host} --yes")
        return
    tell_undone(done)
    if not done:
        click.echo(f"{title} is not connected to this workspace")


@click.command("uninstall")
@_dry
@_yes
@click.option("--purge-state", is_flag=True, help="Remove .remem too: entries, history, vectors.")
@click.pass_obj
def uninstall_(at: At, dry_run: bool, yes: bool, purge_state: bool) -> None:
    """Remove remem from every host; the Markdown stays.

    Every host gets its settings back, AGENTS.md loses its section. MEMORY.md, the notes and the
    domain files stay as they are, to be read by people and hosts as before. The folder .remem
    stays too, unless --purge-state is given.

    \b
    remem uninstall --dry-run
    """
    layout, folders = _places(at)
    ask = _with_timers(asking("Take remem out?", dry_run, yes), layout, folders)
    jobs = {host.name: _all_targets(host, folders, layout) for host in HOSTS.values()}
    left = uninstall(layout, jobs, ask, purge_state=purge_state)
    if left is None:
        refuse(dry_run, "remem uninstall --yes")
        return
    tell_undone(left.files)
    _tell_left(left)


def _places(at: At) -> tuple[Layout, HostFolders]:
    if at.session != "main":
        raise NotAllowed("hosts are the owner's", hint="omit --session")
    layout = Layout(find_workspace(at.workspace))
    if not (layout.root / ".remem").is_dir():
        raise ConfigError(
            f"{layout.root} is no workspace", hint=f"run `remem init {layout.root}` first"
        )
    return layout, host_folders(read_config(layout), Path.cwd())


def _all_targets(host: Host, folders: HostFolders, layout: Layout) -> list[Target]:
    """Every file that could hold something of ours, for whatever place it was connected."""
    command = this_command(layout.root)
    return [target for place in host.places for target in host.targets(folders, place, command)]


def asking(question: str, dry_run: bool, yes: bool) -> Callable[[str], bool]:
    def approve(diff: str) -> bool:
        click.echo(visible_lines(diff), nl=False)
        if dry_run:
            return False
        return yes or _agreed(question)

    return approve


def _with_timers(
    approve: Callable[[str], bool], layout: Layout, folders: HostFolders
) -> Callable[[str], bool]:
    """Who takes remem out takes back its timers too."""
    timer = Timer(layout, this_command(layout.root), folders)
    kinds = timer.installed()

    def agreed(diff: str) -> bool:
        if not approve("".join(f"the timer ({kind}) is taken back\n" for kind in kinds) + diff):
            return False
        for kind in kinds:
            done = timer.uninstall(kind, lambda _diff: True)
            for line in done.undone if done else ():
                click.echo(f"run this yourself: {line}", err=True)
        return True

    return agreed


def visible_lines(text: str) -> str:
    return "".join(visible(line) + "\n" for line in text.splitlines())


def refuse(dry_run: bool, command: str) -> None:
    if not dry_run:
        raise NotAllowed("nothing was changed", hint=f"`{command}` does it")
    click.echo("nothing was changed", err=True)


def _offer_to_activate(
    ctx: click.Context, layout: Layout, host: Host, *, wanted: bool, yes: bool
) -> None:
    """A connected host also needs the instructions in AGENTS.md."""
    from remem.setup.activate import is_active

    active = is_active(layout)
    if not active and (wanted or (not yes and _agreed("Tell agents of it in AGENTS.md too?"))):
        from remem.cli.commands.activation import activate

        ctx.invoke(activate, yes=yes)
        active = is_active(layout)
    for line in memory_md_in([host.name], activated=active):
        click.echo(line, err=True)
    if not active:
        click.echo("`remem activate` tells agents of this memory in AGENTS.md", err=True)


def _agreed(question: str) -> bool:
    return sys.stdin.isatty() and click.confirm(question, err=True)


def tell_undone(done: Sequence[Written]) -> None:
    for written in done:
        if written.remark:
            click.echo(f"{written.path}: {written.remark}")
        elif written.changed:
            how = "as it was, byte for byte" if written.exact else "without remem; your edits stay"
            click.echo(f"{written.path}: {how}")


def _tell_left(left: Uninstalled) -> None:
    if left.agents_file:
        click.echo(f"{left.agents_file}: without remem's section")
    for line in left.losses:
        click.echo(line)
    click.echo(left.state)


COMMANDS = {"connect": connect_, "disconnect": disconnect_, "uninstall": uninstall_}


def change_schedule(
    layout: Layout, kind: str | None, *, install: bool, dry_run: bool, yes: bool
) -> None:
    """Set the timer, or take back whichever is set; one that is set is the one that is meant."""
    folders = host_folders(read_config(layout), Path.cwd())
    timer = Timer(layout, this_command(layout.root), folders)
    chosen = [cast(Kind, kind)] if kind else timer.installed()
    for kind_ in chosen or [timer.default_kind()]:
        _change(timer, kind_, install=install, dry_run=dry_run, yes=yes)


def _change(timer: Timer, kind: Kind, *, install: bool, dry_run: bool, yes: bool) -> None:
    if install:
        done = timer.install(kind, asking(f"Set this timer ({kind})?", dry_run, yes))
    else:
        done = timer.uninstall(kind, asking(f"Take the timer back ({kind})?", dry_run, yes))
    if done is None:
        refuse(dry_run, f"remem maintain --{'install' if install else 'uninstall'} --yes")
        return
    if install:
        _tell_set(done, kind)
    else:
        tell_undone(done.files)
        if not done.files:
            click.echo(f"there is no timer of this workspace ({kind})")
    for line in done.undone:
        click.echo(f"run this yourself: {line}", err=True)


def _tell_set(done: Scheduled, kind: Kind) -> None:
    changed = [file for file in done.files if file.changed]
    for written in changed:
        click.echo(f"wrote {written.path}")
    if not changed:
        click.echo(f"the timer is set already ({kind})")
