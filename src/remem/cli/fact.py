"""How are facts kept from the command line? An action, and what it is done with."""

from __future__ import annotations

from typing import Any, Final

import click

from remem.cli.group import At
from remem.cli.opening import opened
from remem.cli.reading import piped, standard_input
from remem.cli.tool_commands import COMMANDS as TOOL_COMMANDS
from remem.recall.answer import answer_text
from remem.tools import FACT, call

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
        from remem.cli.screen import show  # rich is slow to import

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
            *(each for each in _TOOL.params if each.name != "action"),
        ],
        help=_TOOL.help,
    )
}
