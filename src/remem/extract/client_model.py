"""The language model of the MCP client that is being served.

The MCP server offers it for the length of a call. On the command line and in the background there
is no such model, and the error says so. This module is apart from `llm` because it loads fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from remem.errors import ModelError

if TYPE_CHECKING:
    from remem.ports.models import Chat

_OFFERED: Final[ContextVar[Chat | None]] = ContextVar("remem_client_model", default=None)


@contextmanager
def offered(chat: Chat | None) -> Iterator[None]:
    """Make `ask_client` use this model inside the `with` block."""
    before = _OFFERED.set(chat)
    try:
        yield
    finally:
        _OFFERED.reset(before)


def ask_client(task: str, text: str) -> str:
    """The answer of the client's model."""
    chat = _OFFERED.get()
    if chat is None:
        raise ModelError(
            "no client offers its model here",
            hint='extractor = "client" works while an MCP client with sampling is served',
        )
    return chat(task, text)
