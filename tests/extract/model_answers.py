"""A local stand-in for a language model that gives prepared answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.embed.loopback import Handler, Respond

Answer = Callable[[dict[str, Any]], object]


def content(text: str) -> bytes:
    """An answer of the protocol."""
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()


def asked(question: dict[str, Any]) -> dict[str, Any]:
    """What the model was given to work on."""
    found: dict[str, Any] = json.loads(question["messages"][-1]["content"])
    return found


def answering(answer: Answer) -> Respond:
    """A server that answers with the JSON of whatever `answer` makes of its input."""

    def respond(handler: Handler, question: dict[str, Any]) -> None:
        handler.answer(content(json.dumps(answer(asked(question)), ensure_ascii=False)))

    return respond


def saying(text: str, status: int = 200) -> Respond:
    return lambda handler, _question: handler.answer(content(text), status)


def silent(handler: Handler, _question: dict[str, Any]) -> None:
    """Takes the question and never answers."""
    handler.loopback.finish.wait()
