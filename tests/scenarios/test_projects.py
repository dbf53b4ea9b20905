"""Memories of several projects in one workspace: recorded, preferred, marked and filtered."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.errors import InvalidInput
from remem.files.project_folder import project_of
from tests.tables import each_row

Visit = Callable[[str | None], Workspace]


@pytest.fixture
def atlas(home: Path) -> Path:
    """A repository, with a folder inside it."""
    (home / "src/atlas/.git").mkdir(parents=True)
    (home / "src/atlas/web").mkdir()
    return home / "src/atlas"


@pytest.fixture
def visit(root: Path, home: Path, atlas: Path) -> Iterator[Visit]:
    """Open the memory from a folder of the home; the conversation before is closed."""
    (home / "src/borealis").mkdir()
    opened: list[Workspace] = []

    def close() -> None:
        if opened:
            opened.pop().close()

    def open_(folder: str | None) -> Workspace:
        close()
        place = None if folder is None else home / folder
        opened.append(open_workspace(root, background=False, keywords_only=True, project=place))
        return opened[0]

    yield open_
    close()


def restrict(root: Path) -> None:
    (root / ".remem").mkdir(parents=True, exist_ok=True)
    (root / ".remem/config.toml").write_text('this_project_only = true\nembedder = "none"\n')


def marked(memory: Workspace, query: str) -> dict[str, str | None]:
    return {entry.content: entry.project for entry in memory.recall(query).entries}


def test_a_memory_records_the_repository_that_it_was_stored_in(visit: Visit) -> None:
    stored = visit("src/atlas/web").store(category="fact", content="The port is 8080.")

    assert visit(None).entry(stored.id).tags == ("project:~/src/atlas",)


@pytest.mark.parametrize("folder", ["", "..", "nowhere"])
def test_the_home_folder_and_what_is_above_it_are_no_projects(
    home: Path, root: Path, folder: str
) -> None:
    assert project_of(home / folder, root, home) is None


@each_row("tags", [5, [5], "work"])
def test_tags_that_are_no_list_of_texts_are_refused_in_a_project(visit: Visit, tags: Any) -> None:
    with pytest.raises(InvalidInput, match="tag"):
        visit("src/atlas").store(category="fact", content="The port is 8080.", tags=tags)


def test_the_folder_of_the_memory_is_no_project(home: Path, root: Path) -> None:
    (root / "notes").mkdir(parents=True)

    assert project_of(root, root, home) is None
    assert project_of(root / "notes", root, home) is None


def test_recall_marks_what_comes_from_another_project(visit: Visit) -> None:
    visit("src/atlas").store(category="fact", content="The port of atlas is 8080.")
    visit("src/borealis").store(category="fact", content="The port of borealis is 9090.")
    memory = visit("src/borealis")

    assert marked(memory, "which port?") == {
        "The port of atlas is 8080.": "~/src/atlas",
        "The port of borealis is 9090.": None,
    }
    assert all("project:" not in tag for e in memory.recall("port").entries for tag in e.tags)


def test_recall_prefers_the_current_project(visit: Visit) -> None:
    for folder in ("src/atlas", "src/borealis"):
        visit(folder).store(category="fact", content=f"The port is {len(folder)}000.")

    for folder in ("src/atlas", "src/borealis"):
        first = visit(folder).recall("What is the port?").entries[0]
        assert first.content == f"The port is {len(folder)}000."


def test_the_only_right_answer_is_found_from_every_project(visit: Visit) -> None:
    visit("src/atlas").store(category="decision", content="We chose PostgreSQL for billing.")
    visit("src/borealis").store(category="fact", content="The port is 9090.")

    found = visit("src/borealis").recall("Which database did we choose for billing?").entries
    assert "PostgreSQL" in found[0].content


def test_a_filter_restricts_recall_index_and_start_to_the_project(visit: Visit, root: Path) -> None:
    restrict(root)
    visit(None).store(category="preference", content="Mara wants short answers.")
    visit("src/atlas").store(category="preference", content="Atlas is written with tabs.")
    visit("src/borealis").store(category="preference", content="Borealis is written with spaces.")

    memory = visit("src/borealis")
    texts = (
        " ".join(marked(memory, "written answers")),
        memory.index().text,
        memory.start().text,
    )
    for text in texts:
        assert "Borealis is written with spaces." in text
        assert "Mara wants short answers." in text
        assert "Atlas" not in text
    assert "Atlas is written" in visit(None).index().text
    assert "Atlas is written" in (root / "memory/INDEX.md").read_text()


def test_what_is_said_in_two_projects_belongs_to_both(visit: Visit, root: Path) -> None:
    restrict(root)
    for folder in ("src/atlas", "src/borealis"):
        stored = visit(folder).store(category="instruction", content="Sign every commit.")

    for folder in ("src/atlas", "src/borealis"):
        assert marked(visit(folder), "sign commits") == {"Sign every commit.": None}
    assert stored.deduplicated


@pytest.mark.parametrize("order", [(None, "src/atlas"), ("src/atlas", None)])
def test_what_is_also_said_outside_of_projects_is_general(
    visit: Visit, order: tuple[str | None, ...]
) -> None:
    for folder in order:
        stored = visit(folder).store(category="instruction", content="Sign every commit.")

    assert visit(None).entry(stored.id).tags == ()


def test_the_project_survives_export_import_and_the_loss_of_the_database(
    visit: Visit, root: Path, tmp_path: Path
) -> None:
    visit("src/atlas").store(category="fact", content="The port is 8080.")
    exported = [line.encode() for line in visit(None).export()]
    with open_workspace(tmp_path / "new", background=False, keywords_only=True) as other:
        other.import_lines(lambda: exported)
        assert marked(other, "port") == {"The port is 8080.": "~/src/atlas"}

    visit(None).close()
    shutil.rmtree(root / ".remem/main")
    with open_workspace(root, background=False, keywords_only=True, start_empty=True) as again:
        again.maintenance.restore_from_files()
        assert marked(again, "port") == {"The port is 8080.": "~/src/atlas"}


def test_a_room_has_no_project(root: Path, atlas: Path) -> None:
    key = "agent:main:telegram:direct:77"
    with open_workspace(root, key, background=False, project=atlas) as memory:
        stored = memory.store(category="fact", content="The port is 8080.")
        assert memory.entry(stored.id).tags == ()


def test_a_hook_flushes_into_the_project_of_its_folder(
    root: Path, home: Path, atlas: Path, visit: Visit
) -> None:
    transcript = home / ".claude/projects/-src-atlas/one.jsonl"
    transcript.parent.mkdir(parents=True)
    said = "Remember: from now on I want the release notes of this service in French."
    record = {
        "type": "user",
        "uuid": "1",
        "sessionId": "one",
        "timestamp": "2026-11-15T10:00:00Z",
        "cwd": str(atlas),
        "message": {"role": "user", "content": said},
    }
    transcript.write_text(json.dumps(record) + "\n")
    visit(None).close()
    event = {"session_id": "one", "transcript_path": str(transcript), "cwd": str(atlas / "web")}
    remem = [sys.executable, "-m", "remem", "--workspace", str(root), "hook"]
    end = [*remem, "stop", "--host", "claude-code"]
    subprocess.run(end, input=json.dumps(event).encode(), check=True)
    subprocess.run([*remem, "due"], check=True)

    found = visit(None).recall("release notes in French").entries
    assert [entry.project for entry in found if entry.id.startswith("mem-")] == ["~/src/atlas"]


def test_a_server_belongs_to_the_project_that_it_was_started_in(root: Path, atlas: Path) -> None:
    open_workspace(root, background=False, keywords_only=True).close()
    arguments = ["-m", "remem", "--workspace", str(root), "serve"]
    server = StdioServerParameters(
        command=sys.executable, args=arguments, cwd=str(atlas), env=dict(os.environ)
    )

    async def story() -> str:
        async with Client(server) as client:
            memory = {"category": "fact", "content": "The port is 8080."}
            stored = await client.call_tool("memory_store", memory)
            assert stored.structured_content is not None
            return str(stored.structured_content["id"])

    id_ = anyio.run(story)
    with open_workspace(root, background=False, keywords_only=True) as memory:
        assert memory.entry(id_).tags == ("project:~/src/atlas",)
