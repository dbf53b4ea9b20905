"""remem in place of the MCP memory server: the same tools, the same file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import TextContent

from remem import open_workspace
from remem.app.tools.table import tools_of
from remem.app.workspace import Workspace
from remem.errors import InvalidInput
from remem.mcp.server import KNOWLEDGE_URI, make_server
from remem.mcp.sessions import SessionHandle
from tests.commands import output_of, run_command

ANN = {"name": "Ann", "entityType": "person", "observations": ["speaks Thai", "likes tea"]}
ACME = {"name": "Acme", "entityType": "company", "observations": []}
WORKS = {"from": "Ann", "to": "Acme", "relationType": "works_at"}


@pytest.fixture(autouse=True)
def without_model(tmp_path: Path) -> None:
    """Search by meaning is not the topic here, and each tool call opens the memory again."""
    (tmp_path / ".remem").mkdir()
    (tmp_path / ".remem/config.toml").write_text('embedder = "none"\n')


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    with open_workspace(tmp_path, trust="agent") as workspace:
        yield workspace


def call(memory: Workspace, name: str, **arguments: Any) -> tuple[Any, str]:
    """The structured result of a tool and its text, as a real client receives them."""

    async def main() -> tuple[Any, str]:
        server = make_server(SessionHandle(lambda: memory), tools_of("mcp-memory"))
        async with Client(server) as client:
            result = await client.call_tool(name, arguments)
        (content,) = result.content
        assert isinstance(content, TextContent)
        if result.is_error:
            raise InvalidInput(content.text)
        return result.structured_content, content.text

    return anyio.run(main)


@pytest.fixture
def known(tmp_path: Path) -> Any:
    """A function that opens the memory, calls one tool and closes it again."""

    def run_tool(name: str, **arguments: Any) -> tuple[Any, str]:
        return call(open_workspace(tmp_path, trust="agent"), name, **arguments)

    run_tool("create_entities", entities=[ANN, ACME])
    run_tool("create_relations", relations=[WORKS])
    return run_tool


def test_the_nine_tools_have_the_names_that_agents_know() -> None:
    assert [tool.name for tool in tools_of("mcp-memory")] == [
        "create_entities",
        "create_relations",
        "add_observations",
        "delete_entities",
        "delete_observations",
        "delete_relations",
        "read_graph",
        "search_nodes",
        "open_nodes",
    ]


def test_what_was_created_is_read_back(known: Any) -> None:
    graph, text = known("read_graph")
    assert graph == {"entities": [ANN, ACME], "relations": [WORKS]}
    assert json.loads(text) == graph


def test_only_new_entities_and_relations_are_returned(known: Any) -> None:
    bo = {"name": "Bo", "entityType": "person", "observations": []}
    created, text = known("create_entities", entities=[ANN, bo])
    assert created == {"entities": [bo]}
    assert json.loads(text) == [bo]
    assert known("create_relations", relations=[WORKS])[0] == {"relations": []}


def test_new_observations_about_a_known_entity_are_kept(known: Any) -> None:
    more = {**ANN, "observations": ["likes tea", "plays chess"]}
    created, _ = known("create_entities", entities=[more])
    assert created["entities"][0]["observations"] == ["plays chess"]
    opened, _ = known("open_nodes", names=["Ann"])
    assert opened["entities"][0]["observations"] == ["speaks Thai", "likes tea", "plays chess"]


def test_observations_are_added_once_and_only_to_known_entities(known: Any) -> None:
    added, _ = known(
        "add_observations",
        observations=[{"entityName": "Ann", "contents": ["likes tea", "owns a boat"]}],
    )
    assert added == {"results": [{"entityName": "Ann", "addedObservations": ["owns a boat"]}]}
    with pytest.raises(InvalidInput, match="Entity with name Zoe not found"):
        known("add_observations", observations=[{"entityName": "Zoe", "contents": ["x"]}])


def test_deleting_archives(known: Any, tmp_path: Path) -> None:
    deleted = {"entityName": "Ann", "observations": ["likes tea"]}
    answer, text = known("delete_observations", deletions=[deleted])
    assert text == "Observations deleted successfully"
    assert answer == {"success": True, "message": text}
    known("delete_relations", relations=[WORKS])
    known("delete_entities", entityNames=["Acme", "nobody"])
    assert known("read_graph")[0] == {
        "entities": [{**ANN, "observations": ["speaks Thai"]}],
        "relations": [],
    }
    with open_workspace(tmp_path) as memory:
        archived = {entry.content for entry in memory.entries(archived=True)}
    assert archived == {
        "[[Ann]]: likes tea",
        "[[Ann]] works_at [[Acme]]",
        "[[Acme]] is a [[company]]",
    }


def test_a_deleted_entity_can_be_created_again(known: Any) -> None:
    known("delete_entities", entityNames=["Ann"])
    assert known("create_entities", entities=[ANN])[0] == {"entities": [ANN]}
    assert known("open_nodes", names=["ann"])[0]["entities"] == [ANN]


def test_search_finds_parts_of_words_and_relations_to_other_nodes(known: Any) -> None:
    found, _ = known("search_nodes", query="THA")
    assert found == {"entities": [ANN], "relations": [WORKS]}
    assert known("search_nodes", query="person")[0]["entities"] == [ANN]


def test_search_finds_by_words_where_the_whole_query_does_not_occur(known: Any) -> None:
    found, _ = known("search_nodes", query="who can speak Thai?")
    assert found["entities"][0] == ANN


def test_a_long_graph_comes_in_pages(known: Any) -> None:
    text = "a rather long observation " * 150
    many = [
        {"name": f"Thing {n}", "entityType": "thing", "observations": [f"{n} {text}"]}
        for n in range(24)
    ]
    known("create_entities", entities=many)
    first, _ = known("read_graph")
    assert "more" in first["note"]
    names, cursor, page = [], None, {}
    while not names or cursor:
        page, _ = known("read_graph", **({"cursor": cursor} if cursor else {}))
        names += [entity["name"] for entity in page["entities"]]
        cursor = page.get("nextCursor")
    assert names == ["Ann", "Acme", *(one["name"] for one in many)]
    assert page["relations"] == [WORKS]


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("create_entities", {"entities": [{"name": "Ann", "observations": []}]}, "entityType"),
        ("create_entities", {"entities": [{**ACME, "observations": [7]}]}, "observations"),
        ("create_entities", {"entities": [{**ACME, "name": "a]]b"}]}, "a]]b"),
        ("create_relations", {"relations": [{**WORKS, "to": ""}]}, "to of relation 1"),
        ("read_graph", {"cursor": "x"}, "cursor"),
    ],
)
def test_bad_input_is_named_and_nothing_is_kept(
    known: Any, tool: str, arguments: dict[str, Any], named: str
) -> None:
    before = known("read_graph")[0]
    with pytest.raises(InvalidInput, match=named):
        known(tool, **arguments)
    assert known("read_graph")[0] == before


def test_names_such_as_c_sharp_are_kept(known: Any) -> None:
    known("create_entities", entities=[{**ACME, "name": "C#", "entityType": "language"}])
    assert known("open_nodes", names=["C#"])[0]["entities"][0]["entityType"] == "language"


def test_the_graph_is_a_resource_too(known: Any, tmp_path: Path) -> None:
    async def main() -> str:
        memory = open_workspace(tmp_path, trust="agent")
        server = make_server(SessionHandle(lambda: memory), tools_of("mcp-memory"))
        async with Client(server) as client:
            (content,) = (await client.read_resource(KNOWLEDGE_URI)).contents
        return str(content.text)  # type: ignore[union-attr]

    assert json.loads(anyio.run(main))["relations"] == [WORKS]


def test_untrusted_statements_are_not_shown(known: Any, tmp_path: Path) -> None:
    with open_workspace(tmp_path) as memory:
        memory.store(category="fact", content="[[Eve]]: owns everything", trust="untrusted")
    assert known("open_nodes", names=["Eve"])[0]["entities"] == []


def test_the_servers_file_is_imported_and_exported(tmp_path: Path) -> None:
    lines = [{"type": "entity", **ANN}, {"type": "entity", **ACME}, {"type": "relation", **WORKS}]
    file = tmp_path / "memory.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    root = tmp_path / "workspace"
    output_of(root, "init")
    assert "5 stored" in output_of(root, "import", str(file))
    assert "0 stored" in output_of(root, "import", str(file))
    shown = output_of(root, "export", "--format", "mcp-memory")
    assert [json.loads(line) for line in shown.splitlines()] == lines


def test_the_servers_file_is_found_in_its_default_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "workspace"
    output_of(root, "init")
    missing = run_command(root, "import", "mcp-memory")
    assert missing.exit_code != 0
    assert "MEMORY_FILE_PATH" in missing.stderr
    package = "node_modules/@modelcontextprotocol/server-memory/dist"
    file = tmp_path / "home/.npm/_npx/0f3a" / package / "memory.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"type": "entity", **ANN}))
    assert "3 stored" in output_of(root, "import", "mcp-memory")


def test_a_line_that_cannot_be_imported_is_named(memory: Workspace) -> None:
    bad = [{"type": "entity", **ANN}, {"type": "relation", "from": "Ann", "relationType": "knows"}]
    with pytest.raises(InvalidInput, match="line 2"):
        memory.import_lines(lambda: [json.dumps(line).encode() for line in bad])
    assert memory.entries() == []


def test_words_that_the_owner_erased_are_not_announced_as_added(known: Any, tmp_path: Path) -> None:
    known("create_entities", entities=[ANN])
    with open_workspace(tmp_path) as owner:
        (tea,) = [entry.id for entry in owner.entries() if "tea" in entry.content]
        owner.erase(tea)
    more = {"entityName": "Ann", "contents": ["likes tea", "likes jazz"]}

    with pytest.raises(InvalidInput, match="the owner has erased"):
        known("add_observations", observations=[more])

    _, text = known("read_graph")
    assert "jazz" not in text
