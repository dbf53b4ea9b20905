"""How do messages travel between a host and this process? One line of JSON each way.

While a client is served, file descriptor 1 leads to stderr, so that a stray `print` of any
library cannot break the conversation.

What does a line from a client say? A message, or why it is none.

A line that cannot be read is answered, not passed over: its sender may be waiting. Text that
is not UTF-8 is refused rather than repaired, because a repaired memory is not what was said.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import anyio.to_thread
from anyio.from_thread import BlockingPortal
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
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


LARGEST: Final = 64 * 1024 * 1024
_PIECE: Final = 256 * 1024
_PATIENCE: Final = 30.0
"""Seconds for what is under way when the input ends; a host in a hurry sends a signal."""

# What a thread hears from a portal whose server has stopped.
_STOPPED: Final = (
    RuntimeError,
    CancelledError,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
)

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def standard_streams() -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """The messages that stdin brings, and where the answers go."""
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, to_client = anyio.create_memory_object_stream[SessionMessage]()
    wire = _Wire(to_server, outgoing.clone())
    with _own_descriptors() as (source, sink):
        async with BlockingPortal() as portal, anyio.create_task_group() as tasks:
            tasks.start_soon(wire.write_answers, sink, to_client)
            # A daemon: nothing else ends a read that waits for a client's next line.
            reader = threading.Thread(target=_read, args=(source, portal, wire), daemon=True)
            reader.start()
            try:
                yield incoming, outgoing
            finally:
                wire.answers.close()


@dataclass
class _Wire:
    """One client's conversation; `open_requests` have no answer yet."""

    to_server: MemoryObjectSendStream[SessionMessage | Exception]
    answers: Outgoing
    open_requests: set[RequestId] = field(default_factory=set)

    async def take(self, message: JSONRPCMessage | Unreadable) -> None:
        if isinstance(message, Unreadable):
            await self.answers.send(SessionMessage(message.answer()))
        elif isinstance(message, JSONRPCRequest):
            await self.to_server.send(SessionMessage(message, self._remembered(message.id)))
        else:
            await self.to_server.send(SessionMessage(message))

    async def end(self) -> None:
        """The client has said everything; what it asked for is still answered."""
        with anyio.move_on_after(_PATIENCE):
            while self.open_requests:
                await anyio.sleep(0.01)
        self.to_server.close()

    async def write_answers(
        self, sink: int, messages: MemoryObjectReceiveStream[SessionMessage]
    ) -> None:
        async with messages:
            async for each in messages:
                text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                line = text.encode() + b"\n"
                try:
                    await anyio.to_thread.run_sync(_write, sink, line, abandon_on_cancel=True)
                except BrokenPipeError:  # nobody listens any more, so nobody is served
                    self.to_server.close()
                    return
                if isinstance(each.message, JSONRPCResponse | JSONRPCError):
                    self.open_requests -= {each.message.id}

    def _remembered(self, request: RequestId) -> ServerMessageMetadata:
        self.open_requests.add(request)

        async def unanswered() -> None:
            self.open_requests.discard(request)

        return ServerMessageMetadata(on_request_unanswered=unanswered)


def _read(source: int, portal: BlockingPortal, wire: _Wire) -> None:
    """Runs in a thread of its own until the input ends or the server does."""
    try:
        for line in _lines(source):
            if line is None:
                reason = f"the message is longer than {LARGEST:,} bytes"
                portal.call(wire.take, Unreadable(INVALID_REQUEST, reason))
            elif line.strip():
                portal.call(wire.take, parse(line))
        portal.call(wire.end)
    except _STOPPED:
        return  # nobody is left to tell


def _lines(source: int) -> Iterator[bytes | None]:
    """The lines of a descriptor; None stands for one that is too long to keep."""
    kept, too_long = bytearray(), False
    while piece := os.read(source, _PIECE):
        *ends, rest = piece.split(b"\n")
        for end in ends:
            kept += end
            yield None if too_long or len(kept) > LARGEST else bytes(kept)
            kept, too_long = bytearray(), False
        kept += rest
        if len(kept) > LARGEST:
            kept, too_long = bytearray(), True
    if kept:
        yield bytes(kept)


def _write(sink: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]


@contextmanager
def _own_descriptors() -> Iterator[tuple[int, int]]:
    """Duplicates of stdin and stdout; meanwhile 1 is stderr."""
    source, sink = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    try:
        yield source, sink
    finally:
        os.dup2(sink, 1)
