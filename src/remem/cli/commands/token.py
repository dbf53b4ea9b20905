"""Command `token`: session tokens for a host's hook.

Only the owner can issue them: no tool does, and the workspace stores only a digest.
"""

from __future__ import annotations

from datetime import UTC, datetime

import click

from remem.cli.main import At
from remem.cli.opening import existing
from remem.cli.terminal import visible
from remem.errors import InvalidInput, NotAllowed
from remem.files.sessions import SessionTokens, StoredToken
from remem.model.session import Lifetime, parse_duration
from remem.search.answer.answer import answer_text
from remem.text.timestamps import format_time, parse_time

_KEY = click.option("--session", "key", metavar="KEY", required=True, help="The chat's own key.")


@click.group()
@click.pass_obj
def token(at: At) -> None:
    """Session tokens for a host that serves several chats.

    `remem serve --tokens` answers several chats. What each call may see is decided by the token
    in it, which the host's start hook has put into that conversation.

    \b
    remem token issue --session agent:main:telegram:group:-100123 --json
    remem token list
    """
    if at.session != "main":
        raise NotAllowed("tokens are the owner's", hint="name the session after the command")


@token.command()
@_KEY
@click.option("--conversation", metavar="ID", default="", help="Which of its conversations.")
@click.option("--idle", metavar="TIME", default="2h", show_default=True, help="Good while used.")
@click.option("--ttl", metavar="TIME", default="24h", show_default=True, help="Good at most.")
@click.option("--json", "as_json", is_flag=True, help="Print the token and its session, as JSON.")
@click.pass_obj
def issue(at: At, *, key: str, conversation: str, idle: str, ttl: str, as_json: bool) -> None:
    """Issue a token for a conversation.

    It is printed this once. TIME is a number and s, m, h or d.

    \b
    remem token issue --session agent:main:main --conversation 7f3a --ttl 8h
    """
    lifetime = Lifetime(parse_duration(idle, "--idle"), parse_duration(ttl, "--ttl"))
    issued = SessionTokens(existing(at)).issue(key, conversation, lifetime)
    click.echo(answer_text(issued) if as_json else issued.token)


@token.command()
@click.option("--session", "key", metavar="KEY", help="The chat's own key.")
@click.option("--conversation", metavar="ID", help="Only this one of its conversations.")
@click.option("--all", "everybody", is_flag=True, help="The tokens of every session.")
@click.pass_obj
def revoke(at: At, key: str | None, conversation: str | None, everybody: bool) -> None:
    """End tokens before their time.

    \b
    remem token revoke --session agent:main:main
    remem token revoke --all
    """
    if (key is None) != everybody:
        raise InvalidInput("whose tokens are meant?", hint="give --session KEY, or --all")
    tokens = SessionTokens(existing(at))
    keys = {kept.session for kept, _ in tokens.valid_tokens()} if key is None else {key}
    ended = sum(tokens.revoke(key, conversation) for key in keys)
    click.echo(f"revoked: {ended}")


@token.command("list")
@click.pass_obj
def list_(at: At) -> None:
    """List the conversations that hold a token. The tokens themselves nobody can list.

    \b
    remem token list
    """
    held = SessionTokens(existing(at)).valid_tokens()
    for kept, used in held:
        click.echo(visible("\t".join(_told(kept, used))))
    if not held:
        click.echo("no token is good at present", err=True)


def _told(kept: StoredToken, used: float) -> list[str]:
    end = min(used + kept.idle, parse_time(kept.issued_at).timestamp() + kept.limit)
    until = format_time(datetime.fromtimestamp(end, UTC))
    return [kept.session, kept.conversation or "-", f"issued {kept.issued_at}", f"until {until}"]


COMMANDS = {"token": token}
