"""What has nobody needed for long? Low memories that have faded are archived, with notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from remem.cli.group import At
from remem.cli.opening import opened
from remem.errors import InvalidInput
from remem.recall.answer import answer_text

if TYPE_CHECKING:
    from rich.console import Console

    from remem.maintenance.decay.result import Decayed, Faint, Undone

_SHOWN = 20


@click.command()
@click.option("--dry-run", is_flag=True, help="Only show what would be archived.")
@click.option("--explain", is_flag=True, help="Add what is next, when, and what never goes.")
@click.option("--undo", is_flag=True, help="Bring back what the last run archived.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
@click.pass_obj
def decay(at: At, *, dry_run: bool, explain: bool, undo: bool, as_json: bool) -> None:
    """Archive low memories that nobody used for long.

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
        raise InvalidInput("--undo stands alone", hint="`remem decay --undo`")
    with opened(at) as workspace:
        done = workspace.undo_decay() if undo else workspace.decay(dry_run=dry_run, explain=explain)
    if as_json:
        click.echo(answer_text(done))
        return
    from remem.cli.screen import console  # rich is slow to import
    from remem.maintenance.decay.result import Decayed

    if isinstance(done, Decayed):
        _show(console(), done, explain=explain)
    else:
        _show_undone(console(), done)


def _show(out: Console, done: Decayed, *, explain: bool) -> None:
    from remem.cli.screen import visible
    from remem.cli.wording import counted

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


def _list(out: Console, faint: tuple[Faint, ...]) -> None:
    from remem.cli.screen import visible

    for each in faint[:_SHOWN]:
        left = f"{each.retention:.2f} left, due {each.stale_on}"
        out.print(visible(f"  {each.id}  {left}  {each.content}"))
        out.print(visible(f"      {each.reason}, reinforced {each.reinforced - 1} times"))
    if len(faint) > _SHOWN:
        out.print(f"  and {len(faint) - _SHOWN} more")


def _show_undone(out: Console, undone: Undone) -> None:
    if not undone.revived:
        out.print("nothing had faded")
        return
    out.print(f"back, of {undone.run}: {', '.join(undone.revived)}")


COMMANDS = {"decay": decay}
