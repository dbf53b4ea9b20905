"""Chapter: an agent asks how things are connected, and what has changed."""

from __future__ import annotations

from typing import Any, Final

from examples.demo.stage import Host, Stage
from remem.app.opening import open_workspace
from remem.files.layout import Layout
from remem.files.session_tokens import SessionTokens

_MAIN: Final = "agent:main:main"
_GROUP: Final = "agent:main:telegram:group:-100123"
_STATEMENTS: Final[list[dict[str, Any]]] = [
    {"subject": "Mara", "relation": "runs", "object": "Rye & Salt", "valid_at": "2024-03-01"},
    {"subject": "Rye & Salt", "relation": "buys flour from", "object": "Mill Verbeek"},
    {"from": "Mill Verbeek", "relationType": "is in", "to": "Ghent"},
    {"name": "Mara", "entityType": "person", "observations": ["Mara bakes at night."]},
]
_WHERE: Final = (
    "MATCH (p:Person)-[:RUNS]->()-[:BUYS_FLOUR_FROM]->(m)-[:IS_IN]->(place) "
    "RETURN p.name, m.name, place.name"
)
_SUPPLIER: Final = (
    "MATCH ({folded: 'rye & salt'})-[r:BUYS_FLOUR_FROM]->(m) RETURN m.name, r.valid_at"
)


async def run_graph_chapter(stage: Stage) -> None:
    stage.chapter(8, "How things are connected: memory_graph_ingest, memory_graph_query")
    issued = SessionTokens(Layout(stage.folder))
    main, group = (issued.issue(key, "demo").token for key in (_MAIN, _GROUP))
    async with stage.token_server() as host:
        kept = await _call(host, main, "memory_graph_ingest", statements=_STATEMENTS)
        for one in kept.get("kept", []):
            stage.say(one["statement"])
        found = await _call(host, main, "memory_graph_query", query=_WHERE)
        stage.say(f"{_WHERE} → {found.get('rows')}", dim=True)
        stage.claim(
            "a question over three relations is answered, without a model",
            found.get("rows") == [["Mara", "Mill Verbeek", "Ghent"]],
        )
        await _changed(stage, host, main, kept)
        await _refused(stage, host, main, group)


async def _changed(stage: Stage, host: Host, token: str, kept: dict[str, Any]) -> None:
    supplier = next(one for one in kept["kept"] if "buys flour" in one["statement"])
    new = {**_STATEMENTS[1], "object": "Mill Peeters", "supersedes": [supplier["id"]]}
    await _call(host, token, "memory_graph_ingest", statements=[new])
    now = await _call(host, token, "memory_graph_query", query=_SUPPLIER)
    both = await _call(host, token, "memory_graph_query", query=_SUPPLIER, history=True)
    names = sorted(row[0] for row in both.get("rows", []))
    stage.say(f"the flour comes from another mill now: {[row[0] for row in now['rows']]}")
    stage.claim(
        "the new statement holds, and the old one is history",
        [row[0] for row in now["rows"]] == ["Mill Peeters"]
        and names == ["Mill Peeters", "Mill Verbeek"],
    )


async def _refused(stage: Stage, host: Host, main: str, group: str) -> None:
    query = "MATCH (n) DETACH DELETE n"
    written = await host.call("memory_graph_query", session_token=main, query=query)
    stage.say(written.text, dim=True)
    stage.claim("a query that writes is refused, with the place", written.refused)
    with open_workspace(stage.folder, "main", background=False) as owner:
        rows = owner.graph.view("path", "Mara", "Mill Peeters").rows
    stage.say(f"$ remem graph path Mara 'Mill Peeters' → {rows[0][0]}")
    opened = await host.call("memory_graph_query", session_token=group, query=_WHERE)
    stage.claim("a group's graph contains nothing of main's", "Verbeek" not in opened.text)


async def _call(host: Host, token: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return (await host.call(tool, session_token=token, **arguments)).value
