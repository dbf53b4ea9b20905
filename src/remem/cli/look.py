"""What stands in the memory? Commands that only look."""

from __future__ import annotations

import json

import click

from remem.cli.group import At
from remem.cli.opening import opened
from remem.cli.screen import console, show_history
from remem.recall.answer import plain


@click.command()
@click.pass_obj
def index(at: At) -> None:
    """Print the index that belongs into every conversation.

    It is the text of memory/INDEX.md: what matters always, and where the rest is.
    """
    with opened(at) as workspace:
        click.echo(workspace.index().text, nl=False)


@click.command()
@click.argument("id_", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print the versions as one JSON array.")
@click.pass_obj
def history(at: At, id_: str, as_json: bool) -> None:
    """Show every wording that an entry has had.

    The first comes first; each says when it came and what brought it about.

    \b
    remem history mem-3f8k2m1q
    """
    with opened(at) as workspace:
        versions = workspace.history(id_)
        if as_json:
            told = [plain(each) for each in versions]
            click.echo(json.dumps(told, ensure_ascii=False, separators=(",", ":")))
        else:
            show_history(console(), versions)


COMMANDS = {"index": index, "history": history}
