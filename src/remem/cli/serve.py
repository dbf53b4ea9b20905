"""How does a host start remem? `remem serve`: one process, one session, stdin and stdout."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from remem.cli.group import At
from remem.mcp.door import Door
from remem.mcp.server import serve as serve_door
from remem.tools import tools_of

if TYPE_CHECKING:
    from remem.workspace import Workspace


@click.command()
@click.option("--session", metavar="KEY", help="Who is asking, as the host names it.")
@click.option(
    "--profile",
    metavar="legacy|core",
    default="core",
    show_default=True,
    help="Which tools are offered; legacy is search and get alone.",
)
@click.pass_obj
def serve(at: At, session: str | None, profile: str) -> None:
    """Serve the memory to an MCP client at stdin and stdout.

    The session is fixed for the life of the server: nothing that a client says can widen what
    it reaches. What a client stores counts as the agent's word, not the owner's.

    \b
    claude mcp add remem -- remem --workspace ~/agent serve
    remem serve --session agent:main:telegram:group:-100123
    """
    offered = tools_of(profile)

    def open_() -> Workspace:
        from remem.wiring import open_workspace  # the server is up before it

        return open_workspace(
            at.workspace, session or at.session, trust="agent", background=True, profile=profile
        )

    if sys.stdin.isatty():
        click.echo("remem: waiting for an MCP client's messages here; Ctrl-C ends it", err=True)
    serve_door(Door(open_), offered)


COMMANDS = {"serve": serve}
