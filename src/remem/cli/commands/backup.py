"""Commands that copy or rebuild a whole memory: backup, restore and rebuild."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from remem.cli.commands.transfer import make_vectors
from remem.cli.opening import CommandTarget, existing_workspace, next_step, require_owner
from remem.cli.root import OneOf
from remem.cli.terminal import json_option, progress, remark, respond, say
from remem.errors import RememError, counted
from remem.files.layout import Layout

if TYPE_CHECKING:
    from remem.entries.rebuild import RebuildReport
    from remem.files.domain_file.details import Form
    from remem.model.scope import Scope
    from remem.ops.backup import Backup
    from remem.ops.restore import RestoreReport


@click.command()
@click.argument("path", metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def backup(target: CommandTarget, path: Path, as_json: bool) -> None:
    """Back up the whole workspace to one file or folder.

    The backup contains every scope's database, copied while it is in use, and the Markdown and
    JSON files, with a list of their hashes. A name that ends in .tar.gz, .tgz or .tar makes one
    file; any other name makes a folder. Data that can be rebuilt (passages, vectors of files) is
    left out. Existing files are never overwritten.

    \b
    remem backup ~/backups/agent-2026-11-16.tar.gz
    """
    from remem.ops.backup import back_up

    require_owner(target, "backup")
    layout = existing_workspace(target, even_without_state=True)
    with progress() as report:
        result = back_up(layout, path, progress=report)
    respond(result, as_json, _show_backup)
    if not as_json:
        say(
            f"next: remem --workspace NEW-FOLDER restore {shlex.quote(str(result.path))}"
            "   shows that it can be restored",
            err=True,
        )


def _show_backup(backup: Backup) -> None:
    entries = counted(sum(backup.entries.values()), "entry", "entries")
    say(f"{entries} and {counted(backup.files, 'file')} in {backup.path}")
    for name, reason in zip(backup.left_out, backup.reasons, strict=True):
        remark(f"{name} was left out: {reason}")


@click.command()
@click.argument("path", metavar="FILE|FOLDER", type=click.Path(path_type=Path, exists=True))
@click.option("--force", is_flag=True, help="Move existing files aside; they are kept.")
@json_option
@click.pass_obj
def restore(target: CommandTarget, path: Path, force: bool, as_json: bool) -> None:
    """Restore a workspace from a backup.

    Every file is verified before the first is put in its place. The folder given by --workspace
    must be empty, unless --force moves its files aside. Memories that were erased there since the
    backup was made stay erased.

    \b
    remem --workspace ~/agent restore ~/backups/agent-2026-11-16.tar.gz
    """
    from remem.app.environment import find_workspace
    from remem.ops.restore import restore as restore_backup

    require_owner(target, "restore")
    layout = Layout(find_workspace(target.workspace or "."))
    respond(restore_backup(layout, path, force=force), as_json, _show_restored)
    next_step(target, "doctor", "checks what was restored", quiet=as_json)


def _show_restored(report: RestoreReport) -> None:
    entries = counted(sum(report.entries.values()), "entry", "entries")
    say(f"{entries} and {counted(report.files, 'file')} restored to {report.path}")
    if report.erased:
        say(f"{counted(len(report.erased), 'memory', 'memories')} stayed erased", err=True)
    for scope in report.unread:
        remark(
            f"{scope}: its former database cannot be read, so memories that were erased since the "
            "backup may have come back; `remem erase` removes them again"
        )
    if report.kept:
        say(f"the earlier files are in {report.kept}", err=True)


@click.command()
@click.option(
    "--from-files", is_flag=True, help="Restore lost entries from the domain files first."
)
@click.option(
    "--format",
    "form",
    type=OneOf(["new", "old"]),
    help="Write domain files in this format from now on.",
)
@click.pass_obj
def rebuild(target: CommandTarget, from_files: bool, form: Form | None) -> None:
    """Rebuild derived files and indexes.

    Search, the index and the domain files are dropped and rebuilt from the entries, in main, every
    group and every direct chat. With --from-files, entries of a lost database are read back from
    the domain files. With --format old, domain files have the metadata of each entry in a comment
    on its line, for programs that read them there.

    \b
    remem rebuild
    remem rebuild --from-files
    remem rebuild --format old
    """
    from remem.app.opening import all_scopes

    require_owner(target, "rebuild")
    layout = existing_workspace(target, even_without_state=True)
    scopes, unknown_folders = all_scopes(layout)
    failed_scopes = [scope for scope in scopes if not _rebuild(layout, scope, from_files, form)]
    for folder in unknown_folders:
        remark(f"{folder} was skipped: its scope is unknown")
    if failed_scopes or unknown_folders:
        raise click.exceptions.Exit(1)
    next_step(target, "status", "shows the state of the memory")


def _rebuild(layout: Layout, scope: Scope, from_files: bool, form: Form | None) -> bool:
    """Rebuild one scope; a failure is reported and does not stop the others."""
    from remem.app.opening import open_scope
    from remem.ops.doctor import set_damaged_aside

    try:
        if from_files:
            folder = set_damaged_aside(layout, scope)
            if folder is not None:
                say(f"{scope}: the damaged database is kept in {folder}")
        with open_scope(layout, scope, start_empty=from_files) as workspace:
            if from_files:
                _show_rebuilt(scope, "restored", workspace.maintenance.restore_from_files())
            _show_rebuilt(scope, "rebuilt", workspace.maintenance.rebuild(form=form))
            make_vectors(workspace)
    except RememError as error:
        remark(f"{scope}: {error}")
        return False
    return True


def _show_rebuilt(scope: Scope, verb: str, report: RebuildReport) -> None:
    entries, files = counted(report.entries, "entry", "entries"), counted(report.files, "file")
    say(f"{scope}: {verb} {entries}, {files}")
    if report.lowered:
        lowered = counted(report.lowered, "entry", "entries")
        say(
            f"{scope}: {lowered} restored with agent trust only, because the proof that remem "
            "wrote the file is missing or wrong"
        )
    for problem in (*report.problems, *report.missing):
        remark(f"{scope}: {problem}")


COMMANDS: Final = {
    "backup": backup,
    "restore": restore,
    "rebuild": rebuild,
}
