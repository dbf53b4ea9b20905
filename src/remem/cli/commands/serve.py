"""Command `serve`: the MCP server on stdin and stdout.

It serves one session, or several whose calls carry session tokens.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from remem.app.tools.table import tools_of
from remem.cli.main import At
from remem.errors import InvalidInput
from remem.mcp.server import serve as serve_door
from remem.mcp.sessions import SessionHandle, WorkspaceProvider

if TYPE_CHECKING:
    from remem.app.workspace import Workspace
    from remem.model.scope import Session


@click.command()
@click.option("--session", metavar="KEY", help="Who is asking, as the host names it.")
@click.option("--tokens", is_flag=True, help="The token in each call says who is asking.")
@click.option(
    "--profile",
    metavar="legacy|core|full",
    default="core",
    show_default=True,
    help="Which tools are offered; legacy is search and get alone.",
)
@click.pass_obj
def serve(at: At, session: str | None, tokens: bool, profile: str) -> None:
    """Serve the memory to an MCP client at stdin and stdout.

    The session is fixed for the life of the server: nothing that a client says can widen what
    it reaches. What a client stores counts as the agent's word, not the owner's.

    A host that serves several chats and does not say which of them is asking starts it with
    --tokens: every tool then needs a session_token (`remem token issue`), whose session decides
    what the call reaches. Without a good one nothing is served, main included.

    \b
    claude mcp add remem -- remem --workspace ~/agent serve
    remem serve --session agent:main:telegram:group:-100123
    remem serve --tokens
    """
    offered = tools_of(profile)
    if tokens and (session or at.session != "main"):
        raise InvalidInput("a server asks for tokens or has a session, not both")
    door = _by_token(at, profile) if tokens else _one_session(at, session or at.session, profile)
    if sys.stdin.isatty():
        click.echo("remem: waiting for an MCP client's messages here; Ctrl-C ends it", err=True)
    serve_door(door, offered)


def _one_session(at: At, key: str, profile: str) -> WorkspaceProvider:
    def open_() -> Workspace:
        from remem.app.opening import open_workspace  # the server is up before it

        return open_workspace(at.workspace, key, trust="agent", background=True, profile=profile)

    return SessionHandle(open_)


def _by_token(at: At, profile: str) -> WorkspaceProvider:
    from remem.cli.opening import existing
    from remem.files.private_paths import private_paths
    from remem.files.sessions import SessionTokens, read_config, session_of
    from remem.mcp.token_auth import TokenAuth

    layout = existing(at)

    def open_(session: Session, conversation: str) -> Workspace:
        from remem.app.opening import open_workspace

        return open_workspace(
            layout.root,
            session,
            trust="agent",
            background=True,
            profile=profile,
            conversation=conversation,
        )

    return TokenAuth(
        SessionTokens(layout),
        lambda key: session_of(layout, read_config(layout), key),
        open_,
        places=private_paths(layout.root),
    )


COMMANDS = {"serve": serve}
