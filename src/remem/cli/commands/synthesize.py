"""Command `synthesize`: writes the summaries and reports what it preserved of hand edits."""

from __future__ import annotations

from collections.abc import Iterator

import click

from remem.cli.commands.refresh import telling
from remem.cli.main import At
from remem.cli.opening import counted, opened
from remem.learn.synthesize.plan import PageResult, Synthesis
from remem.search.answer.answer import answer_text


@click.command()
@click.argument("entities", nargs=-1, metavar="[ENTITY]...")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_obj
def synthesize(at: At, entities: tuple[str, ...], as_json: bool) -> None:
    """Write the summaries.

    Each entity's summary.md from its active facts; without an ENTITY all of them, and
    memory/main/longterm.md from MEMORY.md and memory/main/daily-synced.md from the notes.
    The same facts give the same bytes. What you have written in a summary is kept, in a section
    of its own, and proposed as a fact.

    \b
    remem synthesize
    remem synthesize "Anna Berg" --json
    """
    with opened(at) as workspace, telling() as tell:
        done = workspace.synthesize(entities, tell)
    if as_json:
        click.echo(answer_text(done))
        return
    from remem.cli.terminal import visible

    for line in _told(done):
        click.echo(visible(line))
    for trouble in done.troubles:
        click.echo(visible(f"remem: {trouble}"), err=True)


def _told(done: Synthesis) -> Iterator[str]:
    for page in done.pages:
        yield from _page(page)
    changed = sum(page.changed for page in done.pages)
    yield f"{counted(changed, 'page')} written, {len(done.pages) - changed} unchanged"
    if done.model:
        yield f"in plain form: {done.model}"
    if done.qmd and done.qmd.ran and not done.qmd.trouble:
        yield "qmd has read brain/areas again"


def _page(page: PageResult) -> Iterator[str]:
    if page.trouble:
        yield f"{page.path}: not written: {page.trouble}"
    if page.changed:
        prose = f", {counted(page.sentences, 'sentence')}" if page.sentences else ""
        dropped = f", {page.dropped} dropped" if page.dropped else ""
        yield f"{page.path}: {counted(page.points, 'point')}{prose}{dropped}"
    for line in page.rescued:
        yield f"  kept from your hand: {line.strip()}"
    for source in page.removed:
        yield f"  {source} was taken out by hand; it is back, because it still holds"
    for proposed in page.proposed:
        yield f"  could be a fact: {proposed.command}"


COMMANDS = {"synthesize": synthesize}
