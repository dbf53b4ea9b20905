"""How is what several conversations say consolidated by hand? As one step, and back again."""

from __future__ import annotations

import click

from remem.cli.group import At
from remem.cli.opening import opened
from remem.cli.refresh import telling
from remem.cli.wording import counted
from remem.maintenance.consolidation.result import Consolidated, TakenBack
from remem.recall.answer import answer_text
from remem.workspace.learning import ACROSS


@click.command()
@click.option(
    "--days", type=click.IntRange(1, 3650), default=ACROSS, show_default=True, help="How far back."
)
@click.option("--explain", is_flag=True, help="Tell what was left too, and why.")
@click.option("--undo", is_flag=True, help="Take the last consolidation back.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_obj
def consolidate(at: At, days: int, explain: bool, undo: bool, as_json: bool) -> None:
    """Keep what came back in several conversations.

    What somebody says in two conversations on two days becomes an entry, or makes the entry
    that says it stronger; what is about somebody or something that is known becomes a fact, or
    confirms one. Statements that cannot both hold are told with their places, and left to you.
    What is new in conversations and notes is read first, as by `remem heartbeat`. Each run is
    one step: --undo takes the last one back and leaves alone what has changed since.

    \b
    remem consolidate --explain
    remem consolidate --undo
    """
    if undo and explain:
        raise click.UsageError("--undo and --explain exclude each other.")
    with opened(at) as workspace, telling() as tell:
        result: Consolidated | TakenBack
        if undo:
            result = workspace.undo_consolidation()
        else:
            result = workspace.consolidate(
                days,
                explain=explain,
                progress=lambda done, of: tell(f"{done:,} of {counted(of, 'conversation')} read"),
            )
    if as_json:
        click.echo(answer_text(result))
        return
    from remem.cli.screen import show  # rich is slow to import

    show(result)


COMMANDS = {"consolidate": consolidate}
