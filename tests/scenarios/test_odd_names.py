"""A file whose name is not UTF-8 is searched, read and kept like any other, and no file, whatever
is wrong with it, stops a backup."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from remem.errors import NotAllowed, RememError
from remem.files import archive
from remem.files.layout import Layout
from remem.ops.backup import back_up
from tests.conftest import Opener

ODD = {
    b"caf\xe9.md": "# Root\n\n- The bittern booms.\n",
    b"memory/caf\xe9.md": "# Birds\n\n- The zebrafinch sings at dawn.\n",
    b"memory/\xe9t\xe9/note.md": "# Summer\n\n- The heron fishes at noon.\n",
    b"memory/main/projects/\xfcber.md": "# Project\n\n- The badger digs a tunnel.\n",
    b"memory/domains/odd\xe9.md": "# Odd\n\n- The stork returns.\n",
    b"memory/12:30 one\ntwo.md": "# Time\n\n- The otter swims upstream.\n",
    b"memory/My%20Note.md": "# Web\n\n- The lynx hunts at night.\n",
    "memory/a\u202fb.md".encode(): "# Space\n\n- The ibis wades.\n",
    b"brain/areas/m\xe4ra/summary.md": "# Mara\n\n- The curlew calls.\n",
}


@pytest.fixture
def workspace(root: Path) -> Path:
    for name, text in {b"MEMORY.md": "# Main\n\n- The gateway hums.\n", **ODD}.items():
        path = Path(os.fsdecode(os.fsencode(root) + b"/" + name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / ".remem").mkdir()
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    return root


def remem(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "remem", "--workspace", str(root), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr, (arguments, done.stderr)
    return done


def contents(root: Path) -> dict[bytes, bytes]:
    found = {}
    for place, _, names in os.walk(os.fsencode(root)):
        for name in names:
            path = os.path.join(place, name)
            inside = os.path.relpath(path, os.fsencode(root))
            if not inside.startswith(b".remem") and os.path.isfile(path):
                with open(path, "rb") as file:
                    found[inside] = file.read()
    return found


@pytest.mark.parametrize("kept", ["kept.tar.gz", "kept"])
def test_such_files_come_back_from_a_backup_byte_for_byte(
    workspace: Path, tmp_path: Path, kept: str
) -> None:
    done = remem(workspace, "backup", str(tmp_path / kept))
    assert done.returncode == 0, done.stderr
    before = contents(workspace)

    back = remem(tmp_path / "restored", "restore", str(tmp_path / kept))

    assert back.returncode == 0, back.stderr
    assert ODD.keys() <= before.keys()
    assert contents(tmp_path / "restored") == before
    assert "left out" not in done.stderr


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("zebrafinch", "memory/caf%E9.md"),
        ("heron", "memory/%E9t%E9/note.md"),
        ("badger", "memory/main/projects/%FCber.md"),
        ("lynx", "memory/My%20Note.md"),
        ("curlew", "brain/areas/m%E4ra/summary.md"),
    ],
)
def test_its_words_are_found_and_the_path_can_be_read(
    workspace: Path, opened: Opener, word: str, path: str
) -> None:
    memory = opened()

    (hit,) = memory.search(word).results
    excerpt = memory.get(hit.path)

    assert hit.path == path
    assert word in excerpt.text
    assert excerpt.path == path


def test_a_client_searches_and_reads_it(workspace: Path) -> None:
    arguments = ["-m", "remem", "--workspace", str(workspace), "serve"]
    server = StdioServerParameters(command=sys.executable, args=arguments)
    texts: list[str] = []

    async def story() -> None:
        async with Client(stdio_client(server)) as client:
            found = await client.call_tool("memory_search", {"query": "zebrafinch"})
            (hit,) = found.structured_content["results"]
            got = await client.call_tool("memory_get", {"path": hit["path"]})
            recalled = await client.call_tool("memory_recall", {"query": "zebrafinch"})
            texts.extend([got.structured_content["text"], json.dumps(recalled.structured_content)])

    anyio.run(story)

    assert all("zebrafinch sings at dawn" in text for text in texts)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        *("init", "refresh", "status", "audit --recommend", "doctor", "migrate", "validate"),
        *("search heron", "recall heron", "index", "start", "maintain --all", "synthesize"),
        *("fact entities", "rebuild", "rebuild --from-files", "export", "doctor --repair"),
        *("graduate", "heartbeat", "open heron", "status --json", "migrate --json"),
    ],
)
def test_no_command_breaks_off_over_such_a_workspace(workspace: Path, command: str) -> None:
    before = {name: contents(workspace)[name] for name in ODD}

    done = remem(workspace, *command.split())

    assert done.returncode == 0 or command.startswith("validate"), done.stderr
    assert {name: contents(workspace)[name] for name in ODD} == before


def test_where_a_plain_name_looks_the_same_the_plain_file_is_meant(
    workspace: Path, opened: Opener
) -> None:
    (workspace / "memory/caf%E9.md").write_text("# Plain\n\n- The wagtail nods.\n")
    memory = opened()

    (problem,) = memory.refresh().problems

    assert problem.path == "memory/caf%E9.md"
    assert "rename it" in problem.reason
    assert "wagtail" in memory.get("memory/caf%E9.md").text


def test_no_wall_is_passed_by_writing_a_path_in_escapes(workspace: Path, opened: Opener) -> None:
    secret = workspace / "memory/groups/kitchen/attention.md"
    secret.parent.mkdir(parents=True)
    secret.write_text("The oven is hot.")
    memory = opened()

    for path in ("memory/%67roups/kitchen/attention.md", "memory/groups%2Fkitchen/attention.md"):
        with pytest.raises(RememError):
            memory.get(path)
    with pytest.raises(NotAllowed, match="not an allowed"):
        memory.get("memory/groups/kitchen/attention.md")


@pytest.mark.usefixtures("modes_hold")
def test_what_cannot_be_read_is_left_out_by_name_and_the_rest_is_kept(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, folder = workspace / "memory/closed.md", workspace / "memory/closed"
    closed.write_text("mine")
    folder.mkdir()
    closed.chmod(0)
    folder.chmod(0)
    os.mkfifo(workspace / "memory/pipe.md")
    (workspace / "memory/link.md").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(workspace / "memory")  # the path of a socket must be short
        listening.bind("socket.md")
    try:
        done = back_up(Layout(workspace), tmp_path / "kept")
    finally:
        folder.chmod(0o700)

    reasons = dict(zip(done.left_out, done.reasons, strict=True))
    assert set(reasons) == {
        f"memory/{name}" for name in ("closed.md", "closed", "pipe.md", "link.md", "socket.md")
    }
    assert "Permission denied" in reasons["memory/closed.md"]
    assert "cannot be listed" in reasons["memory/closed"]
    assert (tmp_path / "kept/MEMORY.md").is_file()


def test_a_file_that_vanishes_while_it_is_copied_is_left_out(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = archive.copy_file

    def removing(source: Path, target: Path) -> archive.BackupFile:
        if source.name == "MEMORY.md":
            source.unlink()
        return copied(source, target)

    monkeypatch.setattr(archive, "copy_file", removing)

    done = back_up(Layout(workspace), tmp_path / "kept")

    assert done.left_out == ("MEMORY.md",)
    assert "No such file" in done.reasons[0]


def test_a_backup_made_by_somebody_else_cannot_write_elsewhere_by_its_escapes(
    workspace: Path, tmp_path: Path
) -> None:
    back_up(Layout(workspace), tmp_path / "kept")
    manifest = tmp_path / "kept/manifest.json"
    value = json.loads(manifest.read_text())
    for hostile in ("memory/%2E%2E/%2E%2E/x.md", "memory/a%2Fb.md", "memory/a%00.md"):
        value["files"][0] |= {"path": hostile, "escaped": True}
        manifest.write_text(json.dumps(value))

        done = remem(tmp_path / "restored", "restore", str(tmp_path / "kept"))

        assert done.returncode == 1
        assert "cannot be unescaped" in done.stderr
        assert not list((tmp_path / "restored").rglob("*.md"))
