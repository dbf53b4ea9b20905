"""Commands made from the declarations of the tools, which MCP uses too."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from remem.app.tools.declare import Parameter, Tool, call
from remem.cli.opening import Target, opened, warn_keyword_only
from remem.cli.terminal import is_piped, respond, standard_input, text_argument
from remem.errors import InvalidInput

_SPELLINGS: Final = {
    "category": ("-c", "--category"),
    "categories": ("-c", "--category"),
    "priority": ("-p", "--priority"),
    "tags": ("-t", "--tag"),
    "token_budget": ("-b", "--token-budget"),
    "maxResults": ("-n", "--max-results"),
    "minScore": ("--min-score",),
}
_JSON: Final = click.Option(
    ["--json", "as_json"], is_flag=True, help="Print exactly what the tool answers."
)
KEEP: Final = click.Option(
    ["--keep"], is_flag=True, help="Do not mask secrets; only for the owner, in main."
)
"""An option of the command only, not of the tool: an agent must not be able to use it."""
keep_option: Final = click.option("--keep", is_flag=True, help=KEEP.help)


def tool_command(
    tool: Tool,
    show: Callable[[Any], None],
    *,
    degraded: Callable[[Any], Iterable[str]] = lambda _result: (),
    run: Callable[..., Any] | None = None,
    options: Sequence[click.Parameter] = (),
) -> click.Command:
    """Return the command that calls a tool and shows its result.

    `degraded` returns the notes of an answer that say whether it was ranked by keywords only.
    `run` replaces the call of the tool; it also gets the values of the further `options`.
    """
    further = {option.name or "" for option in options}

    def callback(target: Target, /, as_json: bool, **values: Any) -> None:
        owner_options = {name: values.pop(name) for name in further}
        given = {name: value for name, value in values.items() if is_option_given(value)}
        name = tool.argument
        if name and (name in given or is_piped() or _is_required(tool, name)):
            given[name] = text_argument(given.get(name), name)
        with opened(target) as workspace:
            if run is not None:
                result = run(workspace, given, **owner_options)
            else:
                result = call(tool, workspace, given)
            respond(result, as_json, show)
            warn_keyword_only(workspace, degraded(result))

    return make_command(tool, callback, options)


def make_command(
    tool: Tool, callback: Callable[..., None], options: Sequence[click.Parameter] = ()
) -> click.Command:
    """Return a command with a tool's help and parameters, and further `options`."""
    params = [*map(partial(_param, argument=tool.argument), tool.parameters), _JSON, *options]
    help_ = "\n".join([tool.help, "", "\b", *tool.examples])
    return click.Command(tool.command, callback=click.pass_obj(callback), params=params, help=help_)


def read_json(file: str | None, name: str) -> Any:
    """The JSON in a file; `-`, or None, is standard input."""
    try:
        if file is None or file == "-":
            return json.loads(standard_input())
        return json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{name} is not JSON: {error}", hint="write a JSON list") from None


def is_option_given(value: object) -> bool:
    """Whether an option was given; 0 is a value."""
    return value is not None and value is not False and value != ()


def _is_required(tool: Tool, name: str) -> bool:
    return any(parameter.required for parameter in tool.parameters if parameter.name == name)


def _param(parameter: Parameter, argument: str | None) -> click.Parameter:
    if parameter.name == argument:
        return click.Argument([parameter.name], required=False)
    spellings = _SPELLINGS.get(parameter.name, (f"--{parameter.name.replace('_', '-')}",))
    return click.Option(
        [*spellings, parameter.name],
        help=_option_help(parameter),
        required=parameter.required,
        is_flag=parameter.kind == "boolean",
        multiple=parameter.kind == "texts",
        type={"integer": int, "number": float, "boolean": bool}.get(parameter.kind, str),
        metavar=_metavar(parameter),
    )


def _metavar(parameter: Parameter) -> str | None:
    match parameter.kind:
        case "boolean":
            return None
        case "integer" | "number":
            return "NUMBER"
        case _:
            return "|".join(parameter.choices) or "TEXT"


def _option_help(parameter: Parameter) -> str:
    text = parameter.help[0].upper() + parameter.help[1:] + "."
    if parameter.kind == "texts":
        text += " May be repeated."
    return text if parameter.default is None else f"{text} [default: {parameter.default}]"
