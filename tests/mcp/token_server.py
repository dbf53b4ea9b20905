"""A server that asks for tokens, in the same process as its client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

from remem.app.opening import open_workspace
from remem.app.tools.table import TOOLS
from remem.app.workspace import Workspace
from remem.files.layout import Layout
from remem.files.session_tokens import SessionTokens
from remem.files.sessions import read_config, session_of
from remem.mcp.server import make_server
from remem.mcp.sessions import WorkspacePool
from remem.mcp.token_auth import TokenAuth
from remem.model.scope import Session

GATES = {
    "agent:main:telegram:group:-100": "memory/groups/alpha.md",
    "agent:main:telegram:group:-200": "memory/groups/beta.md",
}


async def come_in(client: Client, key: str, token: str) -> None:
    """A group's conversation begins at its gate."""
    if gate := GATES.get(key):
        await client.call_tool("memory_get", {"path": gate, "session_token": token})


@dataclass
class Served:
    """One workspace, its tokens, and a server for them."""

    root: Path
    options: dict[str, Any] = field(default_factory=dict)
    pool: WorkspacePool | None = None
    opened: list[Session] = field(default_factory=list)

    @property
    def tokens(self) -> SessionTokens:
        clock = {name: self.options[name] for name in ("clock",) if name in self.options}
        return SessionTokens(Layout(self.root), **clock)

    def reception(self) -> TokenAuth:
        layout = Layout(self.root)
        return TokenAuth(
            self.tokens,
            lambda key: session_of(layout, read_config(layout), key),
            self._open,
            self.pool,
        )

    def play(self, story: Callable[[Client], Awaitable[None]]) -> None:
        async def main() -> None:
            async with Client(make_server(self.reception(), TOOLS)) as client:
                await story(client)

        anyio.run(main)

    def _open(self, session: Session, conversation: str) -> Workspace:
        self.opened.append(session)
        settings = {"trust": "agent", "background": False, "spaces_only": True, **self.options}
        return open_workspace(self.root, session, conversation=conversation, **settings)
