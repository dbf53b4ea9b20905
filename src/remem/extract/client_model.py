"""The model of the MCP client that is being served now.

A surface that can ask its client says so for the length of a call. Elsewhere (on the command
line, in the background) there is no such model, and the error says that.
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
    """While this lasts, `ask_client` asks this model."""
    before = _OFFERED.set(chat)
    try:
        yield
    finally:
        _OFFERED.reset(before)


def ask_client(task: str, text: str) -> str:
    """The client's model, as far as there is one."""
    chat = _OFFERED.get()
    if chat is None:
        raise ModelError(
            "no client offers its model here",
            hint='extractor = "client" works while an MCP client with sampling is served',
        )
    return chat(task, text)
