"""Command `audit`: shows what the memory costs, applies recommendations and undoes them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import click
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from remem.admin.audit.result import (
    Audit,
    Contradiction,
    Cost,
    Duplicate,
    NoiseLine,
    Recommendation,
    Stale,
)
from remem.app.tools.declare import arguments
from remem.app.tools.table import tool_named, tool_texts
from remem.app.workspace import Workspace
from remem.cli.commands.tools import COMMANDS as TOOL_COMMANDS
from remem.cli.main import At
from remem.cli.opening import counted, opened
from remem.files.edit_journal import Undone
from remem.files.private_paths import hide_paths
from remem.model.host_loading import EVERY
from remem.search.answer.answer import answer_text

_BAR: Final = 30
_LABEL: Final = 40
_ROWS: Final = 12
_SHOWN: Final = 5
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


def show_audit(out: Console, audit: Audit) -> None:
    if audit.headline is not None:
        out.print(Text(audit.headline.text, "bold"))
        out.print()
    _chart(out, audit.analysis.breakdown, audit.analysis.total_tokens)
    left = audit.left_out
    _section(
        out, "said twice", map(_duplicate, audit.analysis.duplicates), left.get("duplicates", 0)
    )
    _section(
        out, "contradictions", map(_clash, audit.contradictions), left.get("contradictions", 0)
    )
    _section(out, "noise", map(_noise, audit.noise), left.get("noise", 0))
    _section(out, "not seen for 30 days", map(_stale, audit.stale), left.get("stale", 0))
    if audit.recommendations is None:
        out.print(Text("\nremem audit --recommend says what to do about it", "dim"))
    else:
        _recommendations(out, audit.recommendations)
    for note in audit.notes:
        out.print(Text(f"note: {_clear(note)}", "yellow"))


def _chart(out: Console, costs: tuple[Cost, ...], total: int) -> None:
    """What every conversation pays first; each group has a scale of its own."""
    every = [cost for cost in costs if cost.category.endswith(EVERY)]
    rest = [cost for cost in costs if not cost.category.endswith(EVERY)]
    for title, group, style in (("in every conversation", every, "cyan"), ("besides", rest, "dim")):
        if group:
            out.print(
                Text(f"{title}: {counted(sum(cost.tokens for cost in group), 'token')}", "bold")
            )
            _bars(out, group, style)
    if every and rest:
        out.print(f"together: {counted(total, 'token')}")


def _bars(out: Console, costs: list[Cost], style: str) -> None:
    largest = max(cost.tokens for cost in costs)
    for cost in costs[:_ROWS]:
        figures = f" {cost.tokens:>8,}  {cost.percentage:>5.1f} %  {cost.category}"
        bar = (_bar(cost.tokens / largest), style)
        out.print(Text.assemble(f"  {_fitted(_clear(cost.source))} ", bar, figures))
    if more := costs[_ROWS:]:
        tokens = sum(cost.tokens for cost in more)
        out.print(f"  {_fitted(f'{len(more)} more')} {' ' * _BAR} {tokens:>8,}")


def _bar(share: float) -> str:
    eighths = max(1, round(share * _BAR * 8))
    whole, part = divmod(eighths, 8)
    return f"{'█' * whole}{_EIGHTHS[part] if part else ''}".ljust(_BAR)


def _fitted(text: str) -> str:
    """The text in as many columns as every label gets; some characters take two."""
    return set_cell_size(text if cell_len(text) <= _LABEL else f"{text[: _LABEL - 1]}…", _LABEL)


def _section(out: Console, title: str, lines: Iterable[str], left_out: int) -> None:
    found = list(lines)
    if not found:
        return
    number = len(found) + left_out
    out.print(Text(f"\n{title}: {number}", "bold"))
    for line in found[:_SHOWN]:
        out.print(f"  {line}")
    if number > _SHOWN:
        out.print(Text(f"  and {number - _SHOWN} more; --json lists them", "dim"))


def _recommendations(out: Console, found: tuple[Recommendation, ...]) -> None:
    if not found:
        out.print("\nthere is nothing to recommend")
        return
    out.print(Text("\nrecommendations", "bold"))
    for recommendation in found:
        how = (
            f"remem audit --apply {recommendation.number}" if recommendation.applies else "by hand"
        )
        out.print(f"  {recommendation.number}. {_clear(recommendation.description)}")
        out.print(Text(f"     {_saved(recommendation)}risk {recommendation.risk}; {how}", "dim"))


def _saved(each: Recommendation) -> str:
    if not each.estimated_savings_tokens:
        return ""
    about = "" if each.applies else "about "
    return f"saves {about}{counted(each.estimated_savings_tokens, 'token')}; "


def _duplicate(each: Duplicate) -> str:
    places = " and ".join(each.sources)
    return _clear(f"{each.kind} {each.similarity:.2f}  {places}: {each.content_b}")


def _clash(each: Contradiction) -> str:
    first, second = each.sources
    return _clear(f"{first}: {each.content_a} | {second}: {each.content_b} | {each.verdict}")


def _noise(each: NoiseLine) -> str:
    return _clear(f"{each.source}: {each.content} ({each.reason})")


def _stale(each: Stale) -> str:
    entries = counted(each.entries, "entry", "entries")
    return _clear(
        f"{each.domain}: {entries}, {counted(each.tokens, 'token')}, last {each.last_access}"
    )


def _clear(text: str) -> str:
    from remem.cli.terminal import visible

    return visible(text)


_APPLY: Final = click.Option(
    ["--apply", "number"],
    metavar="NUMBER",
    type=click.IntRange(min=1),
    help="Carry out one recommendation, after showing its diff.",
)
_UNDO: Final = click.Option(
    ["--undo"], is_flag=True, help="Take back what was applied last; edits made since stay."
)
_YES: Final = click.Option(["--yes"], is_flag=True, help="Apply without asking.")
_SLOW: Final = 1.0


@click.pass_obj
def _run(
    at: At, /, as_json: bool, number: int | None, undo: bool, yes: bool, **values: Any
) -> None:
    if number is not None and undo:
        raise click.UsageError("--apply and --undo exclude each other.")
    changing = number is not None or undo
    given = {name: value for name, value in values.items() if value}
    if changing and (as_json or given):
        raise click.UsageError("--apply and --undo take no other option than --yes.")
    with opened(at) as workspace:
        if undo:
            click.echo(undone_told(workspace.audit_undo()))
        elif number is not None:
            _apply(workspace, number, yes)
        else:
            _show(workspace, given, as_json)


def _show(workspace: Workspace, given: dict[str, Any], as_json: bool) -> None:
    checked = arguments(tool_named("memory_audit"), given)
    with _telling() as tell:
        found = workspace.audit(**checked, tools=tool_texts(workspace.profile), progress=tell)
    result = hide_paths(found, workspace.private_places)
    if as_json:
        click.echo(answer_text(result))
        return
    from remem.cli.render import show  # rich is slow to import

    show(result)


def _apply(workspace: Workspace, number: int, yes: bool) -> None:
    from remem.cli.terminal import visible

    with _telling() as tell:
        proposal = workspace.audit_proposal(number, tell)
    click.echo(visible(proposal.diff))
    if not yes and not click.confirm("Change the file like this?", err=True):
        click.echo("nothing was changed", err=True)
        raise click.exceptions.Exit(1)
    done = workspace.audit_apply(proposal)
    click.echo(visible(f"done: {done.description}"))
    click.echo(f"tokens saved: {done.measured:,} measured, {done.claimed:,} promised")
    click.echo(
        f"the earlier bytes are in {done.kept}; `remem audit --undo` brings them back", err=True
    )


def undone_told(undone: Undone) -> str:
    how = {
        "restored": f"{undone.path} is byte for byte what it was",
        "merged": f"{undone.path} has its lines again, and your edits since then",
        "already": f"{undone.path} had not been changed, or is back already",
    }
    return f"{how[undone.how]} (undone: {undone.description})"


@contextmanager
def _telling() -> Iterator[Callable[[str], None]]:
    """What is being done, on stderr, once it takes longer than a second and somebody watches."""
    began, shown = time.monotonic(), False

    def tell(step: str) -> None:
        nonlocal shown
        if sys.stderr.isatty() and time.monotonic() - began > _SLOW:
            click.echo(f"\r\x1b[K{step} …", nl=False, err=True)
            shown = True

    yield tell
    if shown:
        click.echo("\r\x1b[K", nl=False, err=True)


_TOOL: Final = TOOL_COMMANDS["audit"]
COMMANDS: Final = {
    "audit": click.Command(
        "audit", callback=_run, params=[*_TOOL.params, _APPLY, _YES, _UNDO], help=_TOOL.help
    )
}
