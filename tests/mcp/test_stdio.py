"""Real servers in real processes, with clients that behave and clients that do not."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import INVALID_REQUEST, PARSE_ERROR

from remem.app.opening import open_workspace
from remem.app.tools.table import tools_of
from tests.mcp.conftest import RawClient
from tests.tiers import first_quick

Parameters = Callable[..., StdioServerParameters]
STORE = {
    "name": "memory_store",
    "arguments": {"category": "fact", "content": "Tea is served at 5."},
}


@pytest.mark.parametrize("mode", first_quick(["legacy", "2026-07-28", "auto"]))
def test_clients_of_both_eras_of_the_protocol_are_served(stdio: Parameters, mode: str) -> None:
    async def story() -> None:
        async with Client(stdio(), mode=mode) as client:
            assert len((await client.list_tools()).tools) == len(tools_of("core"))
            await client.call_tool("memory_store", STORE["arguments"])
            found = await client.call_tool("memory_recall", {"query": "When is tea?"})
            assert found.structured_content["entries"][0]["content"] == "Tea is served at 5."

    anyio.run(story)


def test_what_one_server_stored_the_next_one_knows(stdio: Parameters, root: Path) -> None:
    async def story() -> None:
        async with Client(stdio()) as client:
            await client.call_tool("memory_store", STORE["arguments"])
        async with Client(stdio()) as client:
            found = await client.call_tool("memory_recall", {"query": "When is tea?"})
            assert found.structured_content["total_entries_matched"] == 1

    anyio.run(story)
    assert "Tea is served at 5." in (root / "memory/domains/facts.md").read_text()


BROKEN: list[tuple[bytes, int]] = [
    (b"{", PARSE_ERROR),
    (b"not json at all", PARSE_ERROR),
    (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":"\xff"}}', PARSE_ERROR),
    (b"[" * 100_000, PARSE_ERROR),
    (b'{"jsonrpc":"2.0","id":5}', INVALID_REQUEST),
]


def test_broken_lines_are_answered_and_do_not_end_the_conversation(raw: RawClient) -> None:
    raw.say(b"\xff\xfe before anything else")
    assert raw.hear()["error"]["code"] == PARSE_ERROR
    raw.greet()

    for line, code in BROKEN:
        raw.say(line)
        assert raw.hear()["error"]["code"] == code

    raw.say(b"")
    assert raw.ask(6, "ping") == {"jsonrpc": "2.0", "id": 6, "result": {}}
    code, errors = raw.leave()
    assert (code, "Traceback" in errors) == (0, False)


def test_half_a_character_is_refused_by_name_over_the_wire(raw: RawClient) -> None:
    raw.greet()

    bad = {"category": "fact", "content": "caf\ud800"}
    refused = raw.ask(1, "tools/call", name="memory_store", arguments=bad)["result"]

    assert refused["isError"]
    assert "content 'caf\\ud800' contains an unpaired surrogate" in refused["content"][0]["text"]


def test_bytes_that_are_no_text_are_never_stored_as_something_else(
    raw: RawClient, root: Path
) -> None:
    raw.greet()
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": STORE}).encode()

    raw.say(call.replace(b"Tea", b"T\xff"))

    assert raw.hear()["error"]["message"].startswith("the message is not UTF-8 (byte ")
    raw.leave()
    with open_workspace(root, background=False) as memory:
        assert list(memory.export()) == []


def test_requests_under_way_are_answered_when_the_input_ends(raw: RawClient) -> None:
    raw.greet()
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": STORE}

    raw.say(json.dumps(call).encode())
    output, _ = raw.process.communicate(timeout=600)

    assert json.loads(output)["result"]["structuredContent"]["stored"] is True


def test_a_signal_ends_the_server_and_leaves_every_file_written(raw: RawClient, root: Path) -> None:
    raw.greet()
    raw.ask(1, "tools/call", **STORE)

    raw.process.send_signal(signal.SIGTERM)
    code, errors = raw.leave()

    assert (code, "Traceback" in errors) == (0, False)
    assert "Tea is served at 5." in (root / "memory/domains/facts.md").read_text()
    assert "main" in (root / ".remem/main/scope").read_text()


def test_ten_megabytes_are_refused_and_the_next_call_works(raw: RawClient) -> None:
    raw.greet()

    huge = {"category": "fact", "content": "x" * 10_000_000}
    refused = raw.ask(1, "tools/call", name="memory_store", arguments=huge)["result"]

    assert "10,000,000 characters" in refused["content"][0]["text"]
    assert raw.ask(2, "tools/call", **STORE)["result"]["isError"] is False


def test_a_client_that_stops_listening_is_no_longer_served(raw: RawClient) -> None:
    raw.greet()
    assert raw.process.stdout is not None
    assert raw.process.stderr is not None
    raw.process.stdout.close()

    raw.say(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')

    assert raw.process.wait() == 0
    assert b"Traceback" not in raw.process.stderr.read()
