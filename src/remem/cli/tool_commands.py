"""Which tools has the command line? All of them, made from the table that MCP uses too."""

from __future__ import annotations

from typing import Any, Final

import click

from remem.cli.group import At
from remem.cli.opening import opened
from remem.cli.reading import piped, standard_input
from remem.recall.answer import answer_text
from remem.tools import TOOLS, Parameter, Tool, call

_POSITIONAL: Final = {"store": "content", "recall": "query"}
_SPELLING: Final = {
    "category": ("-c", "--category"),
    "categories": ("-c", "--category"),
    "priority": ("-p", "--priority"),
    "tags": ("-t", "--tag"),
    "token_budget": ("-b", "--token-budget"),
}
_HELP: Final = {
    "store": """Keep one memory for later conversations.

    CONTENT is the memory itself; `-`, or nothing in a pipe, reads it from standard input.

    \b
    remem store -c preference "David drinks his coffee black." -t coffee
    remem store -c instruction -p critical "Never send mail without asking."
    remem store -c fact --expires 2026-12-31 --trust untrusted - < page.txt
    """,
    "recall": """Look up what is remembered.

    QUERY is a question in plain words, or ids of entries; `-`, or nothing in a pipe, reads it
    from standard input. The answer never costs a model more than the token budget.

    \b
    remem recall "how does David like his coffee?"
    remem recall "what did we decide last week?" -c decision -b 500
    remem recall -c project
    remem recall mem-3f8k2m1q --json
    """,
    "status": """How the memory is doing.

    What it holds, what it costs, and what is degraded and why.

    \b
    remem status
    remem --session agent:main:telegram:group:-100123 status --json
    """,
}


def _command(tool: Tool) -> click.Command:
    positional = _POSITIONAL.get(tool.command)

    @click.pass_obj
    def run(at: At, /, as_json: bool, **values: Any) -> None:
        given = {name: value for name, value in values.items() if _said(value)}
        if positional and (positional in given or piped() or _required(tool, positional)):
            given[positional] = _text_of(given.get(positional), positional)
        with opened(at) as workspace:
            result = call(tool, workspace, given)
            if as_json:
                click.echo(answer_text(result))
            else:
                from remem.cli.screen import show  # rich is slow to import

                show(result)

    return click.Command(
        tool.command,
        callback=run,
        params=[*(_param(each, positional) for each in tool.parameters), _JSON],
        help=_HELP[tool.command],
    )


def _required(tool: Tool, name: str) -> bool:
    return any(each.required for each in tool.parameters if each.name == name)


_JSON: Final = click.Option(
    ["--json", "as_json"], is_flag=True, help="Print exactly what the tool answers."
)


def _param(parameter: Parameter, positional: str | None) -> click.Parameter:
    if parameter.name == positional:
        return click.Argument([parameter.name], required=False)
    spelling = _SPELLING.get(parameter.name, (f"--{parameter.name.replace('_', '-')}",))
    return click.Option(
        [*spelling, parameter.name],
        help=_sentence(parameter),
        required=parameter.required,
        is_flag=parameter.kind == "boolean",
        multiple=parameter.kind == "texts",
        type={"integer": int, "boolean": bool}.get(parameter.kind, str),
        metavar=_metavar(parameter),
    )


def _metavar(parameter: Parameter) -> str | None:
    match parameter.kind:
        case "boolean":
            return None
        case "integer":
            return "NUMBER"
        case _:
            return "|".join(parameter.choices) or "TEXT"


def _sentence(parameter: Parameter) -> str:
    text = parameter.help[0].upper() + parameter.help[1:] + "."
    if parameter.kind == "texts":
        text += " May be repeated."
    return text if parameter.default is None else f"{text} [default: {parameter.default}]"


def _said(value: object) -> bool:
    """Whether an option was given; a number may be 0, which is not absence."""
    return value is not None and value is not False and value != ()


def _text_of(value: str | None, name: str) -> str:
    if value == "-" or (value is None and piped()):
        return standard_input()
    if value is None:
        raise click.UsageError(f"Missing argument '{name.upper()}'.")
    return value


COMMANDS: Final = {tool.command: _command(tool) for tool in TOOLS}
