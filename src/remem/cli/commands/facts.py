"""Command `fact`, and how facts are shown."""

from __future__ import annotations

from typing import Any, Final

import click
from rich.console import Console
from rich.text import Text

from remem.app.tools.declare import call
from remem.app.tools.entries import FACT
from remem.cli.commands.tools import COMMANDS as TOOL_COMMANDS
from remem.cli.main import At
from remem.cli.opening import counted, opened, piped, standard_input
from remem.cli.terminal import visible
from remem.learn.facts.answers import EntityView, FactAnswer, FactView
from remem.search.answer.answer import answer_text


def show_facts(out: Console, answer: FactAnswer) -> None:
    if answer.entity:
        _entity(out, answer.entity)
    for entity in answer.entities or ():
        _entity(out, entity)
    for fact in answer.facts or ():
        _fact(out, fact)
    _done(out, answer)
    _to_decide(out, answer)
    if answer.left_out:
        out.print(Text(f"{answer.left_out} earlier ones are left out; --limit shows more", "dim"))
    for note in answer.notes:
        out.print(Text(f"note: {visible(note)}", "yellow"))


def _done(out: Console, answer: FactAnswer) -> None:
    if answer.waiting:
        out.print(f"kept for review as {answer.waiting}")
    elif answer.known:
        out.print("known already")
    if answer.superseded:
        old = answer.superseded
        out.print(visible(f"supersedes {old.id}: {old.fact}"))
    if answer.redacted:
        out.print(f"redacted: {', '.join(answer.redacted)}")
    found = (answer.facts, answer.entities, answer.entity, answer.contradicts)
    if not any(found) and not answer.waiting:
        out.print("nothing found")


def _to_decide(out: Console, answer: FactAnswer) -> None:
    for contradicted in answer.contradicts or ():
        who = f"{contradicted.by.id} " if contradicted.by else ""
        out.print(
            Text(
                visible(f"{who}contradicts {contradicted.fact.id}: {contradicted.fact.fact}"),
                "yellow",
            )
        )
        out.print(Text(visible(f"    {contradicted.rule}; {contradicted.why}"), "dim"))
        by = contradicted.by or next(iter(answer.facts or ()), None)
        if contradicted.supersede and by:
            new = by.fact
            out.print(
                visible(f"    to replace it: remem fact supersede {contradicted.fact.id} {new!r}")
            )
    for fact in answer.similar or ():
        out.print(Text(visible(f"similar to {fact.id}: {fact.fact}"), "dim"))


def _entity(out: Console, entity: EntityView) -> None:
    kind = f" ({entity.kind})" if entity.kind else ""
    also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
    merged = f", with {', '.join(entity.merged)}" if entity.merged else ""
    out.print(Text(visible(f"{entity.name}{kind}{also}{merged}"), "bold"))
    details = [counted(entity.active, "active fact"), f"{entity.superseded} superseded", entity.id]
    out.print(Text(visible(f"    {', '.join(details)}"), "dim"))


def _fact(out: Console, fact: FactView) -> None:
    ended = f" → {fact.superseded_by}" if fact.superseded_by else ""
    head = f"{fact.id}  {fact.timestamp[:10]}  {fact.category}  {fact.status}{ended}"
    out.print(Text(visible(head), "dim" if ended else "bold"))
    out.print(Text("\n".join(f"    {line}" for line in visible(fact.fact).split("\n"))))


_WORDS: Final = {
    "record": ("entity", "fact"),
    "supersede": ("id", "fact"),
    "list": ("entity",),
    "history": ("entity",),
    "alias": ("entity",),
    "merge": ("entity", "into"),
    "unmerge": ("entity",),
}
"""What the words behind an action are, in their order; behind an alias's entity come aliases."""


@click.pass_obj
def _run(at: At, /, action: str, words: tuple[str, ...], as_json: bool, **options: Any) -> None:
    given = {name: value for name, value in options.items() if value is not None and value != ()}
    given |= _placed(action, words, given)
    if "fact" in _WORDS.get(action, ()) and (given.get("fact") == "-" or _reads(given)):
        given["fact"] = standard_input()
    with opened(at) as workspace:
        result = call(FACT, workspace, {"action": action, **given})
        if as_json:
            click.echo(answer_text(result))
            return
        from remem.cli.render import show  # rich is slow to import

        show(result)


def _reads(given: dict[str, Any]) -> bool:
    return "fact" not in given and piped()


def _placed(action: str, words: tuple[str, ...], given: dict[str, Any]) -> dict[str, Any]:
    """The words by what they mean; those that an option gives already are not expected."""
    names = [name for name in _WORDS.get(action, ()) if name not in given]
    placed: dict[str, Any] = dict(zip(names, words, strict=False))
    rest = words[len(names) :]
    if action == "alias" and rest:
        placed["aliases"] = [*given.get("aliases", ()), *rest]
    elif rest:
        raise click.UsageError(f"{action} does not take the word {rest[0]!r}.")
    return placed


_TOOL: Final = TOOL_COMMANDS["fact"]
COMMANDS: Final = {
    "fact": click.Command(
        "fact",
        callback=_run,
        params=[
            click.Argument(["action"], required=True),
            click.Argument(["words"], nargs=-1),
            *(param for param in _TOOL.params if param.name != "action"),
        ],
        help=_TOOL.help,
    )
}
