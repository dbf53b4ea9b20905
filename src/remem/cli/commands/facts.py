"""Commands `fact`, `erase` and `synthesize`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from remem.app.tools.declare import arguments, call
from remem.app.tools.facts import FACT, run_fact
from remem.cli.commands.tools import KEEP, complete_ids, is_option_given, make_command
from remem.cli.opening import CommandTarget, next_step, opened
from remem.cli.questions import confirm, nothing_changed
from remem.cli.terminal import (
    is_piped,
    json_option,
    progress,
    remark,
    respond,
    say,
    say_indented,
    say_notes,
    standard_input,
    yes_option,
)
from remem.errors import counted
from remem.model.arguments import one_of

if TYPE_CHECKING:
    from remem.entries.erase import ErasureReport
    from remem.learn.facts.answers import EntityView, FactAnswer, FactView
    from remem.learn.synthesize.plan import PageResult, Synthesis
    from remem.model.same_name import SameName

_PARAMETERS_BY_ACTION: Final = {
    "record": ("entity", "fact"),
    "supersede": ("id", "fact"),
    "list": ("entity",),
    "history": ("entity",),
    "alias": ("entity",),
    "merge": ("entity", "into"),
    "unmerge": ("entity",),
    "distinct": ("entity", "into"),
}
"""The parameters that the words after an action are for; `alias` takes any number of words."""
_ACTIONS: Final = next(
    parameter.choices for parameter in FACT.parameters if parameter.name == "action"
)


def _fact(
    target: CommandTarget,
    /,
    action: str | None,
    words: tuple[str, ...],
    as_json: bool,
    keep: bool,
    **options: Any,
) -> None:
    if action is None:
        raise click.UsageError("Missing argument 'ACTION'.")
    if keep and action not in ("record", "supersede"):
        raise click.UsageError("--keep can only be used with record and supersede.")
    values = {name: value for name, value in options.items() if is_option_given(value)}
    one_of(action, _ACTIONS, "action")
    values |= _values_of_words(action, words, values)
    if "fact" in _PARAMETERS_BY_ACTION.get(action, ()):
        statement = values.get("fact")
        if statement == "-" or (statement is None and is_piped()):
            values["fact"] = standard_input()
    values["action"] = action
    with opened(target) as workspace:
        result: Any
        if keep:
            result = run_fact(workspace, arguments(FACT, values), keep_secrets=True)
        else:
            result = call(FACT, workspace, values)
    respond(result, as_json, _show_facts)
    if action in ("record", "supersede") and result.facts and not as_json:
        entity = shlex.quote(str(result.facts[0].entity))
        next_step(target, f"fact list {entity}", "shows all known facts")


def _values_of_words(
    action: str, words: tuple[str, ...], options: dict[str, Any]
) -> dict[str, Any]:
    """Return the words after an action, by parameter; parameters set by options are skipped."""
    names = [name for name in _PARAMETERS_BY_ACTION.get(action, ()) if name not in options]
    values: dict[str, Any] = dict(zip(names, words, strict=False))
    rest = words[len(names) :]
    if action == "alias" and rest:
        values["aliases"] = [*options.get("aliases", ()), *rest]
    elif rest:
        raise click.UsageError(f"{action} does not take the word {rest[0]!r}.")
    return values


def _show_facts(answer: FactAnswer) -> None:
    for entity in (*([answer.entity] if answer.entity else []), *(answer.entities or ())):
        _show_entity(entity)
    for fact in answer.facts or ():
        _show_fact(fact)
    _show_outcome(answer)
    _show_open_questions(answer)
    if answer.left_out:
        facts = counted(answer.left_out, "earlier fact is", "earlier facts are")
        say(f"{facts} left out; --limit shows more", dim=True)
    say_notes(answer.notes)


def _show_entity(entity: EntityView) -> None:
    kind = f" ({entity.kind})" if entity.kind else ""
    also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
    merged = f", with {', '.join(entity.merged)}" if entity.merged else ""
    say(f"{entity.name}{kind}{also}{merged}", bold=True)
    active = counted(entity.active, "active fact")
    say(f"    {active}, {entity.superseded} superseded, {entity.id}", dim=True)


def _show_fact(fact: FactView) -> None:
    successor = f" → {fact.superseded_by}" if fact.superseded_by else ""
    head = f"{fact.id}  {fact.timestamp[:10]}  {fact.category}  {fact.status}{successor}"
    say(head, dim=bool(successor), bold=not successor)
    say_indented(fact.fact)


def _show_outcome(answer: FactAnswer) -> None:
    if answer.waiting:
        say(f"stored for review as {answer.waiting}")
    elif answer.known:
        say("already known")
    if answer.superseded:
        say(f"supersedes {answer.superseded.id}: {answer.superseded.fact}")
    if answer.redacted:
        say(f"redacted: {', '.join(answer.redacted)}")
    parts = (answer.facts, answer.entities, answer.entity, answer.contradicts)
    if not any(parts) and not answer.waiting:
        say("nothing found")


def _show_open_questions(answer: FactAnswer) -> None:
    for contradiction in answer.contradicts or ():
        old, new = contradiction.fact, contradiction.by
        say(f"{f'{new.id} ' if new else ''}contradicts {old.id}: {old.fact}", fg="yellow")
        say(f"    {contradiction.rule}; {contradiction.why}", dim=True)
        new = new or next(iter(answer.facts or ()), None)
        if contradiction.supersede and new:
            say(f"    to replace it: remem fact supersede {old.id} {new.fact!r}")
    for pair in answer.same or ():
        show_same_name(pair)
    for fact in answer.similar or ():
        say(f"similar to {fact.id}: {fact.fact}", dim=True)


def show_same_name(pair: SameName, command: str = "fact") -> None:
    """Show two entities or names that may be one, with the commands that decide it."""
    names = shlex.join((pair.entity, pair.other))
    say(f"{pair.entity} and {pair.other} may be the same", fg="yellow")
    say(f"    {pair.reason}", dim=True)
    decline = f"remem {command} distinct {names}"
    say(f"    remem {command} merge {names}   or, if they are not: {decline}")


@click.command()
@click.argument("id_", metavar="ID", shell_complete=complete_ids)
@click.option(
    "--entity", metavar="NAME", help="The entity of the fact, if several facts have this id."
)
@yes_option
@json_option
@click.pass_obj
def erase(target: CommandTarget, id_: str, entity: str | None, yes: bool, as_json: bool) -> None:
    """Remove an entry or fact permanently.

    Its text is removed from the database and its log, search, the domain files, the index and the
    copies that remem keeps; the text of a fact also from its items.json and summary. A tombstone
    prevents the text from being stored again. This cannot be undone. Files that you wrote
    yourself, backups and exports are not changed; your files that still contain the text are
    listed.

    \b
    remem erase mem-3f8k2m1q
    remem erase mara-003
    """
    with opened(target) as workspace:
        if not yes:
            for text in workspace.services.erasure.texts_to_erase(id_, entity):
                say(text, err=True)
            if not confirm(f"Erase {id_} permanently?"):
                nothing_changed(target.command(f"erase {id_} --yes"))
        report = workspace.erase(id_, entity=entity)
    respond(report, as_json, _show_erased)
    next_step(target, "list", "shows what is left", quiet=as_json)


def _show_erased(report: ErasureReport) -> None:
    from remem.entries.erase import is_unread_copy

    say(f"erased {report.id}" if report.erased else f"{report.id} was erased before")
    for other in report.together:
        say(f"also erased {other}, the entry from which the fact was recorded", err=True)
    for other in report.also_as:
        remark(f"{other} says or said the same thing; erase it too if you want")
    for path in report.also_in:
        if is_unread_copy(path):
            remark(f"its text may be in {path}, an old copy; delete it if you do not need it")
        else:
            remark(f"its text is also in {path}, which is your own file")


@click.command()
@click.argument("entities", nargs=-1, metavar="[ENTITY]...")
@json_option
@click.pass_obj
def synthesize(target: CommandTarget, entities: tuple[str, ...], as_json: bool) -> None:
    """Write the summaries of entities, MEMORY.md and notes.

    Each entity's summary.md is written from its active facts. Without an ENTITY, all summaries are
    written, and also memory/main/longterm.md from MEMORY.md and memory/main/daily-synced.md from
    the notes. The same facts always give the same bytes. Your own lines in a summary are kept in a
    separate section and proposed as facts.

    \b
    remem synthesize
    remem synthesize "Anna Berg" --json
    """
    with opened(target) as workspace, progress() as report:
        result = workspace.maintenance.synthesize(entities, report)
    respond(result, as_json, _show_synthesis)
    next_step(target, "fact entities", "lists what has a summary", quiet=as_json)


def _show_synthesis(result: Synthesis) -> None:
    for page in result.pages:
        for line in _page_lines(page):
            say(line)
    changed = sum(page.changed for page in result.pages)
    say(f"{counted(changed, 'page')} written, {len(result.pages) - changed} unchanged")
    if result.model:
        say(f"written without a language model: {result.model}")
    if result.qmd and result.qmd.ran and not result.qmd.problem:
        say("qmd has updated its index of brain/areas")
    for problem in result.problems:
        remark(problem)


def _page_lines(page: PageResult) -> Iterator[str]:
    if page.problem:
        yield f"{page.path}: not written: {page.problem}"
    if page.changed:
        prose = f", {counted(page.sentences, 'sentence')}" if page.sentences else ""
        dropped = f", {page.dropped} dropped" if page.dropped else ""
        yield f"{page.path}: {counted(page.points, 'point')}{prose}{dropped}"
    for line in page.rescued:
        yield f"  kept your own line: {line.strip()}"
    for source in page.removed:
        yield f"  {source} was removed by hand and restored, because it is still true"
    for proposed in page.proposed:
        yield f"  could be a fact: {proposed.command}"


COMMANDS: Final = {
    "fact": make_command(FACT, _fact, [KEEP, click.Argument(["words"], nargs=-1)]),
    "erase": erase,
    "synthesize": synthesize,
}
