"""Make commands from the declarations of tools, which the MCP server uses too."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from remem.app.tools.declare import Parameter, Tool, call
from remem.cli.opening import CommandTarget, opened, warn_keyword_only
from remem.cli.terminal import is_piped, respond, standard_input, text_argument
from remem.errors import InvalidInput

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_OPTION_NAMES: Final = {
    "category": ("-c", "--category"),
    "categories": ("-c", "--category"),
    "priority": ("-p", "--priority"),
    "tags": ("-t", "--tag"),
    "token_budget": ("-b", "--token-budget"),
    "limit": ("-n", "--limit"),
    "maxResults": ("-n", "--max-results"),
    "minScore": ("--min-score",),
}
_SENTENCES: Final = ("content", "query", "message")
"""Arguments that may be several words without quotes."""
_IDS: Final = ("id", "ids", "related_to", "supersedes")
_JSON: Final = click.Option(
    ["--json", "as_json"], is_flag=True, help="Print the tool's answer as JSON."
)
KEEP: Final = click.Option(
    ["--keep"], is_flag=True, help="Do not mask secrets; only for the owner, in main."
)
"""An option of the command but not of the tool, because agents must not use it."""
keep_option: Final = click.option("--keep", is_flag=True, help=KEEP.help)
_Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem] | list[str]"]


def tool_command(
    tool: Tool,
    show: Callable[[Any], None],
    *,
    degraded: Callable[[Any], Iterable[str]] | None = None,
    failed: Callable[[Any], bool] = lambda _result: False,
    run: Callable[..., Any] | None = None,
    then: Callable[[CommandTarget, Any], None] = lambda _target, _result: None,
    options: Sequence[click.Parameter] = (),
    optional: Collection[str] = (),
) -> click.Command:
    """Return the command that calls a tool and shows its result.

    - `degraded` returns the notes of an answer, one of which may say that it was found by keywords
      only. A command with `degraded` offers to download the model.
    - `failed` returns whether the exit status is 1.
    - `run` is called instead of the tool; it also gets the values of `options`.
    - `then` suggests the next step; it is not called with --json.
    - `optional` are required parameters of the tool that are optional in the command.
    """
    names = {option.name or "" for option in options}

    def callback(target: CommandTarget, /, as_json: bool, **values: Any) -> None:
        command_options = {name: values.pop(name) for name in names}
        arguments = {name: value for name, value in values.items() if is_option_given(value)}
        name = tool.argument
        if name in _SENTENCES and name in arguments:
            arguments[name] = " ".join(arguments[name])
        if name and (name in arguments or is_piped() or _is_required(tool, name)):
            arguments[name] = text_argument(arguments.get(name), name)
        if degraded is not None and not as_json and sys.stdin.isatty() and sys.stderr.isatty():
            from remem.cli.model_offer import offer_model

            offer_model(target)
        with opened(target) as workspace:
            if run is not None:
                result = run(workspace, arguments, **command_options)
            else:
                result = call(tool, workspace, arguments)
            respond(result, as_json, show)
            if degraded is not None:
                warn_keyword_only(workspace, degraded(result))
        if not as_json:
            then(target, result)
        if failed(result):
            raise click.exceptions.Exit(1)

    return make_command(tool, callback, options, optional, words=tool.argument in _SENTENCES)


def make_command(
    tool: Tool,
    callback: Callable[..., None],
    options: Sequence[click.Parameter] = (),
    optional: Collection[str] = (),
    *,
    words: bool = False,
) -> click.Command:
    """Return a command with a tool's help and parameters, and further `options`.

    With `words`, the argument may consist of several words.
    """
    make = partial(_param, argument=tool.argument, optional=optional, words=words)
    params = [*map(make, tool.parameters), _JSON, *options]
    help_ = "\n".join([tool.help, "", "\b", *tool.examples])
    return click.Command(tool.command, callback=click.pass_obj(callback), params=params, help=help_)


def read_json(file: str | None, name: str) -> Any:
    """Return the JSON in a file; `-`, or None, is standard input."""
    try:
        if file is None or file == "-":
            return json.loads(standard_input())
        return json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{name} is not JSON: {error}", hint="write a JSON list") from None


def is_option_given(value: object) -> bool:
    """Return whether an option was given; 0 counts as given."""
    return value is not None and value is not False and value != ()


def _is_required(tool: Tool, name: str) -> bool:
    return any(parameter.required for parameter in tool.parameters if parameter.name == name)


def _param(
    parameter: Parameter, argument: str | None, optional: Collection[str], words: bool
) -> click.Parameter:
    complete = _completion(parameter)
    if parameter.name == argument:
        nargs = -1 if words else 1  # -1 means any number
        return click.Argument(
            [parameter.name], required=False, nargs=nargs, shell_complete=complete
        )
    names = _OPTION_NAMES.get(parameter.name, (f"--{parameter.name.replace('_', '-')}",))
    return click.Option(
        [*names, parameter.name],
        help=_option_help(parameter),
        required=parameter.required and parameter.name not in optional,
        shell_complete=complete,
        is_flag=parameter.kind == "boolean" or None,  # with False, click makes the value optional
        multiple=parameter.kind == "texts",
        type={"integer": int, "number": float, "boolean": bool}.get(parameter.kind, str),
        metavar=_metavar(parameter),
    )


def complete_ids(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Let a shell complete the id of a memory."""
    from remem.cli.completion import ids_of

    return ids_of(ctx, incomplete)


def complete_tags(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Let a shell complete a tag."""
    from remem.cli.completion import tags_of

    return tags_of(ctx, incomplete)


def _completion(parameter: Parameter) -> _Complete | None:
    """Return the function that completes the value of a parameter in a shell."""
    if parameter.choices:
        return lambda _ctx, _param, incomplete: [
            choice for choice in parameter.choices if choice.startswith(incomplete)
        ]
    if parameter.name == "tags":
        return complete_tags
    return complete_ids if parameter.name in _IDS else None


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
