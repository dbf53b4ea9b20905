"""What does a language model behind an OpenAI-compatible `/v1/chat/completions` answer?

That is OpenAI, Ollama, LM Studio, vLLM, llama.cpp and their like. It is asked for text alone;
whoever asks judges what comes back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from remem.config import Config
from remem.core.secrets import redact
from remem.errors import ModelError, shown
from remem.model_server import Server, Service

_SERVICE: Final = Service("/chat/completions", "language model", ModelError)


class Chat:
    """A language model on a server. What it is asked carries no secrets."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        pause: float = 0.5,
    ) -> None:
        self._server = Server(base_url, _SERVICE, api_key, timeout, pause)
        self._model = model

    def __call__(self, task: str, text: str) -> str:
        """The model's answer to a text; `task` says what is to be made of it.

        Raises ModelError if there is none.
        """
        messages = [
            {"role": "system", "content": task},
            {"role": "user", "content": redact(text).text},
        ]
        question = {"model": self._model, "messages": messages, "temperature": 0}
        return _content(self._server.post(question))

    def close(self) -> None:
        self._server.close()


def configured_chat(config: Config, environment: Mapping[str, str]) -> Chat | None:
    """The language model of the settings, if they name one."""
    if not config.llm_url:
        return None
    key = environment.get(config.llm_key_variable) if config.llm_key_variable else None
    return Chat(config.llm_url, config.llm_model, api_key=key or None, timeout=config.llm_timeout)


def _content(answer: bytes) -> str:
    try:
        content = json.loads(answer)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        said = shown(answer[:200].decode(errors="replace"), 100)
        raise ModelError(f"the answer is none of a language model: {said}") from error
    if not isinstance(content, str) or not content.strip():
        raise ModelError(f"the language model answered nothing: {shown(content)}")
    return content
