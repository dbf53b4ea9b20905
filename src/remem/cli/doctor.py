"""What ails the workspace? Every scope is looked at; with --repair, mended."""

from __future__ import annotations

import click

from remem.cli.group import At
from remem.clinic.doctor import Diagnosis, examine_workspace
from remem.errors import NotAllowed
from remem.maintenance.doctor import Finding
from remem.notes.layout import Layout
from remem.recall.answer import answer_text
from remem.wiring import find_workspace


@click.command()
@click.option("--repair", is_flag=True, help="Mend what can be mended; the old is kept.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON object.")
@click.pass_obj
def doctor(at: At, repair: bool, as_json: bool) -> None:
    """Find out what ails the workspace, and mend it.

    Databases down to each record, full text, vectors, the files that are made from them,
    settings, permissions and leftovers, in main, every group and every direct chat. With
    --repair a damaged database is built anew beside the old one, compared with it, and put in
    its place; the old one is kept. The exit status is 1 while something is wrong.

    \b
    remem doctor
    remem doctor --repair
    """
    if at.session != "main":
        raise NotAllowed("doctor is the owner's, over the whole workspace", hint="omit --session")
    layout = Layout(find_workspace(at.workspace))
    found = examine_workspace(layout, repair=repair, tell=lambda step: click.echo(step, err=True))
    if as_json:
        click.echo(answer_text(found))
    else:
        _show(found)
    if not found.well:
        raise click.exceptions.Exit(1)


def _show(found: Diagnosis) -> None:
    from remem.cli.screen import console, visible  # rich is slow to import

    out = console()
    for each in found.findings:
        out.print(visible(_line(each)))
        out.print(visible(f"    means: {each.meaning}\n    mends: {each.repair}"))
    for done in found.repairs:
        out.print(visible(f"done  {done}"))
    if found.repairs:
        for each in found.remaining:
            out.print(visible(f"left  {_line(each)}"))
    if found.well:
        out.print("all is well" if not found.remaining else "the memory is well")


def _line(each: Finding) -> str:
    where = f"{each.scope}: {each.part}" if each.scope else each.part
    return f"{each.severity:<6}  {where}: {each.what}"


COMMANDS = {"doctor": doctor}
