"""The tools as commands, made from the table that MCP uses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import click

from remem.app.tools.declare import Parameter, Tool, arguments, call
from remem.app.tools.entries import STORE
from remem.app.tools.table import TOOLS
from remem.cli.main import At
from remem.cli.opening import opened, piped, standard_input, warn_of_words_alone
from remem.errors import InvalidInput
from remem.search.answer.answer import answer_text

_POSITIONAL: Final = {
    "store": "content",
    "recall": "query",
    "search": "query",
    "get": "path",
    "flush": "items",
    "open": "message",
    "fact": "action",
    "forget": "id",
    "reinforce": "id",
}
_RANKED: Final[Mapping[str, Callable[[Any], Iterable[str]]]] = {
    "recall": lambda answer: answer.notes,
    "search": lambda found: [found.fallback or ""],
}
"""Where the answers of what ranks by meaning say that they had to do without."""
_SPELLING: Final = {
    "category": ("-c", "--category"),
    "categories": ("-c", "--category"),
    "priority": ("-p", "--priority"),
    "tags": ("-t", "--tag"),
    "token_budget": ("-b", "--token-budget"),
    "maxResults": ("-n", "--max-results"),
    "minScore": ("--min-score",),
}
_HELP: Final = {
    "forget": """Archive one memory.

    Recall leaves it out, its file drops it, its id still reads it. `remem erase` removes a
    memory for good.

    \b
    remem forget mem-3f8k2m1q
    """,
    "heartbeat": """Learn from recent conversations and daily notes.

    Conversations are read where the settings allow it (`transcripts`), from where they were last
    read. Every statement names the file and line it comes from; what is passed over is counted.

    \b
    remem heartbeat
    remem heartbeat --days 30
    """,
    "consolidate": """Keep what recurred in several conversations.

    A statement made in two conversations on two days becomes an entry, or reinforces the entry
    that says the same; a statement about a known entity becomes a fact, or confirms one.
    Contradictions are reported with their places and left to you.
    What is new in conversations and notes is read first, as by `remem heartbeat`. Each run is
    one step: --undo takes the last one back and leaves alone what has changed since.

    \b
    remem consolidate --explain
    remem consolidate --undo
    """,
    "reinforce": """Mark one memory as still relevant.

    It fades more slowly from now on. A faded entry is restored; one that was forgotten
    or replaced is not.

    \b
    remem reinforce mem-3f8k2m1q
    """,
    "fact": """Facts about people, projects and things, with their history.

    ACTION says what to do; what it is done with may follow in WORDS, or stand in the options.
    Nothing is deleted or reworded: a fact that is no longer so is superseded by another. What
    contradicts a fact, or may be the same entity under another name, is reported and left to you.

    \b
    remem fact record "Zoë Müller" "Zoë lives in Bern." --kind person
    remem fact supersede zoë-müller-001 "Zoë lives in Basel."
    remem fact list "Zoë Müller" --as-of 2026-05-01
    remem fact history "Zoë Müller"
    remem fact entities
    remem fact alias "Zoë Müller" Zoe
    remem fact merge zoe-m "Zoë Müller"
    remem fact unmerge zoe-m
    remem fact contradictions
    """,
    "store": """Store one memory.

    CONTENT is the memory itself; `-`, or nothing in a pipe, reads it from standard input.
    Secrets are masked, which the answer says; --keep stores the text as it is.

    \b
    remem store -c preference "David drinks his coffee black." -t coffee
    remem store -c instruction -p critical "Never send mail without asking."
    remem store -c fact --expires 2026-12-31 --trust untrusted - < page.txt
    remem store -c fact --keep "The gate code of the summer house is 4821."
    """,
    "recall": """Recall memories within a token budget.

    QUERY is a question in plain words, or ids of entries; `-`, or nothing in a pipe, reads it
    from standard input. The answer never costs a model more than the token budget.

    \b
    remem recall "how does David like his coffee?"
    remem recall "what did we decide last week?" -c decision -b 500
    remem recall -c project
    remem recall mem-3f8k2m1q --json
    """,
    "search": """Search the memory files.

    QUERY is a question or some of its words, in any language; `-`, or nothing in a pipe, reads
    it from standard input. Finds lines of MEMORY.md, notes, other Markdown that belongs to the
    memory, and of conversations where the settings allow it.

    \b
    remem search "gateway host"
    remem search "PR 42" -n 3 --json
    remem --session agent:main:telegram:group:-100123 search deploy
    """,
    "get": """Read lines of a memory file.

    PATH is what a search has named, relative to the workspace. Files of other chats, and files
    that are no memory, stay closed.

    \b
    remem get MEMORY.md
    remem get memory/2026-11-15.md --from 40 --lines 20
    """,
    "status": """Show the state of the memory.

    What it holds, what it costs, and what is degraded and why.

    \b
    remem status
    remem --session agent:main:telegram:group:-100123 status --json
    """,
    "audit": """Show what the memory costs in tokens.

    Which file costs what, and which of it every conversation pays; what is said twice,
    contradicts itself, is noise or was not seen for a month. --apply changes MEMORY.md, after
    showing how, and --undo changes it back.

    \b
    remem audit
    remem audit --recommend
    remem audit --apply 1
    remem audit --undo
    """,
    "open": """Load what a message needs of a chat's files.

    MESSAGE is what the user has written; `-`, or nothing in a pipe, reads it from standard
    input. A group's gate comes first, then the one file that fits, then at most one of its
    conventions; main's files in the same way. The answer lists what each step did.

    \b
    remem --session agent:main:telegram:group:-100123 open "who decided on the database?"
    remem open "what is next for atlas?" --json
    """,
    "flush": """Write what was learned in a conversation into memory.

    ITEMS is a file with a JSON list of items; `-`, or nothing in a pipe, reads it from standard
    input. Each item has a kind (decision, task, person, fact, rule, context, preference or
    insight) and a text, and may name its project, topic, status and trust. With --transcript,
    a host's transcript is read from where it was last flushed. Repeating it changes nothing.

    \b
    echo '[{"kind": "task", "text": "Order seeds", "status": "done"}]' | remem flush
    remem flush items.json --json
    remem flush --transcript ~/.claude/projects/-home-me-garden/3f2a.jsonl
    """,
}


def _command(tool: Tool) -> click.Command:
    positional = _POSITIONAL.get(tool.command)

    @click.pass_obj
    def run(at: At, /, as_json: bool, keep: bool = False, **values: Any) -> None:
        given = {name: value for name, value in values.items() if _said(value)}
        if positional and (positional in given or piped() or _required(tool, positional)):
            given[positional] = _text_of(given.get(positional), positional)
        given = decoded(tool, given)
        with opened(at) as workspace:
            result: Any
            if keep:
                result = workspace.store(keep_secrets=True, **arguments(tool, given))
            else:
                result = call(tool, workspace, given)
            if as_json:
                click.echo(answer_text(result))
            else:
                from remem.cli.render import show  # rich is slow to import

                show(result)
            warn_of_words_alone(workspace, _RANKED.get(tool.command, _nothing)(result))

    return click.Command(
        tool.command,
        callback=run,
        params=[
            *(_param(parameter, positional) for parameter in tool.parameters),
            *([_KEEP] if tool is STORE else []),
            _JSON,
        ],
        help=_HELP[tool.command],
    )


def _nothing(_result: Any) -> Iterable[str]:
    return ()


def decoded(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values, with lists of objects read from their JSON."""
    objects = {parameter.name for parameter in tool.parameters if parameter.kind == "objects"}
    return {
        name: _json(value, name) if name in objects and isinstance(value, str) else value
        for name, value in given.items()
    }


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{name} is not JSON: {error}", hint="write a JSON list") from None


def _required(tool: Tool, name: str) -> bool:
    return any(parameter.required for parameter in tool.parameters if parameter.name == name)


_KEEP: Final = click.Option(
    ["--keep"], is_flag=True, help="Mask no secrets; only for the owner, in main."
)
"""Not a parameter of the tool: an agent must not be able to ask for it."""
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
