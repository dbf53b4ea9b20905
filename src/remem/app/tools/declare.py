"""The declaration of a tool, and the validation of its arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from remem.errors import InvalidInput, NotAllowed, quoted
from remem.fast_dataclass import dataclass
from remem.files.private_paths import hide_paths, hide_paths_in_errors
from remem.model.arguments import refuse_unknown

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from remem.app.workspace import Workspace


ParameterKind = Literal[
    "text", "choice", "integer", "number", "boolean", "texts", "objects", "object"
]
Profile = Literal["legacy", "core", "full", "mcp-memory"]
PROFILES: Final[tuple[Profile, ...]] = get_args(Profile)
_WHOLE_NUMBER: Final = re.compile(r"[+-]?\d{1,15}")
_NUMBER: Final = re.compile(r"[+-]?\d{1,15}(\.\d{1,15})?")
_BOOLEANS: Final = {"true": True, "false": False}
_SINGULARS: Final = {"people": "person"}
_OTHER_FIELD_NAMES: Final = {"content": "text", "category": "kind", "type": "kind"}
"""Names from other tools that models use for fields of an item."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a tool.

    If it is a list of texts, `choices` applies to every text. If it is a list of objects, `fields`
    are their fields. `choices`, `fields`, `minimum` and `maximum` describe valid values; the
    workspace checks them. `refusal` is the exact message for a missing or invalid value, where
    hosts expect one.
    """

    name: str
    kind: ParameterKind
    help: str
    required: bool = False
    default: str | float | None = None
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    refusal: str | None = None
    fields: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """An operation of a workspace that hosts and the command line offer.

    `purpose` is written for agents. `help` is written for people and starts with a one-line
    summary; `examples` are command lines, and `argument` names the positional parameter of the
    command. `returns` is the type of the result as `module:name`, so that running one tool does
    not import the results of the others.
    """

    name: str
    command: str
    title: str
    purpose: str
    help: str
    examples: tuple[str, ...]
    argument: str | None = None
    parameters: tuple[Parameter, ...]
    returns: str
    run: Callable[[Workspace, Mapping[str, Any]], DataclassInstance]
    read_only: bool = False
    idempotent: bool = True
    profiles: tuple[Profile, ...] = ("core",)

    @property
    def result(self) -> type[DataclassInstance]:
        """The type of the result, which is imported on first use."""
        module, _, name = self.returns.partition(":")
        result_type: type[DataclassInstance] = getattr(import_module(module), name)
        return result_type

    @property
    def summary(self) -> str:
        """The first line of the help."""
        return self.help.partition("\n")[0]


def call(tool: Tool, workspace: Workspace, values: Mapping[str, Any]) -> DataclassInstance:
    """Check the arguments and run the tool; private paths are removed from the answer."""
    private = workspace.private_paths
    handle = workspace.session.handle
    if handle is not None and tool.name not in handle.tools:
        raise NotAllowed(
            f"this handle is for {', '.join(handle.tools)}; {workspace.session.reason}"
        )
    with hide_paths_in_errors(private):
        result = tool.run(workspace, arguments(tool, values))
    if not private:
        return result
    answer: DataclassInstance = hide_paths(result, private)
    return answer


def arguments(tool: Tool, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that are not null; raise if one is unknown, missing or of a wrong kind.

    Values that models often get slightly wrong are converted (see `coerce`). Whether a value makes
    sense is checked by the workspace.
    """
    known = {parameter.name: parameter for parameter in tool.parameters}
    unknown = [name for name in values if name not in known]
    refuse_unknown(
        unknown, known, tool.name, _likely_parameter(tool, values, unknown) if unknown else {}
    )
    present = {
        name: coerce(known[name], value) for name, value in values.items() if value is not None
    }
    for parameter in tool.parameters:
        if parameter.required and parameter.name not in present:
            raise _missing(parameter)
    for name, value in present.items():
        _check_kind(known[name], value)
    return present


def _likely_parameter(
    tool: Tool, values: Mapping[str, Any], unknown: Sequence[str]
) -> dict[str, str]:
    """Return which parameter an unknown name probably stands for: unknown name → known one.

    If a single name is unknown and a single important parameter is missing, such as `text` and
    `content`, they are taken for the same. There is no guess if a parameter has a similar name.
    """
    from difflib import get_close_matches  # rarely needed, slow to import

    names = [parameter.name for parameter in tool.parameters]
    important = [
        parameter.name
        for parameter in tool.parameters
        if parameter.required or parameter.name == tool.argument
    ]
    missing = [name for name in important if name not in values]
    if len(unknown) != 1 or len(missing) != 1 or get_close_matches(unknown[0], names, 1, 0.8):
        return {}
    return {unknown[0]: missing[0]}


def coerce(parameter: Parameter, value: Any) -> Any:
    """Convert a value of nearly the right kind, such as `"500"` for a number.

    A value that is right, or that could mean several things, is returned unchanged. So is the
    value of a parameter with a `refusal`, because hosts expect that message for such mistakes.
    """
    if parameter.refusal:
        return value
    if parameter.kind in ("texts", "objects"):
        return _coerce_list(parameter, value)
    match parameter.kind, value:
        case (("text" | "choice"), [str(only)]):
            return coerce(parameter, only)
        case "choice", str():
            return _choice(parameter, value)
        case "integer", str() if _WHOLE_NUMBER.fullmatch(value.strip()):
            return int(value)
        case "integer", float() if value.is_integer():
            return int(value)
        case "number", str() if _NUMBER.fullmatch(value.strip()):
            return float(value)
        case "boolean", str():
            return _BOOLEANS.get(value.strip().casefold(), value)
    return value


def _coerce_list(parameter: Parameter, value: Any) -> Any:
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        value = _from_json(value)
    match parameter.kind, value:
        case "texts", str() if value.strip() and not set(value) & set(",;[\n"):
            return [_choice(parameter, value.strip())]
        case "texts", [*texts] if parameter.choices:
            return [_choice(parameter, text) for text in texts]
        case "objects", dict():
            return [_object(parameter, value)]
        case "objects", [*objects]:
            return [_object(parameter, item) for item in objects]
    return value


def _from_json(text: str) -> Any:
    """Return a list or an object that was written as text; other text unchanged."""
    import json  # rarely needed

    try:
        return json.loads(text)
    except ValueError:
        return text


def _choice(parameter: Parameter, value: Any) -> Any:
    """Return the choice that a text means, if they differ in case, plural or white space only."""
    if not isinstance(value, str) or value in parameter.choices:
        return value
    word = value.strip().casefold()
    singular = _SINGULARS.get(word) or word.removesuffix("s")
    choices = {choice.casefold(): choice for choice in parameter.choices}
    return choices.get(word) or choices.get(singular, value)


def _object(parameter: Parameter, value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    known = {field.name: field for field in parameter.fields}
    item: dict[str, Any] = {}
    for given_name, field_value in value.items():
        name = _OTHER_FIELD_NAMES.get(given_name, given_name)
        if name not in known or name in value:
            name = given_name
        is_coercible = name in known and field_value is not None
        item[name] = coerce(known[name], field_value) if is_coercible else field_value
    return item


def input_schema(tool: Tool) -> dict[str, Any]:
    """Return the parameters as JSON Schema."""
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
    choices = f" ({', '.join(parameter.choices)})" if parameter.choices else ""
    return InvalidInput(f"{parameter.name} is missing", hint=f"give {parameter.help}{choices}")


def _check_kind(parameter: Parameter, value: object) -> None:
    match parameter.kind:
        case "text" | "choice":
            fits, expected = isinstance(value, str), "a string"
        case "integer":
            fits, expected = (
                isinstance(value, int) and not isinstance(value, bool),
                "a whole number",
            )
        case "number":
            fits = isinstance(value, int | float) and not isinstance(value, bool)
            expected = "a number"
        case "boolean":
            fits, expected = isinstance(value, bool), "true or false"
        case "texts":
            fits = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
            expected = "a list of strings"
        case "objects":
            fits = isinstance(value, list | tuple) and all(isinstance(item, dict) for item in value)
            expected = "a list of objects"
        case "object":
            fits, expected = isinstance(value, dict), "an object"
    if not fits and parameter.refusal:
        raise InvalidInput(parameter.refusal)
    if not fits:
        raise InvalidInput(
            f"{parameter.name} must be {expected}, not {quoted(value)}", hint=_example(parameter)
        )


def _example(parameter: Parameter) -> str | None:
    match parameter.kind:
        case "texts":
            return 'write it as ["one", "two"]'
        case "objects":
            fields = ", ".join(f'"{field.name}": …' for field in parameter.fields if field.required)
            return f"write it as [{{{fields}}}]"
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
        case "object":
            schema |= {"type": "object"}
        case "objects":
            properties = {field.name: _schema(field) for field in parameter.fields}
            required = [field.name for field in parameter.fields if field.required]
            item = {"type": "object", "properties": properties, "required": required}
            schema |= {"type": "array", "items": item}
    others = {"default": parameter.default, "minimum": parameter.minimum}
    return schema | {name: value for name, value in others.items() if value is not None}
