"""The owner's judgement of what strangers said, and of what may have been pasted."""

from __future__ import annotations

import click

from remem.cli.group import At
from remem.cli.opening import opened
from remem.cli.screen import console, show_entries


@click.command()
@click.option("--confirm", metavar="ID", multiple=True, help="Make it your own. May be repeated.")
@click.option("--dismiss", metavar="ID", multiple=True, help="Archive it. May be repeated.")
@click.pass_obj
def review(at: At, confirm: tuple[str, ...], dismiss: tuple[str, ...]) -> None:
    """Judge what strangers said: confirm or dismiss it.

    Without an option it lists what waits: where it comes from, why it is in doubt, and the
    category and priority that it has once you confirm it. What may have been pasted into a message
    waits here. Untrusted memory never reaches an agent by itself.

    \b
    remem review
    remem review --confirm mem-3f8k2m1q --dismiss mem-9w2x7c4d
    """
    with opened(at) as workspace:
        for id_ in confirm:
            click.echo(f"confirmed {workspace.confirm(id_).id}")
        for id_ in dismiss:
            click.echo(f"dismissed {workspace.dismiss(id_).id}")
        if not confirm and not dismiss:
            waiting = workspace.review()
            show_entries(console(), waiting, origins=True)
            if not waiting:
                click.echo("nothing waits for review", err=True)


COMMANDS = {"review": review}
