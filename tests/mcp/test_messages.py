"""A line from a client is a message, or the reason why it is none."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from mcp_types import INVALID_REQUEST, PARSE_ERROR, JSONRPCNotification, JSONRPCRequest

from remem.mcp.stdio import InvalidMessage, parse
from tests.tables import each_row


def request(**params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}


def test_a_request_is_read() -> None:
    message = parse(json.dumps(request(name="memory_recall")).encode())

    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"name": "memory_recall"}


def test_a_notification_is_read() -> None:
    line = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'

    assert isinstance(parse(line), JSONRPCNotification)


def test_half_a_character_reaches_the_tool_which_can_name_it() -> None:
    message = parse(json.dumps(request(content="caf\ud800")).encode())

    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"content": "caf\ud800"}


@each_row(
    ("line", "code", "reason", "id_"),
    [
        (b"{", PARSE_ERROR, "not JSON", None),
        (b'{"jsonrpc":"2.0","id":1,"method":"a\xff"}', PARSE_ERROR, "not UTF-8 (byte 35)", None),
        (b"[" * 100_000, PARSE_ERROR, "not JSON", None),
        (b"[]", INVALID_REQUEST, "not a JSON-RPC 2.0 message", None),
        (b'{"jsonrpc":"2.0","id":3}', INVALID_REQUEST, "not a JSON-RPC 2.0 message", 3),
        (b'{"id":"a","method":"ping"}', INVALID_REQUEST, "not a JSON-RPC 2.0 message", "a"),
        (b'{"id":"\\ud800","method":"ping"}', INVALID_REQUEST, "not a JSON-RPC 2.0 message", None),
    ],
)
def test_what_is_no_message_is_answered(
    line: bytes, code: int, reason: str, id_: str | int | None
) -> None:
    found = parse(line)

    assert isinstance(found, InvalidMessage)
    assert (found.code, found.id) == (code, id_)
    assert reason in found.reason


@given(st.binary(max_size=60))
def test_no_line_whatsoever_raises(line: bytes) -> None:
    found = parse(line)

    if isinstance(found, InvalidMessage):
        found.answer().model_dump_json()
