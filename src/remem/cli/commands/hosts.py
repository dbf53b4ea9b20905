"""Commands that change a host's settings: connect and disconnect.

Every command shows its change before it is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from remem.app.environment import host_folders
from remem.cli.commands.workspace import activate as activate_command
from remem.cli.file_changes import show_restored, show_written
from remem.cli.opening import (
    CommandTarget,
    existing_workspace,
    next_step,
    require_owner,
    short_path,
)
from remem.cli.questions import approval, confirm, nothing_changed
from remem.cli.root import OneOf
from remem.cli.terminal import say, warn, yes_option
from remem.errors import ConfigError, InvalidInput
from remem.files.scopes import connected_hosts
from remem.files.sessions import read_config
from remem.setup.hosts.connect import connect, connected_files, disconnect
from remem.setup.hosts.recipes import (
    ALLOW_TOOLS,
    HOSTS,
    OWN_MEMORY_OFF,
    Host,
    Where,
    this_command,
)

if TYPE_CHECKING:
    from remem.files.host_folders import HostFolders
    from remem.files.layout import Layout
    from remem.setup.hosts.targets import HostTarget

dry_run_option = click.option("--dry-run", is_flag=True, help="Only show what would change.")


class _HostName(click.Choice[str]):
    """The name of a host, or its unambiguous beginning."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name = "-".join(value.casefold().replace("_", " ").split())
        hosts = [name] if name in HOSTS else [host for host in HOSTS if host.startswith(name)]
        if len(hosts) == 1:
            return hosts[0]
        problem = (
            f"{value!r} may be {' or '.join(hosts)}."
            if hosts
            else f"{value!r} is not one of {', '.join(HOSTS)}. For any other MCP client, see "
            "`remem help serve`."
        )
        raise click.BadParameter(problem, ctx, param)


_HOST: Final = _HostName(list(HOSTS))


@click.command("connect")
@click.argument("host", type=_HOST, metavar="HOST")
@click.option(
    "--where",
    type=OneOf(["user", "project"]),
    help="For all your projects, or for the current folder.  [default: user]",
)
@dry_run_option
@yes_option
@click.option(
    "--anyway", is_flag=True, help="Connect even if the host is not found on this machine."
)
@click.option(
    "--allow-tools/--ask-for-tools",
    default=None,
    help="Let Claude Code use the memory tools without asking each time.",
)
@click.option(
    "--own-memory-off/--keep-own-memory",
    default=None,
    help="Switch off the memory that Claude Code itself keeps.",
)
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
    allow_tools: bool | None,
    own_memory_off: bool | None,
    activate: bool,
) -> None:
    """Connect a host, such as Claude Code.

    HOST is claude-code, claude-desktop, cursor, codex, gemini-cli or openclaw.

    Shows the change, then adds the server to the host's own files, and also hooks and a skill if
    the host supports them. Existing settings and comments are not changed. `remem disconnect`
    undoes it exactly. Claude Code is offered two more settings, which --yes leaves alone unless
    they are named.

    \b
    remem connect claude-code
    remem connect claude-code --yes --allow-tools --own-memory-off
    remem connect codex --where project --dry-run
    """
    offers = {ALLOW_TOOLS: allow_tools, OWN_MEMORY_OFF: own_memory_off}
    connected = connect_host(
        ctx.obj, host, where=where, dry_run=dry_run, yes=yes, anyway=anyway, offers=offers
    )
    if connected:
        _offer_to_activate(
            ctx, existing_workspace(ctx.obj), HOSTS[host], activate=activate, yes=yes
        )


def connect_host(
    target: CommandTarget,
    name: str,
    *,
    where: Where | None = None,
    dry_run: bool = False,
    yes: bool = False,
    anyway: bool = False,
    offers: Mapping[str, bool | None] | None = None,
    brief: bool = False,
) -> bool:
    """Connect a host after asking; return False for a dry run, which only shows the change.

    `offers` holds the answers that the options give to the host's offers. The user is asked about
    the others; with `yes`, they are declined. With `brief`, the files are named instead of showing
    the change, and no next step is suggested; the user is asked about offers after they have agreed
    to connect the host.
    """
    layout, folders = workspace_and_hosts(target, "connect")
    host = HOSTS[name]
    place: Where = where or "user"
    if place not in host.places:
        raise InvalidInput(f"{host.title} has no {place} settings", hint="omit --where")
    if not anyway and not host.is_installed(folders):
        raise ConfigError(
            f"{host.title} was not found: there is no {host.folder(folders)}",
            hint="install it first, or add --anyway",
        )
    command, question = this_command(layout.root), f"Connect {host.title}?"
    if brief and not yes:
        files_without_offers = host.files(folders, place, command, ())
        if connect(layout, name, files_without_offers, lambda _diff: False) is None:
            names = ", ".join(short_path(file.path) for file in files_without_offers)
            say(f"{host.title}: {names}")
            if not confirm(question, default=True):
                nothing_changed(target.command(f"connect {name} --yes"))
    ask = not (yes or dry_run)
    accepted = _accepted_offers(target, host, folders, place, offers or {}, ask=ask)
    files = host.files(folders, place, command, accepted)
    approve = approval(question, yes=yes, dry_run=dry_run)
    written = connect(layout, name, files, (lambda _diff: True) if brief else approve)
    if written is None:
        nothing_changed(target.command(f"connect {name} --yes"), dry_run=dry_run)
        return False
    for problem in host.problems(folders, place):
        warn(problem)
    if brief and not yes and any(file.changed for file in written):
        say(f"connected: {host.title}")
    elif show_written(written, f"{host.title} is connected already") and not brief:
        say(f"next: {host.afterwards}", err=True)
        next_step(target, f"disconnect {name}", "undoes this")
    return True


@click.command("disconnect")
@click.argument("host", type=_HOST, metavar="[HOST]", required=False)
@dry_run_option
@yes_option
@click.pass_obj
def disconnect_(target: CommandTarget, host: str | None, dry_run: bool, yes: bool) -> None:
    """Disconnect a host.

    HOST may be omitted if only one is connected; `remem uninstall` disconnects all of them. A file
    that has not been edited since is restored byte for byte. From any other file, only what remem
    added is removed. The memory itself is kept. --dry-run shows each change.

    \b
    remem disconnect claude-code
    remem disconnect claude-code --dry-run
    """
    layout, folders = workspace_and_hosts(target, "disconnect")
    host = host or _only_connected_host(layout)
    title = HOSTS[host].title
    files = all_files(HOSTS[host], folders, layout)
    question = f"Disconnect {title}?"
    if dry_run:
        approve = approval(question, yes=yes, dry_run=True)
    else:
        changed = connected_files(layout, host, files)
        if changed and not yes:
            say(f"{title}: {', '.join(map(short_path, changed))}")
        approve = lambda _diff: yes or confirm(question)  # noqa: E731 - one of two functions
    restored = disconnect(layout, host, files, approve)
    if restored is None:
        nothing_changed(f"remem disconnect {host} --yes", dry_run=dry_run)
        return
    show_restored(restored)
    if not restored:
        say(f"{title} is not connected to this workspace")
    next_step(target, f"connect {host}", "connects it again" if restored else "connects it")
    from remem.setup.activate import is_active

    if restored and is_active(layout) and not connected_hosts(layout):
        next_step(target, "rollback", "removes the section on this memory from AGENTS.md")


def _only_connected_host(layout: Layout) -> str:
    connected = connected_hosts(layout)
    if len(connected) == 1:
        return connected[0]
    raise InvalidInput(
        f"connected: {', '.join(connected)}" if connected else "no host is connected",
        hint="name one of them, or disconnect all with `remem uninstall`" if connected else None,
    )


def workspace_and_hosts(target: CommandTarget, command: str) -> tuple[Layout, HostFolders]:
    """Return the workspace of the owner's command, and where hosts keep their files."""
    require_owner(target, command)
    layout = existing_workspace(target)
    return layout, host_folders(read_config(layout), Path.cwd())


def all_files(host: Host, folders: HostFolders, layout: Layout) -> list[HostTarget]:
    """Return every file that remem may have changed, whether for the user or a project."""
    command = this_command(layout.root)
    offers = [offer.name for offer in host.offers]
    return [file for place in host.places for file in host.files(folders, place, command, offers)]


def _accepted_offers(
    target: CommandTarget,
    host: Host,
    folders: HostFolders,
    place: Where,
    choices: Mapping[str, bool | None],
    *,
    ask: bool,
) -> list[str]:
    """Return the names of the offers that the options or the owner's answers accept.

    An offer that was accepted earlier no longer applies, so connecting again keeps its setting.
    """
    accepted = []
    for offer in host.offers:
        answer = choices.get(offer.name)
        if not offer.applies(folders, place):
            continue
        if answer is None and ask:
            answer = confirm(offer.question)
        if answer:
            accepted.append(offer.name)
        elif answer is None:
            command = target.command(f"connect {host.name} --{offer.name}")
            say(f"optional: {offer.question} `{command}`", err=True)
    return accepted


def _offer_to_activate(
    ctx: click.Context, layout: Layout, host: Host, *, activate: bool, yes: bool
) -> None:
    """Offer to add instructions for agents to AGENTS.md, if the host reads the workspace's file.

    OpenClaw does; others read the AGENTS.md of the folder that they run in.
    """
    from remem.model.host_loading import memory_md_loading
    from remem.setup.activate import is_active

    active = is_active(layout)
    reads_agents_md = host.name == "openclaw" or Path.cwd().is_relative_to(layout.root)
    question = f"Add instructions for agents to {short_path(layout.root / 'AGENTS.md')} too?"
    if not active and (activate or (reads_agents_md and not yes and confirm(question))):
        ctx.invoke(activate_command, yes=yes)
        active = is_active(layout)
    for line in memory_md_loading([host.name], is_activated=active):
        say(line, err=True)
    if reads_agents_md and not active:
        next_step(ctx.obj, "activate", "adds instructions for agents to AGENTS.md")


COMMANDS: Final = {"connect": connect_, "disconnect": disconnect_}
