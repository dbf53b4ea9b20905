"""Commands `export` and `import`: JSON Lines, one entry each."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from remem.app.workspace import Workspace
from remem.cli.main import At
from remem.cli.opening import counted, opened
from remem.errors import EmbedderError, FileError, shown
from remem.model.entry import TRUSTS
from remem.search.answer.answer import answer_text

if TYPE_CHECKING:
    from remem.entries.transfer import ImportReport


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
        if why := workspace.without_proof():
            click.echo(
                f"remem: warning: an import will take these lines for foreign ones: {why}", err=True
            )
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
    help="owner: the file is your own, and its lines keep the trust they state. "
    "Any other: count every line as no more than this.",
)
@click.option("--dry-run", is_flag=True, help="Say what would happen; store nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as one JSON object.")
@click.pass_obj
def import_(at: At, file: Path, trust: str | None, dry_run: bool, as_json: bool) -> None:
    """Read entries from JSON Lines.

    FILE holds what `remem export` writes, or lines with at least a category and a content;
    `-` is standard input. Every line is checked before the first is stored, and reading an
    export twice changes nothing.

    What this workspace exported comes back exactly as it was; a proof in each line shows that it
    was not changed. Any other line gets agent trust, and waits in `remem review` if it is an
    instruction or critical; `--trust owner` takes the file as your own. Secrets are masked.

    \b
    remem import backup.jsonl
    remem import --dry-run from-a-friend.jsonl
    echo '{"category": "fact", "content": "Zoë lives in Köln."}' | remem import -
    """
    with _readable(file) as source, opened(at) as workspace, _progress(source) as tell:
        done = workspace.import_lines(
            lambda: _lines(source), trust=trust, dry_run=dry_run, progress=tell
        )
        if not dry_run:
            make_vectors(workspace)
    if as_json:
        click.echo(answer_text(done))
    else:
        _show(done, dry_run)
    for remark in _remarks(done, trust):
        click.echo(f"remem: {remark}", err=True)


def _show(done: ImportReport, dry_run: bool) -> None:
    counts = [
        f"{done.stored} stored",
        *([f"{done.waiting} waiting for review"] if done.waiting else []),
        f"{done.deduplicated} merged",
        f"{done.already_there} already there",
        *([f"{done.erased} erased before"] if done.erased else []),
        f"{counted(done.masked, 'value')} masked",
    ]
    would = "dry run, nothing was stored: " if dry_run else ""
    click.echo(f"{would}{counted(done.lines, 'line')}: {', '.join(counts)}")


def _remarks(done: ImportReport, trust: str | None) -> Iterator[str]:
    """What a person should know about an import that did not take the lines as they were."""
    if done.unproven and trust is None:
        yield (
            f"{counted(done.unproven, 'line')} with no proof of this workspace: exported elsewhere "
            "or by an older remem, or edited since. They count as no more than the agent's. Is the "
            "file your own? Import it again with `--trust owner`"
        )
    if done.waiting:
        yield (
            "what waits reaches no conversation before you confirm it: `remem review` lists it, "
            "`remem review --confirm ID` makes it yours"
        )
    if done.bounded:
        yield (
            f"{counted(done.bounded, 'line')} had a counter that is too high or a date in the "
            "future; these were brought within bounds"
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

    from remem.cli.terminal import console

    with Progress(console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("importing", total=sum(1 for _ in _lines(source)))
        yield lambda done: bar.update(task, completed=done)


COMMANDS = {"export": export_, "import": import_}
