"""Commands that copy or rebuild a memory: export, import, backup, restore and rebuild."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from remem.cli.opening import Target, existing_workspace, next_step, opened, require_owner
from remem.cli.terminal import counted, json_option, progress, remark, respond, say, warn
from remem.errors import EmbedderError, FileError, RememError, shown
from remem.files.layout import Layout
from remem.model.entry import TRUSTS, Trust

if TYPE_CHECKING:
    from remem.app.workspace import Workspace
    from remem.entries.rebuild import RebuildReport
    from remem.entries.transfer import ImportReport
    from remem.files.domain_file.details import Form
    from remem.model.scope import Scope
    from remem.ops.backup import Backup
    from remem.ops.restore import RestoreReport


@click.command("export")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.pass_obj
def export_(target: Target, file: Path | None) -> None:
    """Write every entry with its history as JSON Lines.

    FILE is written as a whole or not at all, and replaces an older one. Without it, or with `-`,
    the lines go to stdout.

    \b
    remem export backup.jsonl
    remem export | gzip > backup.jsonl.gz
    """
    with opened(target) as workspace:
        if reason := workspace.services.transfer.why_unsigned():
            warn(f"an import will treat these lines as foreign: {reason}")
        if file is None or str(file) == "-":
            for line in workspace.export():
                click.echo(line)
            return
        with complete_file(file) as out:
            count = 0
            for line in workspace.export():
                out.write(line.encode() + b"\n")
                count += 1
    say(f"{counted(count, 'entry', 'entries')} in {file}", err=True)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--trust",
    metavar="|".join(TRUSTS),
    help="owner: the file is your own, and its lines keep the trust they state. "
    "Any other: no line gets more trust than this.",
)
@click.option("--dry-run", is_flag=True, help="Say what would happen; store nothing.")
@json_option
@click.pass_obj
def import_(target: Target, file: Path, trust: Trust | None, dry_run: bool, as_json: bool) -> None:
    """Read entries from JSON Lines.

    FILE contains what `remem export` writes, or lines with at least a category and content;
    `-` is standard input. Every line is checked before the first is stored, and reading an
    export twice changes nothing.

    Lines that this workspace exported are restored exactly as they were; a signature in each line
    shows that it was not changed. Any other line gets agent trust, and waits in `remem review` if
    it is an instruction or critical; `--trust owner` treats the file as your own. Secrets are
    masked.

    \b
    remem import backup.jsonl
    remem import --dry-run from-a-friend.jsonl
    echo '{"category": "fact", "content": "Zoë lives in Köln."}' | remem import -
    """
    with _readable(file) as source, opened(target) as workspace:
        with progress() as report:
            done = workspace.import_lines(
                lambda: _lines(source),
                trust=trust,
                dry_run=dry_run,
                progress=lambda read: report(f"{counted(read, 'line')} imported"),
            )
        if not dry_run:
            make_vectors(workspace)
    respond(done, as_json, lambda done: _show_import(done, dry_run))
    for text in _import_remarks(done, trust):
        remark(text)
    if dry_run:
        next_step(target, f"import {shlex.quote(str(file))}", "imports them", quiet=as_json)
    else:
        next_step(target, "recent", "shows what was imported", quiet=as_json)


def _show_import(done: ImportReport, dry_run: bool) -> None:
    counts = [
        f"{done.stored} stored",
        f"{done.waiting} waiting for review" if done.waiting else "",
        f"{done.deduplicated} merged",
        f"{done.already_there} already there",
        f"{done.erased} erased before" if done.erased else "",
        f"{counted(done.masked, 'value')} masked",
    ]
    dry = "dry run, nothing was stored: " if dry_run else ""
    say(f"{dry}{counted(done.lines, 'line')}: {', '.join(count for count in counts if count)}")


def _import_remarks(done: ImportReport, trust: str | None) -> Iterator[str]:
    """Remarks about lines that were not imported unchanged."""
    if done.unproven and trust is None:
        yield (
            f"{counted(done.unproven, 'line')} without this workspace's signature: exported "
            "elsewhere or by an older version of remem, or edited since. They get at most agent "
            "trust. If the file is your own, import it again with `--trust owner`"
        )
    if done.waiting:
        yield (
            "entries that wait are not used until you confirm them: `remem review` lists them, "
            "`remem review --confirm ID` confirms one"
        )
    if done.bounded:
        yield (
            f"{counted(done.bounded, 'line')} had a counter that is too high or a date in the "
            "future, which was corrected"
        )


def make_vectors(workspace: Workspace) -> None:
    """Embed pending entries. This can be interrupted: a server makes the remaining vectors.

    If the files are in languages that the model does not read, a remark says so.
    """
    with progress() as report:
        try:
            workspace.embed_pending(lambda done: report(f"{counted(done, 'vector')} made"))
        except EmbedderError as error:
            warn(str(error))
    if hint := workspace.language_hint:
        remark(hint)


def _lines(source: IO[bytes]) -> Iterator[bytes]:
    source.seek(0)
    yield from source


@contextmanager
def _readable(file: Path) -> Iterator[IO[bytes]]:
    """Open the file; piped input is spooled, because it is read more than once."""
    if str(file) == "-":
        with tempfile.NamedTemporaryFile() as spooled:
            shutil.copyfileobj(sys.stdin.buffer, spooled)
            yield spooled.file
        return
    try:
        source = file.open("rb")
    except OSError as error:
        raise FileError(f"{shown(str(file))} cannot be read: {error.strerror}") from error
    with source:
        yield source


@contextmanager
def complete_file(file: Path) -> Iterator[IO[bytes]]:
    """Write a file that appears only when it is complete."""
    try:
        with tempfile.NamedTemporaryFile(
            dir=file.absolute().parent, prefix=f".{file.name}-", delete=False
        ) as out:
            part = Path(out.name)
            try:
                yield out.file
                out.flush()
                os.fsync(out.fileno())
                part.replace(file)
            finally:
                part.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"{shown(str(file))} cannot be written: {error.strerror}") from error


@click.command()
@click.argument("path", metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def backup(target: Target, path: Path, as_json: bool) -> None:
    """Back up the whole workspace to one file or folder.

    The backup contains every scope's database, copied while it is in use, and the Markdown and
    JSON files, with a list of their hashes. A name that ends in .tar.gz, .tgz or .tar makes one
    file; any other name makes a folder. What can be rebuilt (passages, vectors of files) is left
    out. Existing files are never overwritten.

    \b
    remem backup ~/backups/agent-2026-11-16.tar.gz
    """
    from remem.ops.backup import back_up

    require_owner(target, "backup")
    layout = existing_workspace(target, even_without_state=True)
    with progress() as report:
        done = back_up(layout, path, progress=report)
    respond(done, as_json, _show_backup)
    if not as_json:
        say(
            f"next: remem --workspace NEW-FOLDER restore {shlex.quote(str(done.path))}"
            "   shows that it can be restored",
            err=True,
        )


def _show_backup(done: Backup) -> None:
    entries = counted(sum(done.entries.values()), "entry", "entries")
    say(f"{entries} and {counted(done.files, 'file')} in {done.path}")
    for name, reason in zip(done.left_out, done.reasons, strict=True):
        remark(f"{name} was left out: {reason}")


@click.command()
@click.argument("path", metavar="FILE|FOLDER", type=click.Path(path_type=Path, exists=True))
@click.option("--force", is_flag=True, help="Move existing files aside; they are kept.")
@json_option
@click.pass_obj
def restore(target: Target, path: Path, force: bool, as_json: bool) -> None:
    """Restore a workspace from a backup.

    Every file is verified before the first is put in its place. The folder given by --workspace
    must be empty, unless --force moves its files aside. What was erased there since the backup was
    made stays erased.

    \b
    remem --workspace ~/agent restore ~/backups/agent-2026-11-16.tar.gz
    """
    from remem.app.environment import find_workspace
    from remem.ops.restore import restore as restore_backup

    require_owner(target, "restore")
    layout = Layout(find_workspace(target.workspace or "."))
    respond(restore_backup(layout, path, force=force), as_json, _show_restored)
    next_step(target, "doctor", "checks what was restored", quiet=as_json)


def _show_restored(done: RestoreReport) -> None:
    entries = counted(sum(done.entries.values()), "entry", "entries")
    say(f"{entries} and {counted(done.files, 'file')} restored to {done.path}")
    if done.erased:
        say(f"{counted(len(done.erased), 'memory', 'memories')} stayed erased", err=True)
    if done.kept:
        say(f"the earlier files are in {done.kept}", err=True)


@click.command()
@click.option(
    "--from-files", is_flag=True, help="Restore lost entries from the domain files first."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["new", "old"]),
    help="Write domain files in this format from now on.",
)
@click.pass_obj
def rebuild(target: Target, from_files: bool, form: Form | None) -> None:
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
    scopes, nameless = all_scopes(layout)
    failed = [scope for scope in scopes if not _rebuild(layout, scope, from_files, form)]
    for folder in nameless:
        remark(f"{folder} does not say which scope it belongs to; it was left alone")
    if failed or nameless:
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
                _show_rebuilt(scope, "restored", workspace.restore_from_files())
            _show_rebuilt(scope, "rebuilt", workspace.rebuild(form=form))
            make_vectors(workspace)
    except RememError as error:
        remark(f"{scope}: {error}")
        return False
    return True


def _show_rebuilt(scope: Scope, verb: str, done: RebuildReport) -> None:
    entries, files = counted(done.entries, "entry", "entries"), counted(done.files, "file")
    say(f"{scope}: {verb} {entries}, {files}")
    if done.lowered:
        lowered = counted(done.lowered, "entry", "entries")
        say(
            f"{scope}: {lowered} restored with agent trust only, because nothing proves that "
            "remem wrote the line"
        )
    for problem in (*done.problems, *done.missing):
        remark(f"{scope}: {problem}")


COMMANDS: Final = {
    "export": export_,
    "import": import_,
    "backup": backup,
    "restore": restore,
    "rebuild": rebuild,
}
