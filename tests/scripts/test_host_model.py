"""The scripted model that real hosts are tested with speaks each of their APIs."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest

from scripts.host_model import Model

CALL = 'Please. CALL memory_store {"category": "fact", "content": "The port is 8080."}'
TOOL = "mcp__remem__memory_store"
APIS: dict[str, dict[str, Any]] = {
    "/v1/messages": {
        "stream": True,
        "messages": [{"role": "user", "content": [{"type": "text", "text": CALL}]}],
        "tools": [{"name": TOOL}],
    },
    "/v1/responses": {
        "stream": True,
        "input": [{"role": "user", "content": [{"type": "input_text", "text": CALL}]}],
        "tools": [
            {"type": "namespace", "name": "mcp__remem", "tools": [{"type": "f", "name": TOOL}]}
        ],
    },
    "/v1/chat/completions": {
        "stream": True,
        "messages": [{"role": "user", "content": CALL}],
        "tools": [{"function": {"name": TOOL}}],
    },
    "/v1beta/models/script:streamGenerateContent": {
        "contents": [{"role": "user", "parts": [{"text": CALL}]}],
        "tools": [{"functionDeclarations": [{"name": TOOL}]}],
    },
}


@pytest.fixture(scope="module")
def model() -> Model:
    return Model()


def post(model: Model, path: str, body: dict[str, Any]) -> str:
    request = urllib.request.Request(model.url + path, json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        return str(answer.read().decode())


@pytest.mark.parametrize("path", APIS)
def test_a_prompt_that_names_a_tool_makes_the_model_call_it(model: Model, path: str) -> None:
    stream = post(model, path, APIS[path])

    assert TOOL in stream
    assert "8080" in stream
    assert model.requests[-1] == APIS[path]


@pytest.mark.parametrize("path", APIS)
def test_any_other_prompt_is_answered_with_a_text(model: Model, path: str) -> None:
    body = json.loads(json.dumps(APIS[path]).replace("CALL", "Do not call"))
    stream = post(model, path, body)

    assert "done" in stream
    assert TOOL not in stream


def test_hidden_tools_are_searched_for_first(model: Model) -> None:
    hidden = {**APIS["/v1/messages"], "tools": [{"name": "ToolSearch"}]}

    assert '"name": "ToolSearch"' in post(model, "/v1/messages", hidden)
