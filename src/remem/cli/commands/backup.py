"""Commands `backup`, `restore` and `erase`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from remem.app.environment import find_workspace
from remem.cli.main import At
from remem.cli.opening import counted, opened, remembering
from remem.cli.terminal import visible
from remem.entries.erase import is_unread_copy
from remem.errors import NotAllowed
from remem.files.layout import Layout
from remem.ops.backup import back_up
from remem.ops.restore import restore as bring_back
from remem.search.answer.answer import answer_text


@click.command()
@click.argument("target", metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print what was kept as one JSON object.")
@click.pass_obj
def backup(at: At, target: Path, as_json: bool) -> None:
    """Back up the whole workspace to one file or folder.

    Every scope's database, copied while it is in use, and the Markdown and JSON files, with a
    list of their hashes. A name that ends in .tar.gz, .tgz or .tar makes one file, any other
    a folder. What can be rebuilt (passages, vectors of files) is not in it. Nothing is ever
    replaced.

    \b
    remem backup ~/backups/agent-2026-11-16.tar.gz
    """
    _owner_only(at, "backup")
    layout = remembering(at)
    done = back_up(layout, target, progress=lambda step: click.echo(step, err=True))
    if as_json:
        click.echo(answer_text(done))
        return
    entries = counted(sum(done.entries.values()), "entry", "entries")
    click.echo(f"{entries} and {counted(done.files, 'file')} in {done.path}")
    for name, reason in zip(done.left_out, done.reasons, strict=True):
        click.echo(f"remem: {name} was left out: {reason}", err=True)


@click.command()
@click.argument("source", metavar="FILE|FOLDER", type=click.Path(path_type=Path, exists=True))
@click.option("--force", is_flag=True, help="Move what is there aside; it is kept.")
@click.option("--json", "as_json", is_flag=True, help="Print what came back as one JSON object.")
@click.pass_obj
def restore(at: At, source: Path, force: bool, as_json: bool) -> None:
    """Restore a workspace from a backup.

    Every file is verified before the first is put in its place. The workspace is that of
    --workspace; it must be empty, unless --force moves what is there aside. What was erased
    there since the backup was made stays erased.

    \b
    remem --workspace ~/agent restore ~/backups/agent-2026-11-16.tar.gz
    """
    _owner_only(at, "restore")
    layout = Layout(find_workspace(at.workspace or "."))
    done = bring_back(layout, source, force=force)
    if as_json:
        click.echo(answer_text(done))
        return
    entries = counted(sum(done.entries.values()), "entry", "entries")
    click.echo(f"{entries} and {counted(done.files, 'file')} restored to {done.path}")
    if done.erased:
        click.echo(f"{counted(len(done.erased), 'memory', 'memories')} stayed erased", err=True)
    if done.kept:
        click.echo(f"what was there before is in {done.kept}", err=True)


def _owner_only(at: At, command: str) -> None:
    if at.session != "main":
        raise NotAllowed(
            f"{command} is the owner's, over the whole workspace", hint="omit --session"
        )


_BACKUP = {"backup": backup, "restore": restore}


@click.command()
@click.argument("id_", metavar="ID")
@click.option("--entity", metavar="NAME", help="Whose fact it is, where several have that id.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one JSON object.")
@click.pass_obj
def erase(at: At, id_: str, entity: str | None, yes: bool, as_json: bool) -> None:
    """Remove one entry or fact for good.

    Its words leave the database and its log, search, the domain files, the index and the copies
    that remem keeps; those of a fact its items.json and its summary. A tombstone keeps them from
    coming back. It cannot be undone. Files that you wrote yourself, backups and exports are not
    touched; the first are named.

    \b
    remem erase mem-3f8k2m1q
    remem erase mara-003
    """
    with opened(at) as workspace:
        if not yes:
            for text in workspace.said_by(id_, entity=entity):
                click.echo(visible(text), err=True)
            click.confirm(f"erase {id_} for good?", abort=True, err=True)
        done = workspace.erase(id_, entity=entity)
    if as_json:
        click.echo(answer_text(done))
        return
    click.echo(f"erased {done.id}" if done.erased else f"{done.id} was erased before")
    for other in done.together:
        click.echo(f"erased {other} too, which had become that fact", err=True)
    for other in done.also_as:
        click.echo(f"remem: {other} says the same, or did; erase it too if you want", err=True)
    for path in done.also_in:
        click.echo(f"remem: {_where(path)}", err=True)


def _where(path: str) -> str:
    if is_unread_copy(path):
        return (
            f"its words may stand in {path}, which was kept aside: remove it if you need it no more"
        )
    return f"its words also stand in {path}, which is yours"


_ERASE = {"erase": erase}


COMMANDS: Final = {**_BACKUP, **_ERASE}
