"""What does a line from a client say? A message, or why it is none.

A line that cannot be read is answered, not passed over: its sender may be waiting. Text that
is not UTF-8 is refused rather than repaired, because a repaired memory is not what was said.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that holds no message; `id` is that of the request, where it can be told."""

    code: int
    reason: str
    id: RequestId | None = None

    def answer(self) -> JSONRPCError:
        error = ErrorData(code=self.code, message=self.reason)
        return JSONRPCError(jsonrpc="2.0", id=self.id, error=error)


def parse(line: bytes) -> JSONRPCMessage | Unreadable:
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return _second_look(line)


def _second_look(line: bytes) -> JSONRPCMessage | Unreadable:
    """Half of a surrogate pair is JSON to Python: a tool can then name the bad value."""
    try:
        value = json.loads(line.decode())
    except UnicodeDecodeError as error:
        return Unreadable(PARSE_ERROR, f"the message is not UTF-8 (byte {error.start})")
    except (ValueError, RecursionError) as error:
        return Unreadable(PARSE_ERROR, f"the message is not JSON: {error}")
    try:
        return jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        return Unreadable(INVALID_REQUEST, "this is not a JSON-RPC 2.0 message", _id(value))


def _id(value: Any) -> RequestId | None:
    id_ = value.get("id") if isinstance(value, dict) else None
    usable = (isinstance(id_, str) and id_.isascii()) or type(id_) is int
    return id_ if usable else None
