"""How does the owner take a memory back for good?"""

from __future__ import annotations

import click

from remem.cli.group import At
from remem.cli.opening import opened
from remem.cli.screen import visible
from remem.maintenance.erasing.elsewhere import is_kept_unread
from remem.recall.answer import answer_text


@click.command()
@click.argument("id_", metavar="ID")
@click.option("--entity", metavar="NAME", help="Whose fact it is, where several have that id.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one JSON object.")
@click.pass_obj
def erase(at: At, id_: str, entity: str | None, yes: bool, as_json: bool) -> None:
    """Remove one memory for good: an entry, or a fact.

    Its words leave the database and its log, search, the domain files, the index and the copies
    that remem keeps; those of a fact its items.json and its summary. A tombstone keeps them from
    coming back. It cannot be undone. Files that you wrote yourself, backups and exports are not
    touched; the first are named.

    \b
    remem erase mem-3f8k2m1q
    remem erase mara-003
    """
    with opened(at) as workspace:
        if not yes:
            for each in workspace.said_by(id_, entity=entity):
                click.echo(visible(each), err=True)
            click.confirm(f"erase {id_} for good?", abort=True, err=True)
        done = workspace.erase(id_, entity=entity)
    if as_json:
        click.echo(answer_text(done))
        return
    click.echo(f"erased {done.id}" if done.erased else f"{done.id} was erased before")
    for each in done.together:
        click.echo(f"erased {each} too, which had become that fact", err=True)
    for each in done.also_as:
        click.echo(f"remem: {each} says the same, or did; erase it too if you want", err=True)
    for path in done.also_in:
        click.echo(f"remem: {_where(path)}", err=True)


def _where(path: str) -> str:
    if is_kept_unread(path):
        return (
            f"its words may stand in {path}, which was kept aside: remove it if you need it no more"
        )
    return f"its words also stand in {path}, which is yours"


COMMANDS = {"erase": erase}
