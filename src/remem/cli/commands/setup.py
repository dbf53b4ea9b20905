"""The command `setup`: from nothing, or from existing notes, to a connected agent."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from remem.cli.commands.hosts import connect_host
from remem.cli.commands.workspace import activate_workspace
from remem.cli.first_recall import show_first_recall, without_bullet
from remem.cli.model_offer import ask_for_model, fetch_model, is_model_missing, model_for
from remem.cli.opening import (
    CommandTarget,
    make_default,
    next_step,
    opened,
    require_owner,
    short_path,
    target_for,
)
from remem.cli.questions import ask_for_text, confirm, nothing_changed
from remem.cli.terminal import fitted, progress, remark, say, terminal_width, yes_option
from remem.errors import RememError, counted
from remem.files import atomic
from remem.files.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from remem.app.workspace import Workspace
    from remem.files.host_folders import HostFolders
    from remem.setup.discover import OtherMemory
    from remem.setup.hosts.recipes import Host
    from remem.setup.migrate.account import FileAccount, Migration

_MAX_FILES: Final = 5
_MAX_EXAMPLES: Final = 5
_MAX_LINE_LENGTH: Final = 90
_YES_OR_NO: Final = ("", "y", "yes", "n", "no")
"""Answers that are not taken as a statement: after several questions, people answer this one with
a yes or no too."""


@dataclass(frozen=True, slots=True)
class _Discovery:
    """The hosts and memory files found on this machine, and the proposed workspace."""

    root: Path
    folders: HostFolders
    hosts: list[Host]
    memories: list[OtherMemory]


@click.command()
@click.argument("path", required=False)
@click.option("--dry-run", is_flag=True, help="Only say what was found and would be done.")
@yes_option
@click.option("--remember", metavar="TEXT", multiple=True, help="Store this as well.")
@click.option("--no-model", is_flag=True, help="Do not download the model.")
@click.option("--no-hosts", is_flag=True, help="Do not connect the agents that were found.")
@click.pass_context
def setup(
    ctx: click.Context,
    path: str | None,
    *,
    dry_run: bool,
    yes: bool,
    remember: tuple[str, ...],
    no_model: bool,
    no_hosts: bool,
) -> None:
    """Find your notes and agents, and connect them.

    Lists what is on this machine, then asks before each step: make a workspace, search a folder of
    notes and the files of other agents too, download the model, turn MEMORY.md, notes and the
    agents' own memories into entries, connect the agents. Your files are not changed, except the
    settings of the agents that you connect, which `remem disconnect` restores. Run it again
    whenever you like: steps that are done already are skipped.

    PATH is the workspace; by default the folder that has a MEMORY.md or daily notes (the current
    one, or that of OpenClaw), else ~/agent. Run it in a folder of other notes to search them.

    \b
    remem setup
    remem setup --yes --remember "I want short answers."
    remem setup --dry-run
    """
    require_owner(ctx.obj, "setup")
    discovery = _discover(path or ctx.obj.workspace)
    _show_discovery(discovery)
    if dry_run:
        _show_steps(discovery, model=not no_model, hosts=not no_hosts)
        if (discovery.root / ".remem").is_dir():
            with opened(target_for(discovery.root)) as workspace:
                _show_plan(_plan_migration(workspace), discovery.root)
        say("nothing was changed; without --dry-run, you are asked before each step", err=True)
        return
    _make_workspace(discovery.root, yes=yes)
    make_default(discovery.root)
    target = target_for(discovery.root)
    ctx.obj = target
    searched = _add_other_memories(Layout(discovery.root), discovery.memories, yes=yes)
    if not no_model:
        _get_model(target, yes=yes)
    with opened(target) as workspace:
        _migrate(workspace, discovery.root, yes=yes)
        _store_first(workspace, remember, yes=yes)
    connected = [] if no_hosts else _connect(ctx, discovery, yes=yes)
    show_first_recall(target, searched)
    _suggest_conversations(target, connected)


def _discover(path: str | None) -> _Discovery:
    from remem.app.environment import (
        default_workspace,
        environment_or_default,
        find_workspace,
        host_folders,
        nearest_workspace,
    )
    from remem.config import Config
    from remem.setup.discover import other_memories, propose_workspace
    from remem.setup.hosts.recipes import HOSTS

    here = Path.cwd()
    folders = host_folders(Config(), here)
    path = path or environment_or_default(None).get("REMEM_WORKSPACE")
    if path:
        root = find_workspace(path)
    else:
        near = nearest_workspace(here) or here
        root = propose_workspace(near, default_workspace(), folders)
    hosts = [host for host in HOSTS.values() if host.is_installed(folders)]
    return _Discovery(root, folders, hosts, other_memories(folders, root))


def _show_discovery(discovery: _Discovery) -> None:
    from remem.setup.discover import memory_in

    memory = memory_in(discovery.root)
    state = (
        "a workspace already" if (discovery.root / ".remem").is_dir() else "will be the workspace"
    )
    say(f"{short_path(discovery.root)}: {state}{f', with {memory}' if memory else ''}", bold=True)
    say(f"agents: {', '.join(host.title for host in discovery.hosts) or 'none found'}")
    searched_paths = _searched_paths(discovery.root)
    for other in discovery.memories:
        if str(other.path) not in searched_paths:
            say(f"also found: {short_path(other.path)} ({other.owner})")


def _searched_paths(root: Path) -> tuple[str, ...]:
    """Return the files outside the workspace that recall already searches."""
    from remem.files.sessions import read_config

    return tuple(read_config(Layout(root)).extra_paths) if (root / ".remem").is_dir() else ()


def _show_steps(discovery: _Discovery, *, model: bool, hosts: bool) -> None:
    """Print what setup would do."""
    from remem.files.scopes import connected_hosts
    from remem.setup.discover import memory_in

    exists = (discovery.root / ".remem").is_dir()
    searched_paths = _searched_paths(discovery.root)
    new = [other for other in discovery.memories if str(other.path) not in searched_paths]
    memory_files = "" if exists else str(memory_in(discovery.root))
    own_memories = ", ".join(other.owner for other in new if other.is_migrated)
    connected = connected_hosts(Layout(discovery.root)) if exists else []
    steps = [
        "" if exists else f"make {short_path(discovery.root)} the workspace",
        f"let recall search {counted(len(new), 'other place')}" if new else "",
        "download the local model" if model and is_model_missing() else "",
        *(
            f"turn statements of {source} into entries"
            for source in (memory_files, own_memories)
            if source
        ),
        *(
            f"connect {host.title}"
            for host in discovery.hosts
            if hosts and host.name not in connected
        ),
    ]
    for step in filter(None, steps):
        say(f"  would {step}")


def _make_workspace(root: Path, *, yes: bool) -> None:
    from remem.setup.init import initialise

    if (root / ".remem").is_dir():
        return
    if not (yes or _agrees(f"Make {short_path(root)} the workspace?")):
        nothing_changed("remem setup --yes")
    initialise(Layout(root))
    say(f"workspace: {short_path(root)}")


def _get_model(target: CommandTarget, *, yes: bool) -> None:
    """Download the model that reads the languages of the notes."""
    if not is_model_missing():
        return
    try:
        name = model_for(target)
        if yes or ask_for_model(name):
            say(f"model: {name}, in {short_path(fetch_model(name).parent)}")
        else:
            remark(f"without the model, recall finds keywords only: `remem models fetch {name}`")
    except RememError as error:  # everything else works without it
        remark(f"the model is missing, so recall finds keywords only: {error}")


def _plan_migration(workspace: Workspace) -> Migration:
    """Return what a migration would do."""
    with progress() as report:
        return workspace.setup.migrate(
            dry_run=True, progress=lambda read, total: report(f"{read} of {total} files")
        )


def _migrate(workspace: Workspace, root: Path, *, yes: bool) -> None:
    from remem.cli.commands.transfer import make_vectors

    plan = _plan_migration(workspace)
    if not plan.changes:
        return
    _show_plan(plan, root)
    if not (yes or _agrees("Turn these lines into entries?")):
        remark("not migrated; `remem migrate` does it later")
        return
    migration = workspace.setup.migrate()
    make_vectors(workspace)
    say(f"migrated: {counted(migration.changes, 'statement')}; `remem migrate --undo` undoes it")


def _show_plan(migration: Migration, root: Path) -> None:
    files = [file for file in migration.files if file.new + file.changed]
    if not files:
        return
    names = ", ".join(short_path(Path(file.path)) for file in files[:_MAX_FILES])
    rest = len(files) - _MAX_FILES
    more = f" and {counted(rest, 'more file')}" if rest > 0 else ""
    say(f"to store: {counted(migration.changes, 'statement')} from {names}{more}", bold=True)
    counts = ", ".join(f"{name} {count}" for name, count in migration.categories.items())
    say(f"  {counts}; for example:")
    width = min(terminal_width() or _MAX_LINE_LENGTH, _MAX_LINE_LENGTH)
    for category, text in _examples(files, root):
        say(f"  {category:<12}{fitted(text, width - 14).rstrip()}", dim=True)
    if migration.tokens.curated > migration.tokens.index:
        say(
            f"  the index, with which conversations start, will have {migration.tokens.index:,} "
            f"tokens; MEMORY.md and USER.md have {migration.tokens.curated:,}"
        )
    say("  the rest stays searchable; `remem migrate --dry-run` shows every reason", err=True)


def _examples(files: list[FileAccount], root: Path) -> Iterator[tuple[str, str]]:
    """Yield some of the lines that would be stored, with their categories, from the first file."""
    file = files[0]
    lines = (atomic.read(root / file.path) or b"").decode(errors="replace").splitlines()
    taken = {line.number: lines[line.number - 1] for line in file.lines if line.outcome == "taken"}
    # A line without a bullet directly below another one continues its statement.
    first_lines = {
        number
        for number, text in taken.items()
        if number - 1 not in taken or without_bullet(text) != text.strip()
    }
    examples = [line for line in file.lines if line.number in first_lines and line.category]
    for line in examples[:: max(1, len(examples) // _MAX_EXAMPLES)][:_MAX_EXAMPLES]:
        yield str(line.category), without_bullet(lines[line.number - 1])


def _store_first(workspace: Workspace, arguments: tuple[str, ...], *, yes: bool) -> None:
    """Store the given statements; without any, and with an empty memory, ask for one."""
    texts = list(arguments)
    if not texts and not yes and not workspace.entries(limit=1):
        answer = ask_for_text("What should your agents remember about you? (Enter skips this)")
        texts = [] if answer.casefold() in _YES_OR_NO else [answer]
    for text in texts:
        category, _why = workspace.guess_category(text)
        say(f"stored {workspace.store(category=category, content=text).id} ({category}): {text}")


def _add_other_memories(layout: Layout, memories: list[OtherMemory], *, yes: bool) -> list[Path]:
    """Let recall search notes and the files of agents; return those that it searches."""
    from remem.setup.init import add_extra_paths

    searched_paths = _searched_paths(layout.root)
    new = [str(memory.path) for memory in memories if str(memory.path) not in searched_paths]
    names = ", ".join(short_path(Path(path)) for path in new)
    if new and not (yes or _agrees(f"Let recall search {names} too?")):
        return [memory.path for memory in memories if str(memory.path) in searched_paths]
    if new and not add_extra_paths(layout, new):
        remark(f"add these to extra_paths in {layout.config_file}: {json.dumps(new)}")
        return []
    if new:
        say(f"searched too: {names}")
    return [memory.path for memory in memories]


def _connect(ctx: click.Context, discovery: _Discovery, *, yes: bool) -> list[Host]:
    """Connect the agents that were found; return those that are connected now."""
    from remem.setup.activate import is_active

    connected = []
    for host in discovery.hosts:
        try:
            connect_host(ctx.obj, host.name, yes=yes, brief=True)
            connected.append(host)
            if host.name == "openclaw" and not is_active(Layout(discovery.root)):
                activate_workspace(ctx.obj, yes=yes, default=True)
        except RememError as error:
            remark(f"{host.title}: {error.args[0]}")
            if error.hint:
                say(f"hint: {error.hint}", err=True)
    if not discovery.hosts:
        from remem.setup.hosts.recipes import HOSTS

        known = ", ".join(host.title for host in HOSTS.values())
        remark(f"no agent was found ({known}); `remem setup` connects one that you install later")
    return connected


def _suggest_conversations(target: CommandTarget, hosts: list[Host]) -> None:
    for host in hosts:
        say(f"next: {host.title}: {host.afterwards}", err=True)
    if hosts:
        next_step(target, f"disconnect {hosts[0].name}", "restores its settings")


def _agrees(question: str) -> bool:
    return confirm(question, default=True)


COMMANDS: Final = {"setup": setup}
