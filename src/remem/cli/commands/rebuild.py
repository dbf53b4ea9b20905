"""Command `rebuild`: rebuilds everything derived, scope by scope."""

from __future__ import annotations

import click

from remem.app.opening import open_workspace, owner_sessions
from remem.cli.commands.transfer import make_vectors
from remem.cli.main import At
from remem.cli.opening import counted, remembering
from remem.entries.rebuild import RebuildReport
from remem.errors import NotAllowed, RememError
from remem.files.layout import Layout
from remem.model.scope import Session
from remem.ops.doctor import set_damaged_aside


@click.command()
@click.option(
    "--from-files", is_flag=True, help="Bring lost entries back from the domain files first."
)
@click.pass_obj
def rebuild(at: At, from_files: bool) -> None:
    """Rebuild derived files and indexes.

    Search, the index and the domain files are dropped and made from the entries, in main, every
    group and every direct chat. With --from-files, entries that a lost database held are read
    back from the domain files.

    \b
    remem rebuild
    remem rebuild --from-files
    """
    if at.session != "main":
        raise NotAllowed("rebuild is the owner's, over the whole workspace", hint="omit --session")
    layout = remembering(at)
    sessions, nameless = owner_sessions(layout)
    failed = [session for session in sessions if not _one(layout, session, from_files)]
    for folder in nameless:
        click.echo(f"remem: {folder} does not say whose it is; left alone", err=True)
    if failed or nameless:
        raise click.exceptions.Exit(1)


def _one(layout: Layout, session: Session, from_files: bool) -> bool:
    """Whether one scope could be rebuilt; what failed in it does not stop the others."""
    try:
        if from_files and session.scope is not None:
            aside = set_damaged_aside(layout, session.scope)
            if aside is not None:
                click.echo(f"{session.scope}: the damaged database is kept in {aside}")
        with open_workspace(
            layout.root, session, background=False, start_empty=from_files
        ) as workspace:
            if from_files:
                _tell(session, "restored", workspace.restore_from_files())
            _tell(session, "rebuilt", workspace.rebuild())
            make_vectors(workspace)
    except RememError as error:
        click.echo(f"remem: {session.scope}: {error}", err=True)
        return False
    return True


def _tell(session: Session, what: str, done: RebuildReport) -> None:
    entries, files = counted(done.entries, "entry", "entries"), counted(done.files, "file")
    click.echo(f"{session.scope}: {what} {entries}, {files}")
    if done.lowered:
        lowered = counted(done.lowered, "entry", "entries")
        click.echo(
            f"{session.scope}: {lowered} restored as the agent's, without authority: the file does "
            "not prove that remem wrote the line"
        )
    for problem in (*done.problems, *done.missing):
        click.echo(f"remem: {session.scope}: {problem}", err=True)


COMMANDS = {"rebuild": rebuild}
