"""The language model of the MCP client that is being served.

The MCP server makes it available during a call. On the command line and in the background, there is
no such model, and asking it raises an error. The module is separate from `llm` to be fast to
import.
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
def offer_client_model(chat: Chat | None) -> Iterator[None]:
    """Make `ask_client` use this model inside the `with` block."""
    before = _OFFERED.set(chat)
    try:
        yield
    finally:
        _OFFERED.reset(before)


def ask_client(task: str, text: str) -> str:
    """Return the answer from the client's model."""
    chat = _OFFERED.get()
    if chat is None:
        raise ModelError(
            "no MCP client offers a model here",
            hint='extractor = "client" works only in calls of an MCP client that supports sampling',
        )
    return chat(task, text)
