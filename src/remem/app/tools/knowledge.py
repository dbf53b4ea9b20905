"""The nine tools of the MCP memory server, for agents and prompts that know their names.

They are offered by `remem serve --profile mcp-memory` alone. People use `remem graph` and
`remem ingest` instead, so these tools have no commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from remem.app.tools.declare import Parameter, Tool

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from remem.app.workspace import Workspace

_SERVICE: Final = "remem.app.services.knowledge"
_NAME: Final = Parameter("entityName", "text", "the name of the entity", required=True)
_ENTITY: Final = (
    Parameter("name", "text", "a unique name", required=True),
    Parameter("entityType", "text", "such as person or project", required=True),
    Parameter("observations", "texts", "what is known about it, one fact each", required=True),
)
_RELATION: Final = (
    Parameter("from", "text", "the name of an entity", required=True),
    Parameter("to", "text", "the name of another entity", required=True),
    Parameter("relationType", "text", "in active voice, such as works at", required=True),
)


def _tool(
    name: str,
    purpose: str,
    result: str,
    run: Callable[[Workspace, Mapping[str, Any]], DataclassInstance],
    *parameters: Parameter,
    read_only: bool = False,
) -> Tool:
    return Tool(
        name=name,
        command="",
        title=name.replace("_", " ").title(),
        purpose=purpose,
        help="",
        examples=(),
        parameters=parameters,
        returns=f"{_SERVICE}:{result}",
        run=run,
        read_only=read_only,
        profiles=("mcp-memory",),
    )


KNOWLEDGE_TOOLS: Final[tuple[Tool, ...]] = (
    _tool(
        "create_entities",
        "Remember new entities with their observations. Observations that are new for a known "
        "entity are added to it.",
        "CreatedEntities",
        lambda workspace, arguments: workspace.services.knowledge.create_entities(**arguments),
        Parameter("entities", "objects", "the entities", required=True, fields=_ENTITY),
    ),
    _tool(
        "create_relations",
        "Remember how entities are related, in active voice.",
        "CreatedRelations",
        lambda workspace, arguments: workspace.services.knowledge.create_relations(**arguments),
        Parameter("relations", "objects", "the relations", required=True, fields=_RELATION),
    ),
    _tool(
        "add_observations",
        "Add observations to entities that exist.",
        "AddedObservations",
        lambda workspace, arguments: workspace.services.knowledge.add_observations(**arguments),
        Parameter(
            "observations",
            "objects",
            "the entities with their new observations",
            required=True,
            fields=(_NAME, Parameter("contents", "texts", "the observations", required=True)),
        ),
    ),
    _tool(
        "delete_entities",
        "Forget entities with their observations and relations. They are archived: the owner can "
        "restore them.",
        "DeletionResult",
        lambda workspace, arguments: workspace.services.knowledge.delete_entities(
            arguments["entityNames"]
        ),
        Parameter("entityNames", "texts", "the names of the entities", required=True),
    ),
    _tool(
        "delete_observations",
        "Forget observations about entities. They are archived.",
        "DeletionResult",
        lambda workspace, arguments: workspace.services.knowledge.delete_observations(**arguments),
        Parameter(
            "deletions",
            "objects",
            "the entities with the observations to forget, word for word",
            required=True,
            fields=(_NAME, Parameter("observations", "texts", "the observations", required=True)),
        ),
    ),
    _tool(
        "delete_relations",
        "Forget relations. They are archived.",
        "DeletionResult",
        lambda workspace, arguments: workspace.services.knowledge.delete_relations(**arguments),
        Parameter("relations", "objects", "the relations", required=True, fields=_RELATION),
    ),
    _tool(
        "read_graph",
        "Read the knowledge graph, a page at a time. Prefer search_nodes: it costs less.",
        "KnowledgePage",
        lambda workspace, arguments: workspace.services.knowledge.read_graph(**arguments),
        Parameter("cursor", "text", "the nextCursor of the last page"),
        read_only=True,
    ),
    _tool(
        "search_nodes",
        "Find entities by their name, type or observations, with their relations.",
        "KnowledgePage",
        lambda workspace, arguments: workspace.services.knowledge.search_nodes(**arguments),
        Parameter("query", "text", "what to look for", required=True),
        read_only=True,
    ),
    _tool(
        "open_nodes",
        "Read entities by their names, with their relations.",
        "KnowledgePage",
        lambda workspace, arguments: workspace.services.knowledge.open_nodes(**arguments),
        Parameter("names", "texts", "the names of the entities", required=True),
        read_only=True,
    ),
)
