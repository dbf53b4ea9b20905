"""The tools for the graph: queries in read-only Cypher, and adding relations."""

from __future__ import annotations

from typing import Final

from remem.app.tools.declare import Parameter, Tool
from remem.model.arguments import MAX_BUDGET, MIN_BUDGET

GRAPH_QUERY: Final = Tool(
    name="memory_graph_query",
    command="graph",
    title="Query the memory graph",
    purpose=(
        "Ask how memories, people, projects and things are connected, in read-only openCypher: "
        "which projects use a technology, what changed over time, what links two people. "
        "Call it with an empty query first: it returns labels and relationship types with counts, "
        "and examples. Nodes have name, folded (the name in lower case, for lookups) and, for "
        "memories, id and text; relationships have record, valid_at and invalid_at. "
        "Returns columns and rows within the budget."
    ),
    help="""Query how memories, people and things are connected.

QUERY is a read-only openCypher query; without one, the labels and types of the graph are listed.
`remem graph show NAME`, `neighbours NAME`, `path NAME NAME` and `changes NAME` need no Cypher;
`path` finds connections of at most four relations. `remem graph sync URL` copies the graph to a
server such as Neo4j. `remem graph merge NAME INTO` makes two names one thing, `split NAME` undoes
it, and `distinct NAME NAME` keeps them apart.""",
    examples=(
        "remem graph",
        "remem graph show Acme",
        "remem graph path Ann Acme",
        "remem graph changes Ann --since 2026-01-01",
        "remem graph merge 'ACME Corp' Acme",
        'remem graph "MATCH (p:Project)-[:USES]->(t) RETURN p.name, t.name"',
    ),
    argument="query",
    parameters=(
        Parameter("query", "text", "an openCypher query that only reads; empty for the schema"),
        Parameter("params", "object", "the values of $parameters in the query"),
        Parameter("as_of", "text", "show what was true at the end of this ISO date"),
        Parameter("history", "boolean", "show relations that have ended too"),
        Parameter("untrusted", "boolean", "show relations from untrusted memories too"),
        Parameter(
            "token_budget",
            "integer",
            "maximum cost of the answer in tokens",
            default=3000,
            minimum=MIN_BUDGET,
            maximum=MAX_BUDGET,
        ),
    ),
    returns="remem.graph.answer:GraphAnswer",
    run=lambda workspace, arguments: workspace.graph.query(**arguments),
    read_only=True,
    profiles=("full",),
)

GRAPH_INGEST: Final = Tool(
    name="memory_graph_ingest",
    command="ingest",
    title="Add relations to the memory graph",
    purpose=(
        "Remember how named things are related: subject, relation, object. Also takes entities "
        "with observations, as the MCP memory server does. Each statement is kept as a memory; "
        "the same statement twice is kept once. A new statement replaces an old one only if you "
        "name the old one in supersedes, or if the owner declared the relation single-valued."
    ),
    help="""Add relations between named things to the memory.

STATEMENTS is a file with a JSON list (`-` is standard input), or use --subject, --relation and
--object for a single relation. Each statement becomes a memory such as
`[[Ann]] works at [[Acme]]`, which you can read, edit and forget like any other.""",
    examples=(
        "remem ingest --subject Ann --relation 'works at' --object Acme",
        "remem ingest relations.json",
    ),
    argument="statements",
    parameters=(
        Parameter(
            "statements",
            "objects",
            "what to remember",
            required=True,
            fields=(
                Parameter("subject", "text", "a name"),
                Parameter("relation", "text", "such as works at"),
                Parameter("object", "text", "another name"),
                Parameter("valid_at", "text", "ISO date since when it is true"),
                Parameter("supersedes", "texts", "ids of memories that this replaces"),
                Parameter("name", "text", "an entity, instead of a relation"),
                Parameter("entityType", "text", "what the entity is"),
                Parameter("observations", "texts", "what is known about the entity"),
            ),
        ),
    ),
    returns="remem.graph.answer:IngestReport",
    run=lambda workspace, arguments: workspace.graph.ingest(**arguments),
    profiles=("full",),
)
