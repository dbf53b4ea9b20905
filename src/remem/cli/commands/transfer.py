"""Commands that copy entries: export and import write and read files, copy fills another store."""

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

from remem.cli.opening import CommandTarget, existing_workspace, next_step, opened, require_owner
from remem.cli.terminal import json_option, progress, remark, respond, say, warn
from remem.errors import EmbedderError, FileError, InvalidInput, counted, quoted
from remem.model.arguments import EXPORT_FORMATS, ExportFormat
from remem.model.entry import TRUSTS, Trust

if TYPE_CHECKING:
    from remem.app.workspace import Workspace
    from remem.entries.transfer import ImportReport
    from remem.ops.copying import CopyReport


_MEMORY_SERVER: Final = "mcp-memory"


@click.command("export")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "file_format",
    metavar="|".join(EXPORT_FORMATS),
    default="remem",
    show_default=True,
    help="mcp-memory: the statements about named things, as the MCP memory server keeps them.",
)
@click.pass_obj
def export_(target: CommandTarget, file: Path | None, file_format: ExportFormat) -> None:
    """Write every entry with its history as JSON Lines.

    FILE is written as a whole or not at all, and replaces an older one. Without it, or with `-`,
    the lines go to stdout.

    \b
    remem export backup.jsonl
    remem export | gzip > backup.jsonl.gz
    remem export --format mcp-memory memory.jsonl
    """
    with opened(target) as workspace:
        lines = workspace.export(file_format=file_format)
        is_export = file_format == "remem"
        if is_export and (reason := workspace.services.transfer.why_unsigned()):
            warn(f"the lines are not signed, so an import will give them less trust: {reason}")
        if file is None or str(file) == "-":
            for line in lines:
                click.echo(line)
            return
        with complete_file(file) as out:
            count = 0
            for line in lines:
                out.write(line.encode() + b"\n")
                count += 1
    written = counted(count, "entry", "entries") if is_export else counted(count, "line")
    say(f"{written} in {file}", err=True)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--trust",
    metavar="|".join(TRUSTS),
    help="With owner, the file counts as your own, and its lines keep their trust. "
    "With any other value, no line gets more trust than this.",
)
@click.option("--dry-run", is_flag=True, help="Only report what would be stored.")
@json_option
@click.pass_obj
def import_(
    target: CommandTarget, file: Path, trust: Trust | None, dry_run: bool, as_json: bool
) -> None:
    """Read entries from JSON Lines.

    FILE contains what `remem export` writes, lines with at least a category and content, or the
    `memory.jsonl` of the MCP memory server; `-` is standard input, and `mcp-memory` finds the
    server's file where it is by default. Every line is checked before the first is stored, and
    reading an export twice changes nothing.

    Lines that this workspace exported are restored exactly as they were; a signature in each line
    shows that it was not changed. Any other line gets agent trust, and waits in `remem review` if
    it is an instruction or critical; `--trust owner` treats the file as your own. Secrets are
    masked.

    \b
    remem import backup.jsonl
    remem import --dry-run from-a-friend.jsonl
    remem import mcp-memory
    echo '{"category": "fact", "content": "Zoë lives in Köln."}' | remem import -
    """
    if str(file) == _MEMORY_SERVER and not file.exists():
        file = _memory_server_file()
    with _open_input(file) as source, opened(target) as workspace:
        with progress() as report:
            result = workspace.import_lines(
                lambda: _lines(source),
                trust=trust,
                dry_run=dry_run,
                progress=lambda read: report(f"{counted(read, 'line')} imported"),
            )
        if not dry_run:
            make_vectors(workspace)
    respond(result, as_json, lambda result: _show_import(result, dry_run))
    for text in _import_remarks(result, trust):
        remark(text)
    if dry_run:
        next_step(target, f"import {shlex.quote(str(file))}", "imports them", quiet=as_json)
    else:
        next_step(target, "recent", "shows what was imported", quiet=as_json)


def _memory_server_file() -> Path:
    """Return the only file of the MCP memory server on this machine."""
    from remem.app.environment import host_folders
    from remem.config import Config
    from remem.setup.discover import memory_server_files

    files = memory_server_files(host_folders(Config(), Path.cwd()))
    if len(files) == 1:
        say(f"importing {files[0]}", err=True)
        return files[0]
    if files:
        file_names = ", ".join(map(str, files))
        raise InvalidInput(f"there are {len(files)} files: {file_names}", hint="name one as FILE")
    raise InvalidInput(
        "the MCP memory server has no file in its default places",
        hint="give the file that its setting MEMORY_FILE_PATH names",
    )


def _show_import(report: ImportReport, dry_run: bool) -> None:
    counts = [
        f"{report.stored} stored",
        f"{report.waiting} waiting for review" if report.waiting else "",
        f"{report.deduplicated} merged",
        f"{report.already_there} already there",
        f"{report.erased} erased before" if report.erased else "",
        f"{counted(report.masked, 'value')} masked",
    ]
    dry = "dry run, nothing was stored: " if dry_run else ""
    say(f"{dry}{counted(report.lines, 'line')}: {', '.join(count for count in counts if count)}")


def _import_remarks(report: ImportReport, trust: str | None) -> Iterator[str]:
    """Yield remarks about lines that were changed on import or are waiting for review."""
    if report.unproven and trust is None:
        yield (
            f"{counted(report.unproven, 'line')} without this workspace's signature: exported "
            "elsewhere or by an older version of remem, or edited since. Such lines get at most "
            "agent trust. If the file is your own, import it again with `--trust owner`"
        )
    if report.waiting:
        yield (
            "entries that are waiting for review are not used until you confirm them: "
            "`remem review` lists them, `remem review --confirm ID` confirms one"
        )
    if report.bounded:
        yield (
            f"a counter that was too high, or a date in the future, was corrected in "
            f"{counted(report.bounded, 'line')}"
        )


def make_vectors(workspace: Workspace) -> None:
    """Make the missing vectors of entries, and warn if the model does not read their language.

    If this is interrupted, a server or `remem maintain` makes the remaining vectors.
    """
    with progress() as report:
        try:
            workspace.maintenance.embed_pending(
                lambda done: report(f"{counted(done, 'vector')} made")
            )
        except EmbedderError as error:
            warn(str(error))
    if hint := workspace.language_hint:
        remark(hint)


def _lines(source: IO[bytes]) -> Iterator[bytes]:
    source.seek(0)
    yield from source


@contextmanager
def _open_input(file: Path) -> Iterator[IO[bytes]]:
    """Open a file; standard input is copied to a temporary file, because it is read repeatedly."""
    if str(file) == "-":
        with tempfile.NamedTemporaryFile() as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
            yield copy.file
        return
    try:
        source = file.open("rb")
    except OSError as error:
        raise FileError(f"{quoted(str(file))} cannot be read: {error.strerror}") from error
    with source:
        yield source


@contextmanager
def complete_file(file: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing; it replaces the former file when it is complete.

    A symbolic link is kept, and the file that it leads to is replaced. Devices and pipes are
    written directly.
    """
    try:
        if file.exists() and not file.is_file() and not file.is_dir():
            with file.open("wb") as device:
                yield device
            return
        file = Path(os.path.realpath(file))
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
        raise FileError(f"{quoted(str(file))} cannot be written: {error.strerror}") from error


@click.command("copy")
@click.option(
    "--to",
    "to",
    metavar="URL|sqlite",
    required=True,
    help="The URL of a PostgreSQL database, or sqlite for files in .remem.",
)
@json_option
@click.pass_obj
def copy_(target: CommandTarget, to: str, as_json: bool) -> None:
    """Copy all entries, with their history, to another store.

    Every scope is copied from the configured store and then compared with it. The source is left
    as it is. An interrupted copy continues when the command is run again. Files stay where they
    are. Stop servers and agents that use the workspace first.

    \b
    remem copy --to postgresql://remem@db.example.com/memory
    remem copy --to sqlite
    """
    from remem.ops.copying import copy_workspace

    require_owner(target, "copy")
    layout = existing_workspace(target)
    with progress() as report:
        result = copy_workspace(layout, to, report)
    respond(result, as_json, _show_copied)
    if not as_json:
        where = "remove `store` from" if to == "sqlite" else "set `store` in"
        say(f"next: {where} .remem/config.toml, or change REMEM_STORE, to use the copy", err=True)


def _show_copied(report: CopyReport) -> None:
    say(f"from {report.source}")
    say(f"to   {report.target}")
    for scope, copied in report.scopes.items():
        entries = counted(copied.entries, "entry", "entries")
        versions, vectors = counted(copied.versions, "version"), counted(copied.vectors, "vector")
        say(f"{scope}: {entries}, {versions}, {vectors}; both stores were compared and are equal")
    for folder in report.aside:
        say(f"the former database is kept in {folder}")


COMMANDS: Final = {"export": export_, "import": import_, "copy": copy_}
