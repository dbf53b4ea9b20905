"""Arguments for any tool, made from the table: a tool that is new there is tried here by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from remem.app.tools.declare import Parameter, Tool, call
from remem.app.tools.table import TOOLS
from remem.app.workspace import Workspace
from remem.search.answer.answer import answer_text
from tests.scenarios.twin_files import ODD, OWN, QUESTIONS, TEXTS

Strategy = st.SearchStrategy[Any]
SERVED: Counter[tuple[str, str]] = Counter()
"""How often each tool has answered, not refused, each session."""

PATHS = st.sampled_from([*(word for own in OWN.values() for word in own), *ODD])
DARK = "dark"
"""A shared space that exists in one world only; the low session may not use it."""
SPACES = st.sampled_from(["open", DARK, "none"])
_WHOLE = (0, 1, 2, 20, 100, 400, 3000)
_NAMES = {
    "path": PATHS,
    "query": QUESTIONS | PATHS.map(lambda path: f"{path}#L1"),
    "expires": st.sampled_from(["2026-11-16", "2030-01-01"]),
    "now": st.sampled_from(["2026-11-15", "2026-12-01"]),
    "project": st.sampled_from(["atlas", "pip"]),
    "topic": st.sampled_from(["tone", "deploy"]),
    "status": st.sampled_from(["open", "done"]),
    "tags": st.lists(st.sampled_from(["ops", "channel", "mara"]), max_size=2),
    "space": SPACES,
    "spaces": st.lists(SPACES, max_size=2),
    "name": st.sampled_from(["scout", "two words"]),
    "expires_in": st.sampled_from(["30m", "soon"]),
}
"""Values that mean something to a memory; any other parameter gets what fits its kind."""

_IDS = frozenset({"id", "related_to", "supersedes"})
_EXAMPLES = {"path": "MEMORY.md"}


def arguments_for(tool: Tool, ids: Sequence[str]) -> Strategy:
    """Arguments that a tool takes, or nearly; `ids` are of entries that the caller knows."""
    if tool.name == "memory_graph_query":
        return _of_graphs()
    return _of_facts() if tool.name == "memory_fact" else _objects(tool.parameters, ids)


def calls(ids: Sequence[str], tools: Sequence[Tool] = TOOLS) -> Strategy:
    """A tool of the table, with arguments."""
    return st.sampled_from(tools).flatmap(
        lambda tool: st.tuples(st.just(tool), arguments_for(tool, ids))
    )


UNSHARED = tuple(tool for tool in TOOLS if not tool.name.startswith("memory_shared_"))
"""The tools that others may use in one world: in a space of all, they are meant to be seen."""

_FITTING: Mapping[str, Mapping[str, Any]] = {
    "memory_graph_query": {"query": "MATCH (n) RETURN n"},
    "memory_graph_ingest": {
        "statements": [{"subject": "gateway", "relation": "runs on", "object": "atlas"}]
    },
}
"""Tools whose arguments are more than any text or number."""


def fitting(tool: Tool, known_id: str = "mem-00000000") -> Mapping[str, Any]:
    """The fewest arguments with which a tool can be called."""
    if tool.name in _FITTING:
        return _FITTING[tool.name]
    wanted = [
        parameter
        for parameter in tool.parameters
        if parameter.required or parameter.name == "query"
    ]
    return {
        argument.name: known_id if argument.name == "id" else _example(argument)
        for argument in wanted
    }


def with_word(given: Mapping[str, Any], word: str) -> dict[str, Any]:
    """The same arguments, with a word more in everything that is kept as it was said."""
    said = {"content", "context", "text", "message", "fact"}
    return {
        name: f"{value} {word}"
        if name in said
        else [with_word(item, word) for item in value]
        if isinstance(value, list) and value and isinstance(value[0], dict)
        else value
        for name, value in given.items()
    }


class ToolRules(RuleBasedStateMachine):
    """The part of the twins that is about tools: the low session uses any of them in both
    worlds, the others in one."""

    low: str
    ids: list[str]
    worlds: tuple[Any, ...]
    both: Callable[[Callable[[Workspace], Any]], str]
    canary: Callable[[], str]
    _other: Callable[[st.DataObject, Callable[[Workspace], Any]], None]

    @rule(data=st.data())
    def others_use_a_tool(self, data: st.DataObject) -> None:
        tool, given = data.draw(calls(self.ids, UNSHARED))
        secret = with_word(given, self.canary())
        self._other(data, lambda workspace: call(tool, workspace, secret))


def _using(tool: Tool) -> Any:
    """A rule: the low session calls this tool."""

    def use(self: ToolRules, data: st.DataObject) -> None:
        given = data.draw(arguments_for(tool, self.ids))

        def act(workspace: Workspace) -> str:
            result = call(tool, workspace, given)
            SERVED[tool.name, self.low] += 1
            return answer_text(result)

        self.both(act)

    use.__name__ = f"use_{tool.name}"
    return rule(data=st.data())(use)


for _tool in TOOLS:
    setattr(ToolRules, f"use_{_tool.name}", _using(_tool))


def _of_graphs() -> Strategy:
    """Queries that show everything there is, in several ways, and one that fails."""
    queries = [
        "",
        "MATCH (n) RETURN n ORDER BY n.name",
        "MATCH (a)-[r]->(b) RETURN a.name, type(r), b.name, r.record ORDER BY a.name, b.name",
        "MATCH (n) RETURN count(*), collect(n.name)",
        "MATCH (n)-[*1..2]-(m) RETURN count(m)",
        "MATCH (n) RETURN missing",
    ]
    return st.fixed_dictionaries(
        {"query": st.sampled_from(queries)},
        optional={"history": st.booleans(), "untrusted": st.booleans()},
    )


def _of_facts() -> Strategy:
    """Each action takes values of its own, and refuses those of others."""
    entity = st.sampled_from(["Mara", "Zoë", "Atlas"])
    fact = TEXTS | st.sampled_from(["Mara lives in Porto.", "Mara now lives in Lisbon."])
    id_ = st.sampled_from(["mara-001", "zoë-001", "mara-002"])
    forms = {
        "record": {"entity": entity, "fact": fact},
        "supersede": {"id": id_, "fact": fact},
        "list": {"as_of": st.sampled_from(["2026-11-14", "2026-12-01"])},
        "history": {"entity": entity},
        "entities": {},
        "alias": {"entity": entity, "aliases": st.lists(entity, max_size=2)},
        "merge": {"entity": entity, "into": entity},
        "unmerge": {"entity": entity},
        "distinct": {"entity": entity, "into": entity},
        "contradictions": {},
    }
    return st.sampled_from(["record", *forms]).flatmap(
        lambda action: st.fixed_dictionaries({"action": st.just(action), **forms[action]})
    )


def _objects(parameters: Sequence[Parameter], ids: Sequence[str]) -> Strategy:
    return st.fixed_dictionaries(
        {parameter.name: _values(parameter, ids) for parameter in parameters if parameter.required},
        optional={
            parameter.name: _values(parameter, ids)
            for parameter in parameters
            if not parameter.required
        },
    )


def _values(parameter: Parameter, ids: Sequence[str]) -> Strategy:
    if parameter.name in _IDS:
        known = st.sampled_from(ids)
        return st.lists(known, max_size=2) if parameter.kind == "texts" else known
    if parameter.name in _NAMES:
        by_id = st.sampled_from(ids) if parameter.name == "query" else st.nothing()
        return _NAMES[parameter.name] | by_id
    match parameter.kind:
        case "choice":
            return st.sampled_from(parameter.choices)
        case "integer":
            return st.sampled_from(_whole_numbers(parameter))
        case "number":
            return st.sampled_from([0.0, 0.3, 0.9])
        case "boolean":
            return st.booleans()
        case "texts":
            one = st.sampled_from(parameter.choices) if parameter.choices else TEXTS
            return st.lists(one, max_size=3)
        case "objects":
            return st.lists(_objects(parameter.fields, ids), min_size=1, max_size=2)
        case "object":
            return st.just({})
        case "text":
            return TEXTS


def _whole_numbers(parameter: Parameter) -> list[int]:
    """Those within bounds, and one that may be out of them."""
    least, most = parameter.minimum or 0, parameter.maximum or max(_WHOLE)
    return [*(number for number in _WHOLE if least <= number <= most), 0]


def _example(parameter: Parameter) -> Any:
    match parameter.kind:
        case "choice":
            return parameter.choices[0]
        case "integer" | "number":
            return parameter.minimum or 1
        case "boolean":
            return True
        case "texts":
            return [*parameter.choices[:1]] or ["gateway"]
        case "objects":
            return [{field.name: _example(field) for field in parameter.fields if field.required}]
        case "text":
            return _EXAMPLES.get(parameter.name, "gateway")
