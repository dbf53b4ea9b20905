"""Command `graduate`: lists candidates for MEMORY.md; the owner applies or declines them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import click

from remem.app.workspace import Workspace
from remem.cli.commands.audit import undone_told
from remem.cli.commands.refresh import telling
from remem.cli.main import At
from remem.cli.opening import counted, opened
from remem.learn.graduate.result import Graduation
from remem.search.answer.answer import answer_text

_EVIDENCE: Final = 4


@click.command()
@click.option("--apply", "apply", metavar="ID", multiple=True, help="Write it. May be repeated.")
@click.option("--decline", metavar="ID", multiple=True, help="Never again. May be repeated.")
@click.option("--undo", is_flag=True, help="Take back what was applied last; edits since stay.")
@click.option("--explain", is_flag=True, help="Tell of everything else why it is not proposed.")
@click.option("--yes", is_flag=True, help="Apply without asking.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_obj
def graduate(
    at: At,
    *,
    apply: tuple[str, ...],
    decline: tuple[str, ...],
    undo: bool,
    explain: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Propose lines for MEMORY.md.

    What was said in notes and facts on several days, is used, or was corrected once and stayed,
    and is a rule, a preference, a decision or a lesson. Without an option it lists the proposals
    with their reasons and where they were said. --apply writes into MEMORY.md, in its own shape,
    after showing how. What is declined does not come back.

    \b
    remem graduate
    remem graduate --apply grad-1a2b3c4d --decline grad-5e6f7a8b
    remem graduate --undo
    """
    if undo and (apply or decline):
        raise click.UsageError("--undo excludes --apply and --decline.")
    if as_json and apply and (decline or not yes):
        raise click.UsageError("--json with --apply needs --yes, and takes no --decline.")
    with opened(at) as workspace:
        if undo:
            taken = workspace.graduate_undo()
            click.echo(answer_text(taken) if as_json else undone_told(taken))
        if decline:
            _decline(workspace, decline, as_json)
        if apply:
            _apply(workspace, apply, yes, as_json)
        if not (undo or apply or decline):
            with telling() as tell:
                found = workspace.graduate(explain=explain, progress=tell)
            _say(answer_text(found) if as_json else "\n".join(_told(found)), as_json)


def _decline(workspace: Workspace, ids: tuple[str, ...], as_json: bool) -> None:
    done = workspace.graduate_decline(ids)
    lines = [f"declined {line.id}: {line.text}" for line in done.declined]
    _say(answer_text(done) if as_json else "\n".join(lines), as_json)


def _apply(workspace: Workspace, ids: tuple[str, ...], yes: bool, as_json: bool) -> None:
    change = workspace.graduation(ids)
    if not as_json:
        _say(change.diff, as_json)
    if not yes and not click.confirm("Change MEMORY.md like this?", err=True):
        click.echo("nothing was changed", err=True)
        raise click.exceptions.Exit(1)
    done = workspace.graduate_apply(change)
    if as_json:
        click.echo(answer_text(done))
        return
    click.echo(f"done: {done.description}")
    click.echo(
        f"the earlier bytes are in {done.kept}; `remem graduate --undo` takes it back", err=True
    )


def _told(found: Graduation) -> Iterator[str]:
    for proposal in found.proposals:
        yield f"{proposal.id}  {proposal.text}"
        yield f"    because: {'; '.join(proposal.reasons)}"
        yield f"    said in: {_listed(proposal.evidence)}"
        yield f"    goes to: {proposal.section}"
        if proposal.contradicts:
            yield f"    but {proposal.contradicts} says otherwise: settle that first"
    for waiting in found.waiting:
        yield f"not {waiting.id}  {waiting.text}"
        yield f"    because: {waiting.why_not}  ({_listed(waiting.evidence)})"
    declined = f", {found.declined} declined" if found.declined else ""
    looked = counted(found.looked_at, "statement")
    yield f"{counted(len(found.proposals), 'proposal')} among {looked}{declined}"


def _listed(places: tuple[str, ...]) -> str:
    more = f" and {len(places) - _EVIDENCE} more" if len(places) > _EVIDENCE else ""
    return ", ".join(places[:_EVIDENCE]) + more


def _say(text: str, as_json: bool) -> None:
    from remem.cli.terminal import visible

    click.echo(text if as_json else visible(text))


COMMANDS = {"graduate": graduate}
