"""Commands `maintain` and `decay`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from remem.cli.main import At
from remem.cli.opening import counted, existing, opened
from remem.errors import InvalidInput, NotAllowed
from remem.search.answer.answer import answer_text

if TYPE_CHECKING:
    from rich.console import Console

    from remem.entries.reinforcement import DecayReport, FadingEntry, UndoneDecay
    from remem.ops.maintain import MaintenanceReport, Step


_KINDS = ("systemd", "cron")


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
    """Run all maintenance that is due, for the whole workspace.

    In main and then in every group and direct chat: heartbeat, consolidate, synthesize, decay,
    refresh, vectors, and what an interrupted flush has left. Some of it is due every day, some
    every week; what is not due is left alone. Whatever is cut short goes on the next time. With
    --install a systemd timer or a line in the crontab does it every day.

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
        from remem.cli.commands.connect import change_schedule

        change_schedule(layout, kind, install=install, dry_run=dry_run, yes=yes)
        return
    from remem.ops.maintain import MaintainOptions
    from remem.ops.maintain import maintain as do_due_work

    wish = MaintainOptions(only, every, dry_run)
    done = do_due_work(layout, wish, progress=lambda step: click.echo(step, err=True))
    if as_json:
        click.echo(answer_text(done))
    else:
        _show(done)
    if not done.healthy:
        raise click.exceptions.Exit(1)


def _show(done: MaintenanceReport) -> None:
    from remem.cli.terminal import console, visible

    out = console()
    if done.busy:
        out.print("another run is under way; nothing was done")
        return
    rows = [("scope", "work", "due", "state", "what came of it"), *map(_row, done.steps)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        columns = "  ".join(f"{text:<{width}}" for text, width in zip(row[:4], widths, strict=True))
        out.print(visible(f"{columns}  {row[4]}".rstrip()))
    failed = sum(step.state == "failed" for step in done.steps)
    finished = sum(step.state == "done" for step in done.steps)
    out.print(
        f"{counted(finished, 'piece of work', 'pieces of work')} done"
        + (f", {failed} failed" if failed else "")
    )


def _row(step: Step) -> tuple[str, str, str, str, str]:
    """A step that was not done says when it last was."""
    last = f"last done {step.last}" if step.last else "never done"
    what = last if step.state in ("due", "not due") else step.what
    return step.scope, step.work, step.often, step.state, what


_MAINTAIN = {"maintain": maintain}


_SHOWN = 20


@click.command()
@click.option("--dry-run", is_flag=True, help="Only show what would be archived.")
@click.option("--explain", is_flag=True, help="Add what is next, when, and what never goes.")
@click.option("--undo", is_flag=True, help="Bring back what the last run archived.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
@click.pass_obj
def decay(at: At, *, dry_run: bool, explain: bool, undo: bool, as_json: bool) -> None:
    """Archive low-priority memories that have not been used for long.

    A memory fades with the logarithm of the days that it lies idle, more slowly the more often
    it was used. That changes its place among its neighbours. Only one of low priority is
    archived, after 210 idle days at the earliest; critical ones and instructions never fade.
    Recall still finds it where nothing else answers; reading its id or `remem reinforce`
    brings it back.

    \b
    remem decay --dry-run --explain
    remem decay
    remem decay --undo
    """
    if undo and (dry_run or explain):
        raise InvalidInput("--undo takes no other options", hint="`remem decay --undo`")
    with opened(at) as workspace:
        done = workspace.undo_decay() if undo else workspace.decay(dry_run=dry_run, explain=explain)
    if as_json:
        click.echo(answer_text(done))
        return
    from remem.cli.terminal import console
    from remem.entries.reinforcement import DecayReport

    if isinstance(done, DecayReport):
        _decay_show(console(), done, explain=explain)
    else:
        _show_undone(console(), done)


def _decay_show(out: Console, done: DecayReport, *, explain: bool) -> None:
    from remem.cli.opening import counted
    from remem.cli.terminal import visible

    verb = "would be archived" if done.dry_run else "archived"
    out.print(f"{counted(len(done.archived), 'memory', 'memories')} {verb}")
    _list(out, done.archived)
    if done.revived:
        out.print(f"{done.revived} came back: the clock had been wrong")
    if done.uses_found:
        out.print(f"{counted(done.uses_found, 'use')} found in conversations")
    if explain:
        out.print(f"{counted(len(done.upcoming), 'low memory', 'low memories')} not stale yet")
        _list(out, done.upcoming)
        for why, count in done.kept.items():
            never = "never fade" if why in ("critical", "instruction") else "are never archived"
            out.print(f"{count} {why}: {never}")
    for note in done.notes:
        out.print(visible(f"note: {note}"))


def _list(out: Console, faint: tuple[FadingEntry, ...]) -> None:
    from remem.cli.terminal import visible

    for candidate in faint[:_SHOWN]:
        left = f"{candidate.retention:.2f} left, due {candidate.stale_on}"
        out.print(visible(f"  {candidate.id}  {left}  {candidate.content}"))
        out.print(visible(f"      {candidate.reason}, reinforced {candidate.reinforced - 1} times"))
    if len(faint) > _SHOWN:
        out.print(f"  and {len(faint) - _SHOWN} more")


def _show_undone(out: Console, undone: UndoneDecay) -> None:
    if not undone.revived:
        out.print("nothing had faded")
        return
    out.print(f"back, of {undone.run}: {', '.join(undone.revived)}")


_DECAY = {"decay": decay}


COMMANDS: Final = {**_MAINTAIN, **_DECAY}
