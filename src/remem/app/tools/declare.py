"""Do the arguments fit the tool? Checked alike for every surface, before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from remem.core.values import refuse_unknown
from remem.errors import InvalidInput, RememError, shown
from remem.notes.private_places import hidden, hide_in
from remem.tools.shape import Parameter, Tool

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from remem.workspace import Workspace


def call(tool: Tool, workspace: Workspace, given: Mapping[str, Any]) -> DataclassInstance:
    """What every surface does: check the arguments, run the tool."""
    places = workspace.private_places
    try:
        result = tool.run(workspace, arguments(tool, given))
    except RememError as error:
        hide_in(error, places)
        raise
    if not places:
        return result
    answer: DataclassInstance = hidden(result, places)
    return answer


def arguments(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, if every one is known and of its kind; null counts as absent.

    Nothing is converted: a number in quotes is a mistake that the caller should hear of.
    Which texts and numbers make sense, the workspace decides.
    """
    known = {parameter.name: parameter for parameter in tool.parameters}
    refuse_unknown(given, known, tool.name)
    present = {name: value for name, value in given.items() if value is not None}
    for parameter in tool.parameters:
        if parameter.required and parameter.name not in present:
            raise _missing(parameter)
    for name, value in present.items():
        _check_kind(known[name], value)
    return present


def input_schema(tool: Tool) -> dict[str, Any]:
    """The parameters as JSON Schema."""
    required = [parameter.name for parameter in tool.parameters if parameter.required]
    return {
        "type": "object",
        "properties": {parameter.name: _schema(parameter) for parameter in tool.parameters},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _missing(parameter: Parameter) -> InvalidInput:
    if parameter.refusal:
        return InvalidInput(parameter.refusal)
    return InvalidInput(f"{parameter.name} is missing", hint=f"give {parameter.help}")


def _check_kind(parameter: Parameter, value: object) -> None:
    match parameter.kind:
        case "text" | "choice":
            fits, wanted = isinstance(value, str), "a text"
        case "integer":
            fits, wanted = isinstance(value, int) and not isinstance(value, bool), "a whole number"
        case "number":
            fits = isinstance(value, int | float) and not isinstance(value, bool)
            wanted = "a number"
        case "boolean":
            fits, wanted = isinstance(value, bool), "true or false"
        case "texts":
            fits = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
            wanted = "a list of texts"
        case "objects":
            fits = isinstance(value, list | tuple) and all(isinstance(each, dict) for each in value)
            wanted = "a list of objects"
    if not fits and parameter.refusal:
        raise InvalidInput(parameter.refusal)
    if not fits:
        raise InvalidInput(
            f"{parameter.name} must be {wanted}, not {shown(value)}", hint=_example(parameter)
        )


def _example(parameter: Parameter) -> str | None:
    match parameter.kind:
        case "texts":
            return 'write it as ["one", "two"]'
        case "objects":
            named = ", ".join(f'"{each.name}": …' for each in parameter.fields if each.required)
            return f"write it as [{{{named}}}]"
        case "choice":
            return f"use one of: {', '.join(parameter.choices)}"
        case _:
            return None


def _schema(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": parameter.help} if parameter.help else {}
    choices = {"enum": list(parameter.choices)} if parameter.choices else {}
    match parameter.kind:
        case "text" | "choice":
            schema |= {"type": "string", **choices}
        case "integer" | "number" | "boolean":
            schema |= {"type": parameter.kind}
        case "texts":
            schema |= {"type": "array", "items": {"type": "string", **choices}}
        case "objects":
            properties = {each.name: _schema(each) for each in parameter.fields}
            required = [each.name for each in parameter.fields if each.required]
            each_one = {"type": "object", "properties": properties, "required": required}
            schema |= {"type": "array", "items": each_one}
    bounds = {"default": parameter.default, "minimum": parameter.minimum}
    return schema | {name: value for name, value in bounds.items() if value is not None}
