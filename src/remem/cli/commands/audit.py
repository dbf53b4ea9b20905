"""Commands that propose changes to MEMORY.md: audit and graduate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from remem.app.tools.declare import arguments
from remem.app.tools.table import AUDIT, tool_texts
from remem.cli.commands.tools import is_option_given, make_command
from remem.cli.opening import CommandTarget, next_step, opened
from remem.cli.questions import approval, nothing_changed
from remem.cli.terminal import (
    fitted,
    json_option,
    progress,
    respond,
    say,
    say_notes,
    styled,
    terminal_width,
    visible,
    yes_option,
)
from remem.errors import counted, listed
from remem.model.entry import is_entry_id

if TYPE_CHECKING:
    from remem.admin.audit.result import Audit, Cost, Recommendation
    from remem.app.workspace import Workspace
    from remem.files.edit_journal import UndoneChange
    from remem.learn.graduate.result import Graduation

_BAR_WIDTH: Final = 30
_LABEL_WIDTH: Final = 40
_FIGURES_WIDTH: Final = 20
_CATEGORY_WIDTH: Final = 34
_MAX_BARS: Final = 12
_MAX_ITEMS: Final = 5
_MAX_PLACES: Final = 4
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


def _audit(
    target: CommandTarget,
    /,
    as_json: bool,
    number: int | None,
    undo: bool,
    yes: bool,
    **values: Any,
) -> None:
    if number is not None and undo:
        raise click.UsageError("--apply and --undo are mutually exclusive.")
    options = {name: value for name, value in values.items() if is_option_given(value)}
    if (number is not None or undo) and (as_json or options):
        raise click.UsageError("--apply and --undo can only be combined with --yes.")
    from remem.files.private_paths import hide_paths

    with opened(target) as workspace:
        if undo:
            _show_undone(workspace.recommendations.undo())
        elif number is not None:
            _apply_recommendation(workspace, number, yes)
        else:
            parameters = arguments(AUDIT, options)
            with progress() as report:
                audit = workspace.audit(
                    **parameters, tools=tool_texts(workspace.profile), progress=report
                )
            respond(hide_paths(audit, workspace.private_paths), as_json, _show_audit)


def _apply_recommendation(workspace: Workspace, number: int, yes: bool) -> None:
    with progress() as report:
        proposal = workspace.recommendations.proposal(number, report)
    if not approval("Apply this change?", yes=yes)(proposal.diff):
        nothing_changed(f"remem audit --apply {number} --yes")
    result = workspace.recommendations.apply(proposal)
    say(f"done: {result.description}")
    say(f"tokens saved: {result.measured:,} measured, {result.expected:,} expected")
    say(
        f"the previous version is saved in {result.kept}; `remem audit --undo` restores it",
        err=True,
    )


def _show_undone(report: UndoneChange) -> None:
    outcomes = {
        "restored": f"{report.path} was restored exactly",
        "merged": f"{report.path} was restored; your later edits were kept",
        "already": f"{report.path} had not been changed, or had already been restored",
    }
    say(f"{outcomes[report.how]} (undone: {report.description})")


def _show_audit(audit: Audit) -> None:
    if audit.headline is not None:
        say(f"{audit.headline.text}\n", bold=True)
    _show_costs(audit.analysis.breakdown, audit.analysis.total_tokens)
    duplicates = (
        f"{pair.kind} {pair.similarity:.2f}  {' and '.join(pair.sources)}: {pair.content_b}"
        for pair in audit.analysis.duplicates
    )
    contradictions = (
        f"{first}: {pair.content_a} | {second}: {pair.content_b} | {pair.verdict}"
        for pair in audit.contradictions
        for first, second in [pair.sources]
    )
    noise = (f"{line.source}: {line.content} ({line.reason})" for line in audit.noise)
    stale = (
        f"{group.domain}: {counted(group.entries, 'entry', 'entries')}, "
        f"{counted(group.tokens, 'token')}, last {group.last_access}"
        for group in audit.stale
    )
    _show_list("duplicates", duplicates, audit.left_out.get("duplicates", 0))
    _show_list("contradictions", contradictions, audit.left_out.get("contradictions", 0))
    _show_list("noise", noise, audit.left_out.get("noise", 0))
    _show_list("stale, not seen for 30 days", stale, audit.left_out.get("stale", 0))
    if audit.recommendations is None:
        say("\n`remem audit --recommend` suggests improvements", dim=True)
    else:
        _show_recommendations(audit.recommendations)
        if any(all(map(is_entry_id, pair.sources)) for pair in audit.analysis.duplicates):
            say("`remem curate --topic duplicate` asks which of two entries to keep", dim=True)
    say_notes(audit.notes)


def _show_costs(costs: Sequence[Cost], total: int) -> None:
    """Show the costs of every conversation, then the others; each group has its own scale."""
    from remem.model.host_loading import EVERY_CONVERSATION

    always = [cost for cost in costs if cost.category.endswith(EVERY_CONVERSATION)]
    rest = [cost for cost in costs if not cost.category.endswith(EVERY_CONVERSATION)]
    for title, group, style in (
        ("in every conversation", always, {"fg": "cyan"}),
        ("everything else", rest, {"dim": True}),
    ):
        if group:
            tokens = sum(cost.tokens for cost in group)
            say(f"{title}: {counted(tokens, 'token')}", bold=True)
            _show_bars(group, style)
    if always and rest:
        say(f"total: {counted(total, 'token')}")


def _show_bars(costs: Sequence[Cost], style: dict[str, Any]) -> None:
    """Show each cost with its share of this group."""
    largest = max(cost.tokens for cost in costs)
    total = sum(cost.tokens for cost in costs)
    label_width, bar_width, category_width = _column_widths(terminal_width())
    for cost in costs[:_MAX_BARS]:
        label = fitted(visible(cost.source), label_width)
        bar = styled(_bar(cost.tokens / largest, bar_width), **style)
        figures = f" {cost.tokens:>8,}  {cost.tokens / total:>6.1%}"
        line = f"  {label} {bar}{figures}"
        if category_width:
            line += f"  {fitted(visible(cost.category), category_width).rstrip()}"
        click.echo(line)
    if more := costs[_MAX_BARS:]:
        tokens = sum(cost.tokens for cost in more)
        label = fitted(f"{len(more)} more", label_width)
        say(f"  {label} {' ' * bar_width} {tokens:>8,}", fold=False)


def _column_widths(width: int | None) -> tuple[int, int, int]:
    """Return the widths of the label, the bar and the category in a terminal of this width."""
    if width is None or width >= _LABEL_WIDTH + _BAR_WIDTH + _FIGURES_WIDTH + _CATEGORY_WIDTH:
        return _LABEL_WIDTH, _BAR_WIDTH, _CATEGORY_WIDTH
    if width >= 70:
        return 28, 10, width - 28 - 10 - _FIGURES_WIDTH - 2
    return max(width - _FIGURES_WIDTH, 10), 0, 0


def _bar(share: float, width: int) -> str:
    whole, eighths = divmod(max(1, round(share * width * 8)), 8) if width else (0, 0)
    return f"{'█' * whole}{_EIGHTHS[eighths] if eighths else ''}".ljust(width)


def _show_list(title: str, lines: Iterable[str], left_out: int) -> None:
    listed_lines = list(lines)
    if not listed_lines:
        return
    number = len(listed_lines) + left_out
    say(f"\n{title}: {number}", bold=True)
    for line in listed_lines[:_MAX_ITEMS]:
        say(f"  {line}")
    if number > _MAX_ITEMS:
        in_json = f"the first {len(listed_lines)}" if left_out else "them"
        say(f"  and {number - _MAX_ITEMS} more; --json lists {in_json}", dim=True)


def _show_recommendations(recommendations: Sequence[Recommendation]) -> None:
    if not recommendations:
        say("\nthere is nothing to recommend")
        return
    say("\nrecommendations", bold=True)
    for item in recommendations:
        saving = ""
        if item.estimated_savings_tokens:
            about = "" if item.applies else "about "
            saving = f"saves {about}{counted(item.estimated_savings_tokens, 'token')}; "
        command = f"remem audit --apply {item.number}" if item.applies else "by hand"
        say(f"  {item.number}. {item.description}")
        say(f"     {saving}risk {item.risk}; {command}", dim=True)


@click.command()
@click.option(
    "--apply",
    "apply",
    metavar="ID",
    multiple=True,
    help="Write this proposal to MEMORY.md. May be repeated.",
)
@click.option(
    "--decline",
    metavar="ID",
    multiple=True,
    help="Do not make this proposal again. May be repeated.",
)
@click.option("--undo", is_flag=True, help="Undo the last change; later edits are kept.")
@click.option("--explain", is_flag=True, help="Also list lines that are not proposed, and why.")
@yes_option
@json_option
@click.pass_obj
def graduate(
    target: CommandTarget,
    *,
    apply: tuple[str, ...],
    decline: tuple[str, ...],
    undo: bool,
    explain: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Propose lines for MEMORY.md.

    Candidates are rules, preferences, decisions and lessons that appear in notes or facts on
    several days, that were used, or that were corrected once and have not changed since. Without
    options, the proposals are listed with their reasons and sources. --apply writes them to
    MEMORY.md, in the style of the file, after showing the change.

    \b
    remem graduate
    remem graduate --apply grad-1a2b3c4d --decline grad-5e6f7a8b
    remem graduate --undo
    """
    if undo and (apply or decline):
        raise click.UsageError("--undo cannot be combined with --apply or --decline.")
    if as_json and apply and (decline or not yes):
        raise click.UsageError(
            "--json with --apply needs --yes and cannot be combined with --decline."
        )
    with opened(target) as workspace:
        if undo:
            respond(workspace.graduation.undo(), as_json, _show_undone)
            next_step(target, "graduate", "lists the proposals again", quiet=as_json)
        if decline:
            respond(
                workspace.graduation.decline(decline),
                as_json,
                lambda done: say(
                    "\n".join(f"declined {line.id}: {line.text}" for line in done.declined)
                ),
            )
        if apply:
            _apply_graduation(workspace, apply, yes, as_json)
        if not (undo or apply or decline):
            with progress() as report:
                result = workspace.graduation.propose(explain=explain, progress=report)
            respond(result, as_json, _show_graduation)
            if result.proposals:
                id_ = result.proposals[0].id
                next_step(target, f"graduate --apply {id_}", "or --decline", quiet=as_json)


def _apply_graduation(workspace: Workspace, ids: tuple[str, ...], yes: bool, as_json: bool) -> None:
    change = workspace.graduation.change(ids)
    if not approval("Apply this change?", yes=yes)("" if as_json else change.diff):
        nothing_changed(f"remem graduate --apply {' --apply '.join(ids)} --yes")
    result = workspace.graduation.apply(change)
    respond(result, as_json, lambda result: say(f"done: {result.description}"))
    if not as_json:
        say(
            f"the previous version is saved in {result.kept}; `remem graduate --undo` restores it",
            err=True,
        )


def _show_graduation(graduation: Graduation) -> None:
    for proposal in graduation.proposals:
        say(f"{proposal.id}  {proposal.text}")
        say(f"    reasons: {'; '.join(proposal.reasons)}")
        say(f"    sources: {listed(proposal.evidence, _MAX_PLACES)}")
        say(f"    section: {proposal.section}")
        if proposal.contradicts:
            say(f"    {proposal.contradicts} contradicts it; resolve the contradiction first")
    for waiting in graduation.waiting:
        say(f"not proposed: {waiting.id}  {waiting.text}")
        say(f"    reason: {waiting.why_not}  ({listed(waiting.evidence, _MAX_PLACES)})")
    declined = f", {graduation.declined} declined" if graduation.declined else ""
    statements = counted(graduation.looked_at, "statement")
    say(f"{counted(len(graduation.proposals), 'proposal')} among {statements}{declined}")


COMMANDS: Final = {
    "audit": make_command(
        AUDIT,
        _audit,
        [
            click.Option(
                ["--apply", "number"],
                metavar="NUMBER",
                type=click.IntRange(min=1),
                help="Apply one recommendation, after showing its diff.",
            ),
            click.Option(["--yes"], is_flag=True, help="Apply without asking."),
            click.Option(
                ["--undo"],
                is_flag=True,
                help="Undo the last change; later edits are kept.",
            ),
        ],
    ),
    "graduate": graduate,
}
