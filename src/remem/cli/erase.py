"""How does the owner take a memory back for good?"""

from __future__ import annotations

import click

from remem.cli.group import At
from remem.cli.opening import opened
from remem.recall.answer import answer_text


@click.command()
@click.argument("id_", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask first.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one JSON object.")
@click.pass_obj
def erase(at: At, id_: str, yes: bool, as_json: bool) -> None:
    """Remove one memory for good.

    Its words leave the database and its log, search, the domain files, the index and the copies
    that remem keeps; a tombstone keeps them from coming back. It cannot be undone. Files that
    you wrote yourself, backups and exports are not touched; the first are named.

    \b
    remem erase mem-3f8k2m1q
    """
    with opened(at) as workspace:
        if not yes:
            found = workspace.recall(id_, include_untrusted=True, include_archived=True)
            for each in found.entries:
                click.echo(each.content, err=True)
            click.confirm(f"erase {id_} for good?", abort=True, err=True)
        done = workspace.erase(id_)
    if as_json:
        click.echo(answer_text(done))
        return
    click.echo(f"erased {done.id}" if done.erased else f"{done.id} was erased before")
    for path in done.also_in:
        click.echo(f"remem: its words also stand in {path}, which is yours", err=True)


COMMANDS = {"erase": erase}
