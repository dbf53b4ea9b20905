"""The command `graph`, which queries relations between things, and `ingest`, which adds some."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

import click

from remem.app.tools.declare import call
from remem.app.tools.graph import GRAPH_INGEST, GRAPH_QUERY
from remem.cli.commands.tools import is_option_given, make_command, read_json
from remem.cli.opening import CommandTarget, next_step, opened
from remem.cli.terminal import progress, respond, say, say_notes, say_table
from remem.errors import InvalidInput, counted
from remem.text.markdown import one_line

if TYPE_CHECKING:
    from remem.app.workspace import Workspace
    from remem.graph.answer import GraphAnswer, IngestReport, SplitReport
    from remem.graph.server_copy import SyncReport

_VIEWS: Final = ("show", "neighbours", "path", "changes")
_DECISIONS: Final = {"merge": 2, "split": 1, "distinct": 2}
"""The decisions about names, and the number of names that each takes."""
_MAX_CELL_LENGTH: Final = 70
_NAMES: Final = click.Argument(["names"], nargs=-1)
_SINCE: Final = click.Option(
    ["--since"], metavar="DATE", help="For `changes`: only since this date."
)
_RELATION: Final = tuple(
    click.Option([f"--{name}"], metavar="NAME", help=help_)
    for name, help_ in (
        ("subject", "The thing that has the relation."),
        ("relation", "The relation, such as 'works at'."),
        ("object", "The thing that it is related to."),
    )
)


def _graph(
    target: CommandTarget,
    /,
    as_json: bool,
    query: str | None,
    names: tuple[str, ...],
    since: str | None,
    **values: Any,
) -> None:
    options = {name: value for name, value in values.items() if is_option_given(value)}
    with opened(target) as workspace:
        if query == "sync":
            with progress() as report:
                copied = workspace.graph.copy_to_server("".join(names[:1]), progress=report)
            respond(copied, as_json, _show_copy)
            return
        if query in _DECISIONS:
            _decide(workspace, query, names, as_json)
            return
        if query in _VIEWS:
            answer = workspace.graph.view(
                query, *names, since=since, token_budget=options.get("token_budget", 3000)
            )
        elif names:
            raise click.UsageError("Quote the query, so that it is one argument.")
        else:
            if query is not None:
                options["query"] = query
            if "params" in options:
                options["params"] = _parameters(options["params"])
            answer = cast("GraphAnswer", call(GRAPH_QUERY, workspace, options))
        respond(answer, as_json, _show_rows)


def _decide(workspace: Workspace, action: str, names: tuple[str, ...], as_json: bool) -> None:
    """Merge or separate names."""
    if len(names) != _DECISIONS[action]:
        raise click.UsageError(f"Use {action} with {counted(_DECISIONS[action], 'name')}.")
    if action == "split":
        respond(workspace.graph.split(*names), as_json, _show_split)
    else:
        decide = workspace.graph.merge if action == "merge" else workspace.graph.keep_apart
        respond(decide(*names), as_json, _show_ingested)


def _show_split(report: SplitReport) -> None:
    for entry in report.forgotten:
        say(f"forgotten  {entry.id}  {entry.content}")


def _show_copy(copied: SyncReport) -> None:
    size = f"{counted(copied.nodes, 'node')}, {counted(copied.relationships, 'relationship')}"
    say(f"{size}: {copied.written} written, {copied.removed} removed")


def _parameters(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"--params is not JSON: {error}", hint='write {"name": "Ann"}') from None
    if not isinstance(value, dict):
        raise InvalidInput("--params is not a JSON object", hint='write {"name": "Ann"}')
    return value


def _show_rows(answer: GraphAnswer) -> None:
    if answer.rows:
        say_table([answer.columns, *([_cell(value) for value in row] for row in answer.rows)])
    else:
        say("no rows")
    for example in answer.examples:
        say(f"remem graph {json.dumps(example)}", fold=False)
    say_notes(answer.notes)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return one_line(text, _MAX_CELL_LENGTH)


def _ingest(
    target: CommandTarget, /, as_json: bool, statements: str | None, **values: str | None
) -> None:
    relation = {name: value for name, value in values.items() if value is not None}
    if relation and statements is not None:
        raise click.UsageError("Use a file, or --subject, --relation and --object.")
    arguments = {"statements": [relation] if relation else read_json(statements, "statements")}
    with opened(target) as workspace:
        report = cast("IngestReport", call(GRAPH_INGEST, workspace, arguments))
        respond(report, as_json, _show_ingested)
    first = next((statement.id for statement in report.kept), None)
    if first:
        next_step(target, f"history {first}", "shows what is stored", quiet=as_json)


def _show_ingested(report: IngestReport) -> None:
    for statement in report.kept:
        say(f"{'known' if statement.known else 'kept'}  {statement.id}  {statement.statement}")
        if statement.superseded:
            say(f"      replaces {', '.join(statement.superseded)}")
        if statement.ended_by:
            say(f"      was true before {statement.ended_by}")
    say(counted(len(report.kept), "statement"))


COMMANDS: Final = {
    "graph": make_command(GRAPH_QUERY, _graph, [_NAMES, _SINCE]),
    "ingest": make_command(GRAPH_INGEST, _ingest, _RELATION),
}
