"""A scripted model on loopback, for tests of real hosts.

It speaks the Anthropic Messages API, the OpenAI Responses and Chat Completions APIs and the Gemini
API, and records every request. A prompt that contains `CALL tool {arguments}` makes it call that
tool; if the host hides its tools, it searches for the tool first. After the tool's result, and to
any other prompt, it answers "done".
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Request = dict[str, Any]
Event = dict[str, Any]

_CALL = re.compile(r"CALL (\w+) (\{.*?\})(?=\s|$|[\"<\\])", re.DOTALL)
_TOKEN = re.compile(r"rmt_\w+")
_USAGE = {"input_tokens": 9, "output_tokens": 9, "total_tokens": 18}
_DONE = "done"
_MAX_SEARCHES = 6
"""A server that is still starting is not found at once."""


@dataclass(frozen=True)
class Item:
    """A piece of a conversation: a text, the name of a called tool, or a tool's result."""

    kind: Literal["text", "call", "result"]
    value: str
    role: str = ""


@dataclass(frozen=True)
class Offered:
    """A tool that the host offers; Codex groups the tools of a server in a namespace."""

    name: str
    namespace: str | None = None


@dataclass(frozen=True)
class Call:
    """A call that the model makes."""

    tool: Offered
    arguments: dict[str, Any]


def next_call(items: list[Item], tools: list[Offered]) -> Call | None:
    """The call that the prompt asks for, unless it was made; None for the final answer.

    A session token in the conversation is passed on, as OpenClaw's agents must do.
    """
    answered = [i for i, item in enumerate(items) if item.kind == "text" and item.role == "model"]
    recent = items[answered[-1] + 1 :] if answered else items
    asked = [
        match for item in recent if item.role == "user" for match in _CALL.finditer(item.value)
    ]
    if not asked:
        return None
    wanted, arguments = asked[-1][1], json.loads(asked[-1][2])
    made = [item.value for item in recent if item.kind == "call"]
    if any(_is_named(name, wanted) for name in made):
        return None
    everything = " ".join(item.value for item in items)
    results = " ".join(item.value for item in recent if item.kind == "result")
    if token := _TOKEN.search(everything):
        arguments["session_token"] = token[0]
    for tool in tools:
        if _is_named(tool.name, wanted):
            return Call(tool, arguments)
    searches = [tool for tool in tools if tool.name in ("ToolSearch", "tool_search")]
    if searches and len(made) < _MAX_SEARCHES and wanted not in results:
        time.sleep(len(made))
        words = wanted.replace("_", " ")
        return Call(searches[0], {"query": words})
    name = re.search(rf"\bmcp__\w+?__{wanted}\b", everything)
    return Call(Offered(name[0] if name else wanted), arguments)


def _is_named(name: str, wanted: str) -> bool:
    """Whether a host's name for a tool, such as `mcp__remem__memory_store`, means the tool."""
    return name == wanted or name.endswith(f"_{wanted}")


class Model:
    """The server; `requests` are all requests that it has received."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                size = int(self.headers.get("content-length", 0))
                request = json.loads(self.rfile.read(size) or b"{}")
                path = self.path.partition("?")[0]
                if path.lower().endswith(("/count_tokens", ":counttokens")):
                    self._send(b'{"input_tokens": 9, "totalTokens": 9}', "application/json")
                    return
                model.requests.append(request)
                self._answer(path, request)

            def do_GET(self) -> None:
                self._send(b'{"data": [{"id": "script"}], "models": []}', "application/json")

            def _answer(self, path: str, request: Request) -> None:
                answer = next(answer for end, answer in _APIS.items() if path.endswith(end))
                events = answer(request)
                if not request.get("stream", path.endswith(":streamGenerateContent")):
                    self._send(json.dumps(events[-1]).encode(), "application/json")
                    return
                lines = [
                    (f"event: {event['type']}\n" if "type" in event else "")
                    + f"data: {json.dumps(event)}\n\n"
                    for event in events
                ]
                if path.endswith("/chat/completions"):
                    lines.append("data: [DONE]\n\n")
                self._send("".join(lines).encode(), "text/event-stream")

            def _send(self, data: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def since(self, number: int) -> str:
        """Everything that the model was sent from a request on, as one text."""
        return json.dumps(self.requests[number:], ensure_ascii=False)


def _texts(content: Any) -> Iterator[str]:
    """The texts in a message's content, which is a string or a list of blocks."""
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            yield block["text"]


def _role(role: str) -> str:
    return "model" if role in ("assistant", "model") else role


# The Anthropic Messages API


def _anthropic(request: Request) -> list[Event]:
    items: list[Item] = []
    for message in request.get("messages", []):
        role = _role(message["role"])
        items += (Item("text", text, role) for text in _texts(message["content"]))
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "tool_use":
                items.append(Item("call", block["name"]))
            elif block["type"] == "tool_result":
                items.append(Item("result", json.dumps(block.get("content"), ensure_ascii=False)))
    call = next_call(items, [Offered(tool["name"]) for tool in request.get("tools", [])])
    number = f"{len(items)}"
    if call:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": call.tool.name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
        stop = "tool_use"
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": _DONE}
        stop = "end_turn"
    head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "script"}
    whole = {**block, "input": call.arguments} if call else {"type": "text", "text": _DONE}
    empty: Event = {"content": [], "stop_reason": None, "stop_sequence": None, "usage": _USAGE}
    ended = {"stop_reason": stop, "stop_sequence": None}
    if not request.get("stream"):
        return [{**head, **ended, "content": [whole], "usage": _USAGE}]
    return [
        {"type": "message_start", "message": {**head, **empty}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": _USAGE},
        {"type": "message_stop"},
        *(
            []
            if request.get("stream")
            else [{**head, **ended, "content": [whole], "usage": _USAGE}]
        ),
    ]


# The OpenAI Responses API


def _responses(request: Request) -> list[Event]:
    items: list[Item] = []
    tools = list(_response_tools(request.get("tools", [])))
    for item in request.get("input", []):
        kind = item.get("type", "message")
        if kind == "message":
            items += (Item("text", text, _role(item["role"])) for text in _texts(item["content"]))
        elif kind.endswith("_call"):
            items.append(Item("call", item.get("name", kind.removesuffix("_call"))))
        elif kind.endswith("_output"):
            items.append(Item("result", json.dumps(item, ensure_ascii=False)))
            tools += _response_tools(item.get("tools") or [])
    call = next_call(items, tools)
    number = str(len(items))
    output: Event
    if call and call.tool.name == "tool_search":
        output = {
            "type": "tool_search_call",
            "call_id": f"call_{number}",
            "execution": "client",
            "arguments": call.arguments,
        }
    elif call:
        output = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": call.tool.name,
            "arguments": json.dumps(call.arguments),
            **({"namespace": call.tool.namespace} if call.tool.namespace else {}),
        }
    else:
        text = {"type": "output_text", "text": _DONE, "annotations": []}
        output = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [text]}
    response = {"id": f"resp_{number}", "object": "response", "model": "script", "usage": _USAGE}
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        {"type": "response.output_item.done", "output_index": 0, "item": output},
        {
            "type": "response.completed",
            "response": {**response, "status": "completed", "output": [output]},
        },
    ]


def _response_tools(
    listed: list[dict[str, Any]], namespace: str | None = None
) -> Iterator[Offered]:
    for tool in listed:
        if tool.get("type") == "namespace":
            yield from _response_tools(tool["tools"], tool["name"])
        else:
            yield Offered(tool.get("name") or tool["type"], namespace)


# The OpenAI Chat Completions API


def _chat(request: Request) -> list[Event]:
    items: list[Item] = []
    for message in request.get("messages", []):
        role = _role(message["role"])
        if role == "tool":
            items.append(Item("result", json.dumps(message, ensure_ascii=False)))
            continue
        calls = message.get("tool_calls") or []
        items += (Item("call", call["function"]["name"]) for call in calls)
        if not calls:
            items += (Item("text", text, role) for text in _texts(message.get("content")))
    tools = [Offered(tool["function"]["name"]) for tool in request.get("tools", [])]
    call = next_call(items, tools)
    delta: Event = {"content": _DONE}
    if call:
        function = {"name": call.tool.name, "arguments": json.dumps(call.arguments)}
        called = {"index": 0, "id": f"call{len(items)}", "type": "function", "function": function}
        delta = {"tool_calls": [called]}
    shared = {"id": "1", "object": "chat.completion.chunk", "model": "script"}
    finish = "tool_calls" if call else "stop"
    return [
        {**shared, "choices": [{"index": 0, "delta": {"role": "assistant", **delta}}]},
        {**shared, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        {**shared, "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 9}},
    ]


# The Gemini API


def _gemini(request: Request) -> list[Event]:
    items: list[Item] = []
    for content in request.get("contents", []):
        for part in content.get("parts", []):
            if "functionCall" in part:
                items.append(Item("call", part["functionCall"]["name"]))
            elif "functionResponse" in part:
                items.append(Item("result", json.dumps(part, ensure_ascii=False)))
            elif isinstance(part.get("text"), str):
                items.append(Item("text", part["text"], _role(content.get("role", "user"))))
    tools = [
        Offered(declared["name"])
        for tool in request.get("tools", [])
        for declared in tool.get("functionDeclarations", [])
    ]
    call = next_call(items, tools)
    answer: Event = {"text": _DONE}
    if call:
        answer = {"functionCall": {"name": call.tool.name, "args": call.arguments}}
    reply = {"role": "model", "parts": [answer]}
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 9, "totalTokenCount": 18}
    return [
        {
            "candidates": [{"index": 0, "content": reply, "finishReason": "STOP"}],
            "usageMetadata": usage,
            "modelVersion": "script",
        }
    ]


_APIS: dict[str, Callable[[Request], list[Event]]] = {
    "/messages": _anthropic,
    "/responses": _responses,
    "/chat/completions": _chat,
    "": _gemini,
}
