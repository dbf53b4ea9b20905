"""Write the reference pages from the code.

python scripts/write_reference.py           writes docs/reference/*.md
python scripts/write_reference.py --check   fails if one of them is stale
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from remem import errors
from remem.app.tools.declare import Parameter, Tool
from remem.app.tools.table import TOOLS
from remem.cli.main import remem
from remem.config import EXAMPLE
from remem.mcp.schemas import output_schema

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from scripts import python_reference  # noqa: E402

FOLDER = ROOT / "docs" / "reference"
_NOTE = "<!-- Written by scripts/write_reference.py from the code; edit the code instead. -->"
_KINDS = {
    "text": "text",
    "choice": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "texts": "list of texts",
    "object": "object",
    "objects": "list of objects",
}
_TYPES = {"string": "text", "integer": "whole number", "number": "number", "boolean": "boolean"}


def pages() -> dict[str, str]:
    """Every page by its file name."""
    written = {
        "tools.md": _tools_page(),
        "commands.md": _commands_page(),
        "settings.md": _settings_page(),
        "errors.md": _errors_page(),
        "python.md": python_reference.page(),
    }
    return {name: f"{_NOTE}\n\n{text.rstrip()}\n" for name, text in written.items()}


def stale() -> list[str]:
    """The pages that differ from the code."""
    return [
        name
        for name, text in pages().items()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_text(encoding="utf-8") != text
    ]


def _tools_page() -> str:
    intro = """# Tools

What an agent can ask of a memory. The same tool gives the same answer over MCP, on the command
line (`--json`) and in the library. `null` counts as absent; nothing is converted silently; what
is not known is refused by name."""
    return "\n\n".join([intro, *(_tool(tool) for tool in TOOLS), _BY_HAND])


_BY_HAND = """## On the command line alone

What is the owner's to decide is no tool, because a text that an agent reads could ask for it.

- `review`, `erase`, `graduate --apply`, `audit --apply`, `doctor --repair` raise trust, remove for
  good, or write where every conversation begins.
- `consolidate --undo`, `decay --undo`, `rollback` and `restore` take back what was done.
- `maintain`, `synthesize`, `decay`, `rebuild`, `refresh` and `backup` care for the whole workspace:
  a timer does so daily, and no answer waits for them.
- `note` is a person's; an agent's account of a conversation is `memory_flush`, which adds to the
  day's note by itself.
- `init`, `connect`, `serve` and the like come before there is anybody to ask."""


def _tool(tool: Tool) -> str:
    hints = [
        "only reads" if tool.read_only else "writes",
        "destroys nothing",
        "is safe to repeat" if tool.idempotent else "counts when repeated",
    ]
    parts = [
        f"## {tool.name}",
        tool.purpose,
        f"Command: `remem {tool.command}`. Profile: {', '.join(tool.profiles)}.",
        f"It {hints[0]}, {hints[1]} and {hints[2]}.",
    ]
    if tool.parameters:
        rows = ["| parameter | kind | meaning |", "|---|---|---|", *map(_row, tool.parameters)]
        parts.append("\n".join(rows))
    else:
        parts.append("It takes no parameters.")
    return "\n\n".join([*parts, *_result(tool)])


def _row(parameter: Parameter) -> str:
    kind = _KINDS[parameter.kind]
    if parameter.required:
        kind += ", required"
    meaning = [parameter.help]
    if parameter.choices:
        meaning.append("one of " + ", ".join(f"`{choice}`" for choice in parameter.choices))
    if parameter.minimum is not None:
        upto = f" to {parameter.maximum:,}" if parameter.maximum is not None else ""
        meaning.append(f"from {parameter.minimum:,}{upto}")
    if parameter.fields:
        meaning.append("each with " + ", ".join(f"`{field.name}`" for field in parameter.fields))
    if parameter.default is not None:
        meaning.append(f"default `{parameter.default}`")
    return f"| `{parameter.name}` | {kind} | {'; '.join(meaning)} |"


def _result(tool: Tool) -> Iterator[str]:
    schema = output_schema(tool.result)
    yield "Answers with:"
    yield "\n".join(_fields(schema))
    for name, nested in schema.get("$defs", {}).items():
        yield f"where {name} is:"
        yield "\n".join(_fields(nested))


def _fields(schema: dict[str, Any]) -> Iterator[str]:
    for name, field in schema["properties"].items():
        optional = "" if name in schema.get("required", ()) else ", left out when there is none"
        yield f"- `{name}`: {_type(field)}{optional}"


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "type" not in schema:
        return "any value"
    if schema["type"] == "array":
        return f"list of {_type(schema['items']).replace('text', 'texts')}"
    if schema["type"] == "object":
        return f"{_type(schema['additionalProperties'])} by name"
    return _TYPES[schema["type"]]


def _commands_page() -> str:
    intro = """# Commands

`remem [--workspace PATH] [--session KEY] COMMAND …`. Data goes to stdout, everything else to
stderr. Exit codes: 0 for success, 1 for an error (with a message and often a hint), 2 for wrong
usage."""
    return "\n\n".join([intro, *_commands(remem, "remem")])


def _commands(group: click.Group, path: str) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield _command(command, f"{path} {name}")
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}")


def _command(command: click.Command, path: str) -> str:
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    usage = " ".join([path, *(_argument(argument) for argument in arguments)])
    options = [param for param in command.params if isinstance(param, click.Option)]
    lines = [f"- {_spelling(option)}: {_option_help(option)}" for option in options]
    parts = [f"## {path}", f"`{usage}`", *_paragraphs(command.help or ""), "\n".join(lines)]
    return "\n\n".join(part for part in parts if part)


def _argument(argument: click.Argument) -> str:
    name = argument.metavar or (argument.name or "").upper()
    is_marked = argument.required or name.startswith("[")
    return name if is_marked else f"[{name}]"


def _spelling(option: click.Option) -> str:
    choices = "|".join(option.type.choices) if isinstance(option.type, click.Choice) else "TEXT"
    metavar = "" if option.is_flag else f" {option.metavar or choices}"
    return f"`{', '.join(option.opts)}{metavar}`"


def _option_help(option: click.Option) -> str:
    shown = option.show_default and option.default is not None
    return f"{option.help} [default: {option.default}]" if shown else str(option.help)


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b"):
            yield f"```\n{inspect.cleandoc(paragraph.removeprefix(chr(8)))}\n```"
        else:
            yield paragraph


def _settings_page() -> str:
    return f"""# Settings

`.remem/config.toml` in the workspace. Everything has a default, so the file may be empty.

```toml
{EXAMPLE.strip()}
```

Environment: `REMEM_WORKSPACE` names the workspace, `REMEM_MODELS` the folder of local models,
`REMEM_STORE` the store, and `REMEM_HOOK_SECONDS` the time limit of a host's hook.
Outside of any workspace, `remem` uses the one that `remem setup` was last run for, which
`~/.config/remem/workspace` names."""


def _errors_page() -> str:
    return f"""# Errors

Every error is a `remem.RememError`; `hint` says what to do next. On the command line it is exit
code 1, over MCP an answer with `isError`.

{chr(10).join(_error_list(errors.RememError, 0))}"""


def _error_list(kind: type[errors.RememError], depth: int) -> Iterator[str]:
    """A list item for an error, and nested ones for those derived from it."""
    summary = inspect.cleandoc(kind.__doc__ or "").split("\n\n")[0]
    yield f"{'  ' * depth}- `{kind.__name__}`: {summary[:1].lower()}{summary[1:].rstrip('.')}"
    for derived in kind.__subclasses__():
        if derived.__module__ == errors.__name__:
            yield from _error_list(derived, depth + 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only fail if a page is stale")
    if parser.parse_args().check:
        if old := stale():
            sys.exit(f"stale: {', '.join(old)}; run python scripts/write_reference.py")
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
