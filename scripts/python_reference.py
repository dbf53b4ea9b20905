"""The page on the Python interface, made from its signatures and docstrings."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any, get_args

from remem.app import facades, opening, workspace
from remem.model import arguments, entry

_INTRO = """# Python interface

```python
import remem

with remem.open_workspace("~/agent") as memory:
    memory.store(category="preference", content="David drinks coffee black.")
    answer = memory.recall("How does David like his coffee?")
    print(answer.entries[0].content)
```

`remem.open_workspace`, `remem.Workspace`, `remem.Origin` and the most common result types can be
imported from `remem`; every error is a `remem.RememError`, see [errors](errors.md). Errors are
raised, never returned.

## Examples

Answer within a budget, and see what was left out:

```python
import remem

with remem.open_workspace("~/agent") as memory:
    memory.store(category="decision", content="We chose PostgreSQL for billing.", tags=["billing"])
    answer = memory.recall("Which database does billing use?", token_budget=500)
    for entry in answer.entries:
        print(entry.id, entry.content)
    print(answer.token_count, "tokens,", answer.left_out, "left out")
```

Correct a memory, look at its history, forget it:

```python
import remem

with remem.open_workspace("~/agent") as memory:
    old = memory.store(category="fact", content="The port is 8080.")
    new = memory.store(category="fact", content="The port is 9090.", supersedes=[old.id])
    assert memory.entry(old.id).superseded_by == new.id
    print([version.change for version in memory.history(old.id)])
    memory.forget(new.id)
```

Store a conversation, with its speakers, so that repeating the call adds nothing:

```python
import remem
from remem import Origin

turns = ["I moved to Bern in May.", "My sister Zoë lives there too."]
with remem.open_workspace("~/agent") as memory:
    memory.store_many(
        {
            "category": "fact",
            "content": text,
            "origin": Origin("chat-7", position, "Mara", "user"),
        }
        for position, text in enumerate(turns)
    )
    print(memory.recall("When did Mara move?").entries[0].content)
```

Put the memory into an agent's prompt, and write back what it learned:

```python
import remem

with remem.open_workspace("~/agent", trust="agent", project=".") as memory:
    system_prompt = memory.start().text
    memory.flush([{"kind": "decision", "text": "We ship the importer on Friday."}])
```

Refuse a mistyped path, and read the hint of an error:

```python
import remem

try:
    remem.open_workspace("~/agnet", create=False)
except remem.RememError as error:
    print(error.hint)
```

With asyncio, where calls run in threads and many tasks share a workspace:

```python
import asyncio
import remem.aio


async def main():
    async with remem.aio.open_workspace("~/agent") as memory:
        await asyncio.gather(
            memory.store(category="person", content="Zoë is Mara's sister."),
            memory.store(category="person", content="Jan is Mara's neighbour."),
        )
        print((await memory.recall("Who is Zoë?")).entries[0].content)


asyncio.run(main())
```

`remem.aio.AsyncWorkspace` has the everyday methods and `facts`; the others are called with
`await memory.run(lambda workspace: workspace.maintenance.decay())`."""
_CHOICES = {
    "Category": entry.Category,
    "Priority": entry.Priority,
    "Trust": entry.Trust,
    "Corpus": arguments.Corpus,
    "RecallFormat": arguments.RecallFormat,
    "AuditScope": arguments.AuditScope,
}
_TOPIC = re.compile(r"^    # (?P<topic>.+)$")
_SECTION = re.compile(r"^(Args|Returns|Raises):$", re.MULTILINE)
_DEFAULT = re.compile(r"(: [^=]+?)=(?=\S)")
_LINE_LENGTH = 96


def page() -> str:
    """The whole page."""
    methods = _methods()
    parts = [_INTRO, "## Opening", *_function(_definition(opening, "open_workspace"))]
    parts += ["## Workspace", _prose(inspect.getdoc(workspace.Workspace) or "")]
    for topic, definitions in methods.items():
        parts.append(f"## {topic}")
        for definition in definitions:
            parts += _function(definition)
    attributes = {
        ast.unparse(node.returns): node.name for node in methods["Topics"] if node.returns
    }
    for facade, definitions in _facades().items():
        parts += [
            f"## workspace.{attributes[facade.name]}",
            _prose(ast.get_docstring(facade) or ""),
        ]
        for definition in definitions:
            parts += _function(definition, f"{attributes[facade.name]}.")
    parts += ["## Values", *_values(), "## Results", *_results()]
    return "\n\n".join(parts)


def _definition(module: Any, name: str) -> ast.FunctionDef:
    tree = ast.parse(inspect.getsource(module))
    return next(
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name
    )


def _methods() -> dict[str, list[ast.FunctionDef]]:
    """The public methods of the workspace by the comment that they follow."""
    source = inspect.getsource(workspace)
    topics = {
        number: found["topic"]
        for number, line in enumerate(source.splitlines(), 1)
        if (found := _TOPIC.match(line))
    }
    grouped: dict[str, list[ast.FunctionDef]] = {topic: [] for topic in topics.values()}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                before = [number for number in topics if number < method.lineno]
                if isinstance(method, ast.FunctionDef) and method.name[0] != "_" and before:
                    grouped[topics[max(before)]].append(method)
    return grouped


def _facades() -> dict[ast.ClassDef, list[ast.FunctionDef]]:
    """The classes behind the attributes of the workspace, with their public methods."""
    return {
        node: [
            method
            for method in node.body
            if isinstance(method, ast.FunctionDef) and method.name[0] != "_"
        ]
        for module in _facade_modules()
        for node in ast.parse(inspect.getsource(module)).body
        if isinstance(node, ast.ClassDef)
    }


def _facade_modules() -> list[Any]:
    found = pkgutil.iter_modules(facades.__path__, f"{facades.__name__}.")
    return [import_module(module.name) for module in found]


def _function(node: ast.FunctionDef, prefix: str = "") -> Iterator[str]:
    is_property = any(ast.unparse(decorator) == "property" for decorator in node.decorator_list)
    yield f"### {prefix}{node.name}"
    yield f"```python\n{_attribute(node) if is_property else _signature(node)}\n```"
    yield _prose(ast.get_docstring(node) or "")


def _attribute(node: ast.FunctionDef) -> str:
    assert node.returns is not None
    return f"{node.name}: {ast.unparse(node.returns)}"


def _signature(node: ast.FunctionDef) -> str:
    arguments_ = node.args
    arguments_.args = [argument for argument in arguments_.args if argument.arg != "self"]
    callbacks = (ast.Lambda, ast.Name)  # the defaults of callbacks
    arguments_.defaults = [
        ast.Constant(...) if isinstance(default, callbacks) else default
        for default in arguments_.defaults
    ]
    arguments_.kw_defaults = [
        ast.Constant(...) if isinstance(default, callbacks) else default
        for default in arguments_.kw_defaults
    ]
    listed = _DEFAULT.sub(r"\1 = ", ast.unparse(arguments_))
    returns = ast.unparse(node.returns) if node.returns else "None"
    line = f"{node.name}({listed}) -> {returns}"
    if len(line) <= _LINE_LENGTH:
        return line
    inner = ",\n".join(f"    {part}" for part in _split(listed))
    return f"{node.name}(\n{inner},\n) -> {returns}"


def _split(listed: str) -> Iterator[str]:
    """The parameters of a signature, one by one."""
    depth, start = 0, 0
    for position, character in enumerate(listed):
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(character, 0)
        if character == "," and not depth:
            yield listed[start:position].strip()
            start = position + 1
    yield listed[start:].strip()


def _prose(text: str) -> str:
    """A docstring with its sections as lists."""
    first, *sections = _SECTION.split(text)
    parts = [first.strip()]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        lines = inspect.cleandoc(body).splitlines()
        if title == "Returns":
            parts.append(f"Returns: {' '.join(line.strip() for line in lines)}")
        else:
            label = "Arguments:" if title == "Args" else "Raises:"
            parts.append(f"{label}\n\n{_items(lines)}")
    return "\n\n".join(parts)


def _items(lines: list[str]) -> str:
    items: list[str] = []
    for line in lines:
        name, _, meaning = line.partition(":")
        if line.startswith(" "):
            items[-1] += f" {line.strip()}"
        else:
            items.append(f"- `{name}`:{meaning}")
    return "\n".join(items)


def _values() -> Iterator[str]:
    lines = [
        f"- `{name}`: {', '.join(f'`{value}`' for value in get_args(kind))}"
        for name, kind in _CHOICES.items()
    ]
    yield "\n".join(lines)
    yield from _type(entry.Origin)


def _results() -> Iterator[str]:
    """The result types of all methods, and the types of their fields."""
    found: dict[str, Any] = {}
    for module in (workspace, *_facade_modules()):
        tree = ast.parse(inspect.getsource(module))
        imported = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for method in ast.walk(tree):
            if isinstance(method, ast.FunctionDef) and method.name[0] != "_":
                for name in _names(method.returns):
                    if name in imported:
                        source, original = imported[name]
                        _add(getattr(import_module(source), original), found)
    for name in sorted(found):
        yield from _type(found[name])


def _names(annotation: ast.expr | None) -> list[str]:
    if annotation is None:
        return []
    return [node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)]


def _add(kind: Any, found: dict[str, Any]) -> None:
    if not isinstance(kind, type) or not is_dataclass(kind):
        return
    key = f"{kind.__name__} {kind.__module__}"
    if key in found:
        return
    found[key] = kind
    module = import_module(kind.__module__)
    for field in fields(kind):
        for name in _names(ast.parse(str(field.type), mode="eval").body):
            _add(getattr(module, name, None), found)


def _type(kind: Any) -> Iterator[str]:
    yield f"### {kind.__name__}"
    text = inspect.getdoc(kind) or ""
    if text and not text.startswith(f"{kind.__name__}("):
        yield text
    yield "\n".join(f"- `{field.name}`: `{field.type}`" for field in fields(kind))
