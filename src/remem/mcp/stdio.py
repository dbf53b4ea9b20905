"""The stdio transport: one line of JSON per message.

While a client is served, file descriptor 1 points to stderr, so that a stray `print` in some
library cannot break the protocol. An invalid line is answered with an error, because its sender
may be waiting. Text that is not UTF-8 is refused rather than repaired, because the stored text
would differ from what was sent.
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

MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
_CHUNK_BYTES: Final = 256 * 1024
_DRAIN_SECONDS: Final = 30.0
"""How long to wait for open requests when the input ends; a host can stop this with a signal."""
# Raised by a portal whose server has stopped.
_STOPPED: Final = (
    RuntimeError,
    CancelledError,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
)
Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


@dataclass(frozen=True, slots=True)
class InvalidMessage:
    """The error for a line that is not a message; `id` is the id of the request, if known."""

    code: int
    reason: str
    id: RequestId | None = None

    def answer(self) -> JSONRPCError:
        error = ErrorData(code=self.code, message=self.reason)
        return JSONRPCError(jsonrpc="2.0", id=self.id, error=error)


def parse(line: bytes) -> JSONRPCMessage | InvalidMessage:
    """Read one line as a JSON-RPC message."""
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return _parse_leniently(line)


def _parse_leniently(line: bytes) -> JSONRPCMessage | InvalidMessage:
    """Parse a line with Python's json, which accepts unpaired surrogates.

    A tool can then report the bad value. If this fails too, return the reason.
    """
    try:
        value = json.loads(line.decode())
    except UnicodeDecodeError as error:
        return InvalidMessage(PARSE_ERROR, f"the message is not UTF-8 (byte {error.start})")
    except (ValueError, RecursionError) as error:
        return InvalidMessage(PARSE_ERROR, f"the message is not JSON: {error}")
    try:
        return jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        return InvalidMessage(INVALID_REQUEST, "not a JSON-RPC 2.0 message", _id(value))


def _id(value: Any) -> RequestId | None:
    id_ = value.get("id") if isinstance(value, dict) else None
    usable = (isinstance(id_, str) and id_.isascii()) or type(id_) is int
    return id_ if usable else None


@asynccontextmanager
async def standard_streams() -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Open the streams of messages from stdin and to stdout."""
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, to_client = anyio.create_memory_object_stream[SessionMessage]()
    connection = _Connection(to_server, outgoing.clone())
    with _own_descriptors() as (source, sink):
        async with BlockingPortal() as portal, anyio.create_task_group() as tasks:
            tasks.start_soon(connection.write_answers, sink, to_client)
            # A daemon, because a read that waits for the next line cannot be interrupted.
            reader = threading.Thread(target=_read, args=(source, portal, connection), daemon=True)
            reader.start()
            try:
                yield incoming, outgoing
            finally:
                connection.answers.close()


@dataclass
class _Connection:
    """The connection to one client; `open_requests` are the ids of unanswered requests."""

    to_server: MemoryObjectSendStream[SessionMessage | Exception]
    answers: Outgoing
    open_requests: set[RequestId] = field(default_factory=set)

    async def forward(self, message: JSONRPCMessage | InvalidMessage) -> None:
        if isinstance(message, InvalidMessage):
            await self.answers.send(SessionMessage(message.answer()))
        elif isinstance(message, JSONRPCRequest):
            await self.to_server.send(SessionMessage(message, self._metadata_for(message.id)))
        else:
            await self.to_server.send(SessionMessage(message))

    async def drain(self) -> None:
        """Wait until the open requests are answered, then stop the server."""
        with anyio.move_on_after(_DRAIN_SECONDS):
            while self.open_requests:
                await anyio.sleep(0.01)
        self.to_server.close()

    async def write_answers(
        self, sink: int, messages: MemoryObjectReceiveStream[SessionMessage]
    ) -> None:
        async with messages:
            async for message in messages:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                line = text.encode() + b"\n"
                try:
                    await anyio.to_thread.run_sync(_write, sink, line, abandon_on_cancel=True)
                except BrokenPipeError:  # the client is gone
                    self.to_server.close()
                    return
                if isinstance(message.message, JSONRPCResponse | JSONRPCError):
                    self.open_requests -= {message.message.id}

    def _metadata_for(self, request: RequestId) -> ServerMessageMetadata:
        """Track a request until it is answered or dropped."""
        self.open_requests.add(request)

        async def unanswered() -> None:
            self.open_requests.discard(request)

        return ServerMessageMetadata(on_request_unanswered=unanswered)


def _read(source: int, portal: BlockingPortal, connection: _Connection) -> None:
    """Pass messages to the server until the input ends or the server stops; runs in a thread."""
    try:
        for line in _lines(source):
            if line is None:
                reason = f"the message is longer than {MAX_MESSAGE_BYTES:,} bytes"
                portal.call(connection.forward, InvalidMessage(INVALID_REQUEST, reason))
            elif line.strip():
                portal.call(connection.forward, parse(line))
        portal.call(connection.drain)
    except _STOPPED:
        return


def _lines(source: int) -> Iterator[bytes | None]:
    """Yield the lines of a file descriptor; None stands for a line that is too long."""
    buffer, too_long = bytearray(), False
    while chunk := os.read(source, _CHUNK_BYTES):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            buffer += end
            yield None if too_long or len(buffer) > MAX_MESSAGE_BYTES else bytes(buffer)
            buffer, too_long = bytearray(), False
        buffer += rest
        if len(buffer) > MAX_MESSAGE_BYTES:
            buffer, too_long = bytearray(), True
    if buffer:
        yield bytes(buffer)


def _write(sink: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]


@contextmanager
def _own_descriptors() -> Iterator[tuple[int, int]]:
    """Duplicate stdin and stdout, and point descriptor 1 to stderr until the block ends."""
    source, sink = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    try:
        yield source, sink
    finally:
        os.dup2(sink, 1)
