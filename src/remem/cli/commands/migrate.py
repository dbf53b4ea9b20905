"""Command `migrate`: turns existing files into entries and accounts for every line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from remem.cli.commands.transfer import appearing, make_vectors
from remem.cli.main import At
from remem.cli.opening import opened
from remem.search.answer.answer import answer_text


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print what became of every line as JSON.")
@click.option(
    "--report",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the whole report, as Markdown, to a file.",
)
@click.pass_obj
def migrate(at: At, dry_run: bool, as_json: bool, file: Path | None) -> None:
    """Turn MEMORY.md, USER.md and notes into entries.

    Every content line of MEMORY.md and USER.md goes into an entry; of the notes, what lasts. The
    files stay as they are. Repeat it whenever you like: nothing doubles, a changed line becomes a
    new version of its entry, and a run that was stopped is finished by the next one.

    \b
    remem migrate --dry-run
    remem migrate --report migration.md
    """
    from remem.cli.terminal import console, visible
    from remem.setup.migrate.account import report

    with opened(at) as workspace:
        with _progress() as tell:
            done = workspace.migrate(dry_run=dry_run, progress=tell)
        if file is not None:
            with appearing(file) as out:
                out.write(report(done, full=True).encode())
        if as_json:
            click.echo(answer_text(done))
        else:
            console().print(visible(report(done, full=False)), end="")
        if not dry_run:
            make_vectors(workspace)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, where somebody is watching."""
    if not sys.stderr.isatty():
        yield lambda _done, _files: None
        return
    from rich.progress import Progress  # slow to import

    from remem.cli.terminal import console

    with Progress(console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("migrating", total=None)
        yield lambda done, files: bar.update(task, completed=done, total=files)


COMMANDS = {"migrate": migrate}
