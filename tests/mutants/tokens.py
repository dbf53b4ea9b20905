"""M14: one tool of the MCP server whose check of the token was forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from remem.files.sessions import read_config, session_of
from remem.mcp import server
from remem.mcp.token_auth import TokenAuth


def tool_without_its_check(patch: pytest.MonkeyPatch, tool: str) -> None:
    """The tool answers anybody, as main."""
    own = server._answer

    def answer(door: TokenAuth, offered: Any, name: str, given: Any) -> Any:
        entered: Any = _Open(door) if name == tool else door
        return own(entered, offered, name, given)

    patch.setattr(server, "_answer", answer)


class _Open:
    def __init__(self, door: TokenAuth) -> None:
        self._door = door

    @contextmanager
    def workspace_for(self, given: dict[str, Any]) -> Iterator[Any]:
        layout = self._door._tokens._layout
        main = session_of(layout, read_config(layout), "main")
        own = {name: value for name, value in given.items() if name != "session_token"}
        with self._door._pool.borrow(main, lambda: self._door._open(main, "")) as workspace:
            yield workspace, own
