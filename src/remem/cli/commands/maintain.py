"""How is all due work done, now or by itself? With a report; a timer is shown before it is set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from remem.cli.group import At
from remem.cli.opening import existing
from remem.cli.wording import counted
from remem.errors import InvalidInput, NotAllowed
from remem.recall.answer import answer_text

if TYPE_CHECKING:
    from remem.clinic.maintain import Maintained, Step

_KINDS = ("systemd", "launchd", "cron")


@click.command()
@click.option("--only", multiple=True, metavar="WORK", help="Do this work, due or not.")
@click.option("--all", "every", is_flag=True, help="Do all work, due or not.")
@click.option("--install", is_flag=True, help="Let this machine run it every day.")
@click.option("--uninstall", is_flag=True, help="Take that back.")
@click.option("--with", "kind", type=click.Choice(_KINDS), help="What keeps the time.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@click.option("--yes", is_flag=True, help="Install without asking.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.pass_obj
def maintain(
    at: At,
    /,
    *,
    only: tuple[str, ...],
    every: bool,
    install: bool,
    uninstall: bool,
    kind: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Do all the work that is due, over the whole workspace.

    In main and then in every group and direct chat: heartbeat, consolidate, synthesize, decay,
    refresh, vectors, and what an interrupted flush has left. Some of it is due every day, some
    every week; what is not due is left alone. Whatever is cut short goes on the next time. With
    --install a systemd timer, a launchd agent or a line of cron does it every day.

    \b
    remem maintain
    remem maintain --only decay --json
    remem maintain --install
    """
    if at.session != "main":
        raise NotAllowed("maintain is the owner's, over the whole workspace", hint="omit --session")
    layout = existing(at)
    if install or uninstall:
        if install and uninstall:
            raise InvalidInput("--install and --uninstall exclude each other", hint="choose one")
        from remem.cli.schedule import change_schedule

        change_schedule(layout, kind, install=install, dry_run=dry_run, yes=yes)
        return
    from remem.clinic.maintain import maintain as do_due_work
    from remem.clinic.maintain.run import Wish

    wish = Wish(only, every, dry_run)
    done = do_due_work(layout, wish, tell=lambda step: click.echo(step, err=True))
    if as_json:
        click.echo(answer_text(done))
    else:
        _show(done)
    if not done.well:
        raise click.exceptions.Exit(1)


def _show(done: Maintained) -> None:
    from remem.cli.screen import console, visible  # rich is slow to import

    out = console()
    if done.busy:
        out.print("another run is under way; nothing was done")
        return
    rows = [("scope", "work", "due", "state", "what came of it"), *map(_row, done.steps)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        told = "  ".join(f"{text:<{width}}" for text, width in zip(row[:4], widths, strict=True))
        out.print(visible(f"{told}  {row[4]}".rstrip()))
    failed = sum(each.state == "failed" for each in done.steps)
    finished = sum(each.state == "done" for each in done.steps)
    out.print(
        f"{counted(finished, 'piece of work', 'pieces of work')} done"
        + (f", {failed} failed" if failed else "")
    )


def _row(step: Step) -> tuple[str, str, str, str, str]:
    """A step that was not done says when it last was."""
    last = f"last done {step.last}" if step.last else "never done"
    what = last if step.state in ("due", "not due") else step.what
    return step.scope, step.work, step.often, step.state, what


COMMANDS = {"maintain": maintain}
