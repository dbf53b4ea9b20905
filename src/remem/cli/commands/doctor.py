"""Command `doctor`: checks every scope and, with --repair, repairs it."""

from __future__ import annotations

from pathlib import Path

import click

from remem.admin.doctor.findings import Finding
from remem.cli.main import At
from remem.cli.opening import opened, remembering
from remem.errors import NotAllowed
from remem.ops.doctor import Diagnosis, examine_workspace
from remem.search.answer.answer import answer_text


@click.command()
@click.option("--repair", is_flag=True, help="Repair what can be repaired; the old files are kept.")
@click.option(
    "--against",
    metavar="BACKUP",
    type=click.Path(exists=True, path_type=Path),
    help="Compare facts with those of a backup too.",
)
@click.option(
    "--move-chatter",
    is_flag=True,
    help="Move what belongs to a moment from MEMORY.md to the notes of its days.",
)
@click.option("--yes", is_flag=True, help="Move it without asking.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON object.")
@click.pass_obj
def doctor(
    at: At,
    /,
    *,
    repair: bool,
    against: Path | None,
    move_chatter: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Check the workspace and repair problems.

    Databases down to each record, full text, vectors, the files that are made from them,
    settings, permissions and leftovers, in main, every group and every direct chat. With
    --repair a damaged database is rebuilt next to the old one, compared with it, and put in
    its place; the old one is kept. The exit status is 1 while something is wrong.

    It also tells where one layer has taken another's place: lasting statements that stand only
    in daily notes, chatter in MEMORY.md, facts that were rewritten instead of superseded (known
    from remem's own record, git, or the backup that --against names), files that search has not
    read. --repair adds what is missing. MEMORY.md only changes by --move-chatter, which shows
    the change first; `remem audit --undo` takes it back.

    \b
    remem doctor
    remem doctor --repair
    remem doctor --move-chatter
    """
    if at.session != "main":
        raise NotAllowed("doctor is the owner's, over the whole workspace", hint="omit --session")
    layout = remembering(at)
    if move_chatter:
        _move_chatter(at, yes=yes)
        return
    found = examine_workspace(
        layout, repair=repair, progress=lambda step: click.echo(step, err=True), against=against
    )
    if as_json:
        click.echo(answer_text(found))
    else:
        _show(found)
    if not found.healthy:
        raise click.exceptions.Exit(1)


def _move_chatter(at: At, *, yes: bool) -> None:
    from remem.cli.terminal import visible

    with opened(at) as workspace:
        proposal = workspace.chatter_proposal()
        if proposal is None:
            click.echo("MEMORY.md holds nothing of a passing moment")
            return
        click.echo(visible(proposal.diff))
        if not yes and not click.confirm("Change the files like this?", err=True):
            click.echo("nothing was changed", err=True)
            raise click.exceptions.Exit(1)
        kept = workspace.move_chatter(proposal)
    click.echo(f"done: {proposal.change.description}")
    click.echo(
        f"the earlier bytes are in {kept}; `remem audit --undo` brings MEMORY.md back", err=True
    )


def _show(found: Diagnosis) -> None:
    from remem.cli.terminal import console, visible

    out = console()
    for finding in found.findings:
        out.print(visible(_line(finding)))
        out.print(visible(f"    means: {finding.meaning}\n    mends: {finding.repair}"))
    for done in found.repairs:
        out.print(visible(f"done  {done}"))
    if found.repairs:
        for finding in found.remaining:
            out.print(visible(f"left  {_line(finding)}"))
    if found.healthy:
        out.print("all is well" if not found.remaining else "the memory is well")


def _line(each: Finding) -> str:
    where = f"{each.scope}: {each.part}" if each.scope else each.part
    return f"{each.severity:<6}  {where}: {each.what}"


COMMANDS = {"doctor": doctor}
