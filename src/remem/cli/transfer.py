"""How does memory leave and enter a workspace? As JSON Lines, one entry each."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from remem.cli.group import At
from remem.cli.opening import opened
from remem.cli.wording import counted
from remem.core.entry import TRUSTS
from remem.errors import EmbedderError, FileError, shown
from remem.workspace import Workspace


@click.command("export")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.pass_obj
def export_(at: At, file: Path | None) -> None:
    """Write every entry with its history as JSON Lines.

    FILE appears when it is complete, in place of an older one; without it, or with `-`, lines
    go to stdout.

    \b
    remem export backup.jsonl
    remem export | gzip > backup.jsonl.gz
    """
    with opened(at) as workspace:
        if file is None or str(file) == "-":
            for line in workspace.export():
                click.echo(line)
            return
        with appearing(file) as out:
            count = 0
            for line in workspace.export():
                out.write(line.encode() + b"\n")
                count += 1
    click.echo(f"{counted(count, 'entry', 'entries')} in {file}", err=True)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--trust",
    metavar="|".join(TRUSTS),
    help="Count everything as no more than this; what you import is yours otherwise.",
)
@click.pass_obj
def import_(at: At, file: Path, trust: str | None) -> None:
    """Read entries from JSON Lines.

    FILE holds what `remem export` writes, or lines with at least a category and a content;
    `-` is standard input. Every line is checked before the first is stored, and reading an
    export twice changes nothing.

    \b
    remem import backup.jsonl
    echo '{"category": "fact", "content": "Zoë lives in Köln."}' | remem import -
    """
    with _readable(file) as source, opened(at) as workspace, _progress(source) as tell:
        done = workspace.import_lines(lambda: _lines(source), trust=trust, progress=tell)
        make_vectors(workspace)
    click.echo(
        f"{counted(done.lines, 'line')}: {done.stored} stored, {done.deduplicated} merged, "
        f"{done.already_there} already there, {done.redacted} redacted"
    )


def make_vectors(workspace: Workspace) -> None:
    """What came in is found by meaning too. Stopping this half-way costs nothing: the rest
    follows when a server runs."""
    try:
        made = workspace.embed_pending(
            lambda done: click.echo(f"\r{counted(done, 'vector')} made", nl=False, err=True)
        )
    except EmbedderError as error:
        click.echo(f"remem: warning: {error}", err=True)
        return
    if made:
        click.echo("", err=True)


def _lines(source: IO[bytes]) -> Iterator[bytes]:
    source.seek(0)
    yield from source


@contextmanager
def _readable(file: Path) -> Iterator[IO[bytes]]:
    """The file; what is piped in is kept, because its lines are counted before they are read."""
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
def appearing(file: Path) -> Iterator[IO[bytes]]:
    """A file that nobody sees before it is whole."""
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


@contextmanager
def _progress(source: IO[bytes]) -> Iterator[Callable[[int], None]]:
    """A bar on stderr, where somebody is watching; lines in the file are its length."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import Progress  # slow to import

    from remem.cli.screen import console  # slow to import

    with Progress(console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("importing", total=sum(1 for _ in _lines(source)))
        yield lambda done: bar.update(task, completed=done)


COMMANDS = {"export": export_, "import": import_}
