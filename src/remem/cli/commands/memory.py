"""Commands for single memories: store, recall, review, forget and note."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import click

from remem.app.tools.declare import arguments, call
from remem.app.tools.entries import FORGET, RECALL, REINFORCE, STORE
from remem.cli.commands.tools import KEEP, keep_option, tool_command
from remem.cli.opening import CommandTarget, next_step, opened
from remem.cli.terminal import (
    json_option,
    print_json,
    remark,
    respond,
    say,
    say_indented,
    say_notes,
    terminal_width,
    text_argument,
)
from remem.errors import counted

if TYPE_CHECKING:
    from remem.app.workspace import Workspace
    from remem.entries.lifecycle import ForgetReport, ReinforceReport
    from remem.entries.receipt import Receipt
    from remem.learn.daily_note import NoteReceipt
    from remem.model.entry import Entry
    from remem.search.answer.answer import Answer, Recalled
    from remem.search.answer.shared import SharedAnswer

_MAX_ON_TERMINAL: Final = 6
_SIMILAR: Final = "similar"
_GUESSED: Final = "guessed"
_MANY_TOKENS: Final = 1_000


def _store(workspace: Workspace, options: dict[str, Any], *, keep: bool) -> Receipt:
    context = click.get_current_context()
    options["content"] = options["content"].strip("\r\n")
    if "category" not in options:
        from remem.cli.completion import category_of_same

        category = category_of_same(workspace, options["content"])
        if category is None:
            category, context.meta[_GUESSED] = workspace.guess_category(options["content"])
        options["category"] = category
    if keep:
        receipt = workspace.store(keep_secrets=True, **arguments(STORE, options))
    else:
        receipt = cast("Receipt", call(STORE, workspace, options))
    if not (context.params["as_json"] or receipt.deduplicated or receipt.superseded):
        from remem.cli.completion import overlapping_entries

        context.meta[_SIMILAR] = overlapping_entries(workspace, receipt.id, options["content"])
    return receipt


def _show_receipt(receipt: Receipt) -> None:
    if not receipt.stored:
        say(f"not stored: {receipt.reason}")
        return
    if why := click.get_current_context().meta.get(_GUESSED):
        say(f"the category was guessed: {receipt.category} ({why})", err=True)
    outcome = f"stored {receipt.id}"
    if receipt.deduplicated and receipt.version > 1:
        outcome = f"merged into {receipt.id}, version {receipt.version}"
    elif receipt.deduplicated:
        outcome = f"already stored as {receipt.id}"
    say(f"{outcome} ({receipt.category}, {counted(receipt.token_cost, 'token')})")
    for label, values in (
        ("redacted", () if receipt.hint else receipt.redacted),
        ("replaces", receipt.superseded),
    ):
        if values:
            say(f"{label}: {', '.join(values)}")
    if receipt.hint:
        say(receipt.hint)


def _after_store(target: CommandTarget, receipt: Receipt) -> None:
    if not receipt.stored:
        return
    similar: list[str] = click.get_current_context().meta.get(_SIMILAR, [])
    for line in similar:
        say(f"similar: {line}")
    if receipt.token_cost > _MANY_TOKENS:
        remark("it is long: of a file in memory/, recall would give only the passages that matter")
    if similar:
        next_step(target, f"forget {similar[0].split()[0]}", "if it no longer holds")
    else:
        next_step(target, f"edit {receipt.id}", "changes it; -c gives it another category")


def _after_forget(target: CommandTarget, report: ForgetReport) -> None:
    next_step(target, f"history {report.id}", "shows it; storing it again brings it back")


def _after_recall(target: CommandTarget, answer: Answer) -> None:
    if answer.total_entries_matched:
        return
    with opened(target) as workspace:
        is_empty = not workspace.entries(limit=1)
    if is_empty:
        next_step(target, "store 'Something to remember.'", "nothing is stored yet")


def show_answer(answer: Answer | SharedAnswer) -> None:
    """Print an answer, from this session's memory or from shared spaces.

    On a terminal, only the best entries are shown, unless a limit or a budget was given: more lines
    would move them off the screen.
    """
    best = answer.entries[: _max_entries()]
    for entry in best:
        say(_heading(entry), bold=True)
        say_indented(entry.content)
        if entry.context:
            say_indented(f"why stored: {entry.context}", dim=True)
        if entry.version is not None:
            say_indented(_details(entry), dim=True)
        if entry.why:
            signals = sorted(entry.why.items(), key=lambda signal: -abs(signal[1]))
            reasons = " ".join(f"{name}{value:+.2f}" for name, value in signals if round(value, 2))
            say_indented(f"ranked by: {reasons}", dim=True)
    notes = [_with_remedy(note) for note in answer.notes if not note.startswith("keyword only")]
    method = "by words and meaning" if len(notes) == len(answer.notes) else "by words only"
    if not answer.total_entries_matched:
        say(f"nothing found {method}; try other words, or `remem list`")
        say_notes(notes)
        return
    if not answer.entries:
        say("nothing fits into the budget; allow more tokens with --token-budget")
    matches, returned = answer.total_entries_matched, len(answer.entries)
    if len(best) < returned:
        say(
            f"the best {len(best)} of {matches} matches {method}; `-n {returned}` shows more",
            dim=True,
        )
    else:
        budget = answer.token_count + answer.budget_remaining
        tokens = f"{answer.token_count} of {budget} tokens"
        say(f"{returned} of {matches} matches {method}, {tokens}", dim=True)
    say_notes(notes)


def _with_remedy(note: str) -> str:
    """Return a note of an answer with the command that helps, if there is one."""
    remedy = "; `remem refresh --vectors` embeds them now" if "not embedded yet" in note else ""
    return note + remedy


def _max_entries() -> int | None:
    """Return how many entries of an answer are printed; None means all of them."""
    params = click.get_current_context().params
    if terminal_width() is None or params.get("limit") or params.get("token_budget"):
        return None
    return _MAX_ON_TERMINAL


def _heading(entry: Recalled) -> str:
    space, author = getattr(entry, "space", ""), getattr(entry, "author", "")
    parts = [
        f"{entry.score:.2f}  {entry.id}  {entry.category}",
        f"in {space} by {author}" if space else "",
        entry.priority if entry.priority != "medium" else "",
        entry.trust if entry.trust == "untrusted" else "",
        "earlier" if entry.earlier else "",
        "shortened" if entry.truncated else "",
        "archived" if entry.archived else "",
        f"replaced by {entry.superseded_by}" if entry.superseded_by else "",
        f"possibly outdated: {entry.possibly_outdated} was replaced"
        if entry.possibly_outdated
        else "",
        *(f"#{tag}" for tag in entry.tags),
    ]
    return "  ".join(part for part in parts if part)


def _details(entry: Recalled) -> str:
    parts = [
        f"version {entry.version}",
        f"stored {entry.stored_at}",
        f"changed {entry.updated_at}" if entry.updated_at != entry.stored_at else "",
        f"expires {entry.expires_at}" if entry.expires_at else "",
        f"trust {entry.trust}" if entry.trust else "",
        f"related to {', '.join(entry.related_to)}" if entry.related_to else "",
    ]
    return ", ".join(part for part in parts if part)


def _show_forgotten(report: ForgetReport) -> None:
    say(f"archived {report.id}, version {report.version}")


def _show_reinforced(report: ReinforceReport) -> None:
    restored = "restored and " if report.revived else ""
    times = counted(report.strength + report.uses - 1, "time")
    until = f"; unused, it would be archived on {report.stale_on}" if report.stale_on else ""
    say(f"{report.id} {restored}reinforced, {times} in total{until}")


@click.command()
@click.argument("text", nargs=-1)
@keep_option
@json_option
@click.pass_obj
def note(target: CommandTarget, text: tuple[str, ...], keep: bool, as_json: bool) -> None:
    """Append a line to today's note.

    TEXT goes to the end of memory/YYYY-MM-DD.md, in the style of that note. If it is `-`, or
    missing in a pipe, it is read from standard input. Notes are never rewritten. Secrets are
    masked; --keep writes the text as it is.

    \b
    remem note "Called the plumber; coming on Friday."
    git log -1 --format=%s | remem note
    """
    content = text_argument(" ".join(text) if text else None, "text")
    with opened(target) as workspace:
        respond(workspace.note(content, keep_secrets=keep), as_json, _show_note)
    next_step(target, "search WORDS", "finds it", quiet=as_json)


def _show_note(receipt: NoteReceipt) -> None:
    masked = f" (redacted: {', '.join(receipt.redacted)})" if receipt.redacted else ""
    say(f"noted in {receipt.path}, line {receipt.start}{masked}")


@click.command()
@click.option(
    "--confirm", metavar="ID", multiple=True, help="Confirm it as your own. May be repeated."
)
@click.option("--dismiss", metavar="ID", multiple=True, help="Archive it. May be repeated.")
@click.option(
    "--replaces", metavar="NEW OLD", nargs=2, help="The newer statement replaces the older one."
)
@click.option("--both", metavar="NEW OLD", nargs=2, help="Both statements are true.")
@json_option
@click.pass_obj
def review(
    target: CommandTarget,
    *,
    confirm: tuple[str, ...],
    dismiss: tuple[str, ...],
    replaces: tuple[str, str] | None,
    both: tuple[str, str] | None,
    as_json: bool,
) -> None:
    """Confirm or dismiss memories that are waiting for review.

    These are memories whose source is not trusted, such as text that may have been pasted into a
    message; agents do not see them unless they ask for them. Without options, they are listed with
    their origin, the reason for the doubt, and the category and priority that each gets when you
    confirm it. Also listed are entities that may be the same, statements that may replace others,
    and memories that build on a replaced one.

    \b
    remem review
    remem review --confirm mem-3f8k2m1q --dismiss mem-9w2x7c4d
    """
    with opened(target) as workspace:
        if as_json:
            print_json(workspace.review())
            return
        for id_ in confirm:
            say(f"confirmed {workspace.confirm(id_).id}")
        for id_ in dismiss:
            say(f"dismissed {workspace.dismiss(id_).id}")
        if replaces:
            workspace.graph.settle(*replaces, replaces=True)
            say(f"{replaces[0]} replaces {replaces[1]}")
        if both:
            workspace.graph.settle(*both, replaces=False)
            say(f"{both[0]} and {both[1]} are both true")
        if confirm or dismiss or replaces or both:
            next_step(target, "review", "lists those that are still waiting")
        elif not _show_review(target, workspace):
            say("nothing is waiting for review", err=True)


def _show_review(target: CommandTarget, workspace: Workspace) -> bool:
    """Print everything that the owner should decide, and return whether there was anything."""
    waiting = workspace.review()
    same_entities = workspace.facts.entities().same or () if workspace.scope.kind == "main" else ()
    conflicts, outdated = workspace.graph.conflicts(), workspace.graph.outdated()
    for entry in waiting:
        _show_waiting(entry)
    for conflict in conflicts:
        say(f"{conflict.newer.id} may replace {conflict.older.id}", bold=True)
        say_indented(conflict.newer.content)
        say_indented(conflict.older.content, dim=True)
    for entry, base in outdated:
        say(f"{entry.id} may be outdated: {base} was replaced", bold=True)
        say_indented(entry.content)
    same_names = workspace.graph.same_names()
    if same_entities or same_names:
        from remem.cli.commands.facts import show_same_name

        for pair in same_entities:
            show_same_name(pair)
        for pair in same_names:
            show_same_name(pair, "graph")
    if waiting:
        next_step(target, f"review --confirm {waiting[0].id}", "or --dismiss, with its id")
    elif conflicts:
        ids = f"{conflicts[0].newer.id} {conflicts[0].older.id}"
        next_step(target, f"review --replaces {ids}", "or --both, if both are true")
    elif outdated:
        next_step(target, f"edit {outdated[0][0].id}", "if it is outdated")
    return bool(waiting or same_entities or same_names or conflicts or outdated)


def _show_waiting(entry: Entry) -> None:
    kind = entry.category if entry.priority == "medium" else f"{entry.category}  {entry.priority}"
    say(f"{entry.id}  {kind}  {entry.created_at}", bold=True)
    say_indented(entry.content)
    for origin in entry.origins:
        line = f", line {origin.position}" if origin.position is not None else ""
        say_indented(f"from {origin.source}{line}", dim=True)
    if entry.context:
        say_indented(entry.context, fg="yellow")


COMMANDS: Final = {
    "store": tool_command(
        STORE,
        _show_receipt,
        failed=lambda receipt: not receipt.stored,
        run=_store,
        then=_after_store,
        options=(KEEP,),
        optional=("category",),
    ),
    "recall": tool_command(
        RECALL, show_answer, degraded=lambda answer: answer.notes, then=_after_recall
    ),
    "forget": tool_command(FORGET, _show_forgotten, then=_after_forget),
    "reinforce": tool_command(
        REINFORCE,
        _show_reinforced,
        then=lambda target, report: next_step(target, f"recall {report.id}", "reads it"),
    ),
    "note": note,
    "review": review,
}
