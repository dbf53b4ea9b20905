"""How is a whole workspace kept, and brought back?"""

from __future__ import annotations

from pathlib import Path

import click

from remem.cli.group import At
from remem.cli.opening import remembering
from remem.cli.wording import counted
from remem.clinic.backup import back_up
from remem.clinic.restore import restore as bring_back
from remem.errors import NotAllowed
from remem.notes.layout import Layout
from remem.recall.answer import answer_text
from remem.wiring import find_workspace


@click.command()
@click.argument("target", metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print what was kept as one JSON object.")
@click.pass_obj
def backup(at: At, target: Path, as_json: bool) -> None:
    """Keep the whole workspace in one file or folder.

    Every scope's database, copied while it is in use, and the Markdown and JSON files, with a
    list of their hashes. A name that ends in .tar.gz, .tgz or .tar makes one file, any other
    a folder. What can be made anew (passages, vectors of files) is not in it. Nothing is ever
    replaced.

    \b
    remem backup ~/backups/agent-2026-11-16.tar.gz
    """
    _owner_only(at, "backup")
    layout = remembering(at)
    done = back_up(layout, target, tell=lambda step: click.echo(step, err=True))
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
    """Bring a workspace back from a backup.

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


COMMANDS = {"backup": backup, "restore": restore}
