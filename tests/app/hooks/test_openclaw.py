"""OpenClaw calls remem through its hook folder: every event, for every kind of chat."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from remem.app.hooks.answer import answer, answer_from_files
from remem.app.hooks.event import read_event
from remem.app.hooks.flushing import pending_flushes
from remem.app.opening import open_workspace
from remem.errors import NotAllowed
from remem.files.layout import Layout
from remem.files.session_tokens import SessionTokens
from remem.model.scope import MAIN, Scope
from remem.setup.activate import activate, roll_back
from remem.setup.hosts.recipes import HOSTS, this_command
from tests.app.hooks.conftest import Call, payload
from tests.setup.hosts.test_connect import folders

MAIN_KEY = "agent:main:main"
GROUP = "agent:main:telegram:group:-100123"
STRANGE = "agent:main:telegram:group:-100999"
ID = "0123abcd"


@pytest.fixture
def ws(call: Call, root: Path) -> Path:
    """Main with a rule of its own, and a group with a gate."""
    (root / "memory/groups").mkdir(parents=True)
    (root / "memory/group_names.json").write_text('{"-100123": "kitchen"}')
    (root / "memory/groups/kitchen.md").write_text("# kitchen\n\nHard rule: recipes only.\n")
    (root / "MEMORY.md").write_text("# Memory\n\n- The venue is the Black Canyon Inn\n")
    with open_workspace(root, background=False) as memory:
        memory.store(category="instruction", content="Never send mail.", priority="critical")
    return root


def said(key: str, root: Path) -> dict[str, Any]:
    return {"sessionKey": key, "sessionId": "s1", "agentId": "main", "workspaceDir": str(root)}


def bootstrap(layout_root: Path, key: str, root: Path) -> Any:
    """The payload, asked for in this process; one test below asks as the handler does."""
    event = read_event("bootstrap", "openclaw", json.dumps(said(key, root)).encode())
    text = answer(Layout(layout_root), event)
    return json.loads(text) if text else {}


def test_before_activation_main_keeps_what_its_host_loads(ws: Path) -> None:
    found = bootstrap(ws, MAIN_KEY, ws)

    assert "in_place_of" not in found
    assert "Never send mail" not in found.get("text", "")


def test_after_activation_the_index_takes_the_place_of_the_file(ws: Path) -> None:
    activate(Layout(ws), ID)
    found = bootstrap(ws, MAIN_KEY, ws)

    assert found["in_place_of"] == "MEMORY.md"
    assert "Never send mail." in found["text"]
    assert "Black Canyon" not in found["text"]
    assert str(ws / "memory/INDEX.md") in found["files"]
    roll_back(Layout(ws))
    assert "in_place_of" not in bootstrap(ws, MAIN_KEY, ws)


@pytest.mark.walls
def test_a_group_begins_with_its_gate_and_nothing_of_main(ws: Path) -> None:
    activate(Layout(ws), ID)

    found = bootstrap(ws, GROUP, ws)

    assert "recipes only" in found["text"]
    assert "Never send mail" not in found["text"]
    assert "in_place_of" not in found
    assert found["path"] == "memory/groups/kitchen.md"
    assert not any("/.remem/main/" in path or "INDEX" in path for path in found["files"])


@pytest.mark.walls
@pytest.mark.parametrize("key", [STRANGE, "agent:main:subagent:1", "cron:x", "", "unknown"])
def test_a_session_without_memory_gets_the_reason_and_nothing_else(ws: Path, key: str) -> None:
    activate(Layout(ws), ID)

    text = bootstrap(ws, key, ws)["text"]

    assert "has no memory" in text
    assert "mail" not in text
    assert "recipes" not in text
    assert ("rooms map" in text) == (key == STRANGE)


@pytest.mark.walls
def test_another_agents_workspace_gets_nothing(ws: Path, tmp_path: Path) -> None:
    assert bootstrap(ws, MAIN_KEY, tmp_path) == {}


def test_the_payload_is_all_that_a_process_prints(process: Call, ws: Path) -> None:
    activate(Layout(ws), ID)

    printed = payload(process("bootstrap", said(MAIN_KEY, ws), "--host", "openclaw"))

    here = bootstrap(ws, MAIN_KEY, ws)
    assert printed.keys() == here.keys()
    assert printed["text"] == here["text"]


@pytest.mark.walls
@pytest.mark.parametrize("key", [MAIN_KEY, GROUP])
def test_a_token_stands_for_its_own_conversation(ws: Path, key: str) -> None:
    found = bootstrap(ws, key, ws)

    token = re.search(r"rmt_\w+", found["token"])
    assert token
    subject = SessionTokens(Layout(ws)).subject_of(token[0])
    assert (subject.session, subject.conversation) == (key, "s1")
    assert found["expires_in"] > 0


@pytest.mark.walls
def test_the_end_of_a_conversation_ends_its_token(call: Call, ws: Path) -> None:
    layout, found = Layout(ws), bootstrap(ws, GROUP, ws)
    other = bootstrap(ws, MAIN_KEY, ws)

    call("session-end", said(GROUP, ws), "--host", "openclaw")

    tokens = SessionTokens(layout)
    (token,) = re.findall(r"rmt_\w+", found["token"])
    with pytest.raises(NotAllowed):
        tokens.subject_of(token)
    assert [kept.session for kept, _ in tokens.valid_tokens()] == [MAIN_KEY]
    assert other["token"]


@pytest.mark.walls
def test_a_chat_without_a_memory_gets_no_token(ws: Path) -> None:
    assert "token" not in bootstrap(ws, STRANGE, ws)
    assert SessionTokens(Layout(ws)).valid_tokens() == []


def test_a_store_that_does_not_answer_leaves_a_room_its_gate(ws: Path) -> None:
    event = read_event("bootstrap", "openclaw", json.dumps(said(GROUP, ws)).encode())

    found = json.loads(answer_from_files(Layout(ws), event, "failed"))

    assert found["text"] == "# kitchen\n\nHard rule: recipes only.\n"
    assert found["token"]


@pytest.mark.walls
def test_what_is_due_is_noted_with_its_own_scope(call: Call, ws: Path) -> None:
    for key in (MAIN_KEY, GROUP, STRANGE):
        told = {**said(key, ws), "messageCount": 7}
        for _ in range(2 if key == GROUP else 1):  # the host may try a compaction again
            assert payload(call("pre-compact", told, "--host", "openclaw")) is None

    layout = Layout(ws)
    assert [due.session for _, due in pending_flushes(layout, MAIN)] == [MAIN_KEY]
    assert [due.session for _, due in pending_flushes(layout, Scope("group", "kitchen"))] == [GROUP]
    assert len(list((ws / ".remem").rglob("due/*.json"))) == 2


UNHURRIED = {  # the limits of the handler, and those for a busy machine
    '"--host", "openclaw"]': '"--host", "openclaw", "--within", "300"]',
    "const timeoutMs = 8000;": "const timeoutMs = 400000;",
}
DRIVER = """
import handler from "./handler.js";
const read = async () => JSON.parse(await new Response(process.stdin).text());
const { events } = await read();
const seen = [];
for (const event of events) {
  event.context ??= {};
  const given = event.context.bootstrapFiles;
  await handler(event);
  seen.push({ files: event.context.bootstrapFiles, given });
}
console.log(JSON.stringify(seen));
"""


@pytest.fixture
def node() -> str:
    found = shutil.which("node", path=f"{Path(this_command(Path()).program).parent}")
    found = found or shutil.which("node")
    if found is None:
        pytest.skip("node is not installed; `make hosts` brings it")
    return found


@pytest.fixture
def handler(ws: Path, home: Path, tmp_path: Path) -> Path:
    """The handler as `connect` writes it, next to a driver that plays the gateway."""
    targets = HOSTS["openclaw"].targets(folders(home), "user", this_command(ws))
    folder = tmp_path / "hook"
    folder.mkdir()
    (folder / "package.json").write_text('{"type": "module"}')
    for target in targets:
        if target.path.parent.name == "remem" and target.path.suffix == ".js":
            source = target.with_additions(None).decode()
            for limit, longer in UNHURRIED.items():
                assert limit in source
                source = source.replace(limit, longer)
            (folder / target.path.name).write_text(source)
    (folder / "driver.js").write_text(DRIVER)
    return folder


def play(node: str, handler: Path, *events: dict[str, Any]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [node, str(handler / "driver.js")],
        input=json.dumps({"events": events}).encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    return list(json.loads(done.stdout))


def turn(root: Path, key: str = MAIN_KEY) -> dict[str, Any]:
    files = [
        {"name": "AGENTS.md", "path": str(root / "AGENTS.md"), "content": "A", "missing": False},
        {"name": "MEMORY.md", "path": str(root / "MEMORY.md"), "content": "M", "missing": False},
    ]
    context = {
        "workspaceDir": str(root),
        "bootstrapFiles": files,
        "sessionKey": key,
        "sessionId": "s1",
        "agentId": "main",
    }
    return {"type": "agent", "action": "bootstrap", "sessionKey": key, "context": context}


def test_the_handler_changes_the_list_and_never_the_hosts_own_files(
    node: str, handler: Path, ws: Path
) -> None:
    activate(Layout(ws), ID)

    first, second = play(node, handler, turn(ws), turn(ws))

    assert [file["name"] for file in first["files"]] == ["AGENTS.md", "MEMORY.md"]
    assert "Never send mail." in first["files"][1]["content"]
    assert first["given"][1]["content"] == "M"
    assert second["files"] == first["files"]


def test_the_handler_adds_a_groups_start_behind_the_first_file(
    node: str, handler: Path, ws: Path
) -> None:
    event = turn(ws, GROUP)
    event["context"]["bootstrapFiles"].pop()  # the host has taken MEMORY.md out

    (seen,) = play(node, handler, event)

    assert [file["name"] for file in seen["files"]] == ["AGENTS.md", "AGENTS.md"]
    assert "recipes only" in seen["files"][1]["content"]


def test_the_handler_leaves_other_workspaces_and_other_events_alone(
    node: str, handler: Path, ws: Path, tmp_path: Path
) -> None:
    other = turn(tmp_path)
    message = {"type": "message", "action": "received", "context": {"content": "hello"}}

    foreign, nothing = play(node, handler, other, {**message, "sessionKey": MAIN_KEY})

    assert foreign["files"] == foreign["given"]
    assert nothing == {}


def test_the_handler_notes_an_end_and_the_word_remem(node: str, handler: Path, ws: Path) -> None:
    entry = {"sessionId": "old", "sessionFile": "sqlite:old"}
    new = {"type": "command", "action": "new", "context": {"previousSessionEntry": entry}}
    word = {"type": "message", "action": "received", "context": {"content": " /remem please"}}

    play(node, handler, *({**event, "sessionKey": MAIN_KEY} for event in (new, word)))

    found = {due.conversation: due for _, due in pending_flushes(Layout(ws), MAIN)}
    assert found["old"].reason == "session-end: new"
    assert found["old"].transcript == ""


def test_a_handler_whose_remem_is_gone_stops_nothing(node: str, handler: Path, ws: Path) -> None:
    source = (handler / "handler.js").read_text()
    program = json.dumps(this_command(ws).program)
    (handler / "handler.js").write_text(source.replace(program, '"/nowhere/remem"'))

    (seen,) = play(node, handler, turn(ws))

    assert seen["files"] == seen["given"]
