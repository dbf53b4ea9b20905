"""Commands for shared spaces: `spaces`, `shared-recall`, `shared-store`, `proposals`, `handle`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

import click

from remem.app.tools.spaces import SHARED_HANDLE, SHARED_PROPOSALS, SHARED_RECALL, SHARED_STORE
from remem.cli.commands.memory import show_answer
from remem.cli.commands.tools import complete_ids, tool_command
from remem.cli.opening import CommandTarget, next_step, opened, require_owner
from remem.cli.questions import confirm, nothing_changed
from remem.cli.terminal import (
    json_option,
    print_json,
    respond,
    say,
    say_indented,
    say_table,
    yes_option,
)
from remem.errors import counted
from remem.model.scope import LEVELS

if TYPE_CHECKING:
    from remem.app.services.sharing import (
        DeletedSpaceReport,
        SharedCopy,
        SpaceSummary,
        UnsharedEntry,
    )
    from remem.app.services.spaces import Proposals
    from remem.entries.spaces.log import SpaceUse
    from remem.entries.spaces.storing import SharedReceipt
    from remem.files.session_tokens import IssuedHandle
    from remem.ports.spaces import Space

_space_argument = click.argument("name", metavar="SPACE")
_MAX_IDS: Final = 8


@click.group(invoke_without_command=True)
@click.pass_context
def spaces(ctx: click.Context) -> None:
    """Share memories between agents in separate spaces.

    A space is a separate memory that several agents may use. Only you create spaces and say who may
    use them; `remem --session shared:SPACE` works on a space with every other command.

    \b
    remem spaces create ops
    remem spaces grant ops groups
    remem spaces grant ops agent:research propose
    remem spaces share mem-3f8k2m1q ops
    """
    require_owner(ctx.obj, "spaces")
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_spaces)


@spaces.command()
@_space_argument
@click.pass_obj
def create(target: CommandTarget, name: str) -> None:
    """Create a space that only main may use.

    \b
    remem spaces create ops
    """
    with opened(target) as workspace:
        workspace.spaces.create(name)
    say(f"created the space {name}, in memory/shared/{name}")
    next_step(target, f"spaces grant {name} groups", "lets every group read it")


@spaces.command("list")
@json_option
@click.pass_obj
def list_spaces(target: CommandTarget, as_json: bool = False) -> None:
    """List the spaces, who may use them, and what is waiting there.

    \b
    remem spaces list
    """
    with opened(target) as workspace:
        summaries = workspace.spaces.summaries()
    if as_json:
        print_json(summaries)
        return
    for space in summaries:
        _show_space(space)
    if not summaries:
        say("there is no shared space yet", err=True)
        next_step(target, "spaces create NAME", "creates one")


def _show_space(space: SpaceSummary) -> None:
    say(f"{space.name}  {counted(space.entries, 'entry', 'entries')}", bold=True)
    granted = ", ".join(f"{grantee} {level}" for grantee, level in space.grants.items())
    say_indented(f"granted to: {granted or 'nobody; main reads it'}")
    if space.proposals:
        say_indented(f"{counted(space.proposals, 'proposal')} waiting: `remem proposals`")
    if space.outdated:
        say_indented(f"{counted(space.outdated, 'copy', 'copies')} outdated: share them again")


@spaces.command()
@_space_argument
@click.argument("who")
@click.argument("level", default="read", metavar="[" + "|".join(LEVELS) + "]")
@click.pass_obj
def grant(target: CommandTarget, name: str, who: str, level: str) -> None:
    """Let others use a space.

    WHO is a kind of session (main, groups, peers, subagents, unknown), one of them (group:NAME,
    peer:ID), or the sub-agents of one agent (agent:NAME). Groups and peers can only read.

    \b
    remem spaces grant ops groups
    remem spaces grant ops subagents propose
    """
    with opened(target) as workspace:
        _show_grants(workspace.spaces.grant(name, who, level))
    next_step(target, f"spaces revoke {name} {shlex.quote(who)}", "undoes it")


@spaces.command()
@_space_argument
@click.argument("who")
@click.pass_obj
def revoke(target: CommandTarget, name: str, who: str) -> None:
    """Revoke a grant; it ends with the next call.

    \b
    remem spaces revoke ops groups
    """
    with opened(target) as workspace:
        _show_grants(workspace.spaces.revoke(name, who))
    next_step(target, "spaces list", "shows who uses which space")


@spaces.command()
@_space_argument
@yes_option
@json_option
@click.pass_obj
def delete(target: CommandTarget, name: str, *, yes: bool, as_json: bool) -> None:
    """Delete a space with everything in it.

    Its entries, proposals, log and grants are removed, and so are its files. The originals of what
    you have shared stay in main. If you may need the rest later, export it first.

    \b
    remem --session shared:ops export ops.jsonl
    remem spaces delete ops
    """
    with opened(target) as workspace:
        sizes = [space.entries for space in workspace.spaces.summaries() if space.name == name]
        entries = counted(sum(sizes), "entry", "entries")
        if sizes and not yes and not confirm(f"Delete {name} with {entries}, for everybody?"):
            nothing_changed(f"remem spaces delete {name} --yes")
        respond(workspace.spaces.delete(name), as_json, _show_deleted)
    next_step(target, "spaces list", "shows the others", quiet=as_json)


def _show_deleted(report: DeletedSpaceReport) -> None:
    say(f"deleted {report.name} with {counted(report.entries, 'entry', 'entries')}")
    for path in report.kept:
        say_indented(f"not written by remem, so it was kept: {path}")
    say("backups, the history of git and deleted rows of a server may still contain it", err=True)


def _show_grants(space: Space) -> None:
    granted = ", ".join(f"{grantee} {level}" for grantee, level in space.grants.items())
    say(f"{space.name} is granted to: {granted or 'nobody; main reads it'}")


@spaces.command()
@click.argument("id_", metavar="ID", shell_complete=complete_ids)
@_space_argument
@json_option
@click.pass_obj
def share(target: CommandTarget, id_: str, name: str, as_json: bool) -> None:
    """Copy a memory of main to a space.

    ID is the id of an entry or a fact. Its statement, category, priority and tags are copied; its
    context, links and origin stay in main, and secrets are masked. Share it again after a change.

    \b
    remem spaces share mem-3f8k2m1q ops
    """
    with opened(target) as workspace:
        respond(workspace.spaces.share(id_, name), as_json, _show_shared)
    next_step(target, f"spaces unshare {id_} {name}", "removes it there again", quiet=as_json)


def _show_shared(copy: SharedCopy) -> None:
    untrusted = ", untrusted" if copy.trust == "untrusted" else ""
    say(f"{copy.id} is in {copy.space} as {copy.copy}{untrusted}:")
    say_indented(copy.content)


@spaces.command()
@click.argument("id_", metavar="ID", shell_complete=complete_ids)
@_space_argument
@json_option
@click.pass_obj
def unshare(target: CommandTarget, id_: str, name: str, as_json: bool) -> None:
    """Remove a memory from a space.

    ID is the id of the original in main, of its copy, or of anything that an agent stored in the
    space. The next call no longer finds it, and agents cannot store the same words there again. The
    original stays in main.

    \b
    remem spaces unshare mem-3f8k2m1q ops
    """
    with opened(target) as workspace:
        respond(workspace.spaces.unshare(id_, name), as_json, _show_unshared)
    next_step(target, f"spaces log {name}", "shows who used the space", quiet=as_json)


def _show_unshared(report: UnsharedEntry) -> None:
    say(f"{report.id} is no longer in {report.space}")
    for path in report.also_in:
        say_indented(f"still contains its text: {path}")


@spaces.command()
@_space_argument
@click.option(
    *("--limit", "-n"),
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="The latest uses.",
)
@json_option
@click.pass_obj
def log(target: CommandTarget, name: str, limit: int, as_json: bool) -> None:
    """Show who read, stored or changed what in a space.

    \b
    remem spaces log ops
    """
    with opened(target) as workspace:
        all_uses = workspace.spaces.log(name)
    uses = all_uses[-limit:]
    if as_json:
        print_json(uses)
    else:
        say_table([[use.at, use.who, use.action, _about(use)] for use in uses])
    if len(uses) < len(all_uses):
        say(f"the latest {limit} of {len(all_uses)} uses: --limit shows more", err=True)


def _about(use: SpaceUse) -> str:
    from remem.text.markdown import one_line

    more = f" and {len(use.ids) - _MAX_IDS} more" if len(use.ids) > _MAX_IDS else ""
    return one_line(" ".join([*use.ids[:_MAX_IDS], use.detail]).strip() + more, 90)


def _show_stored(receipt: SharedReceipt) -> None:
    if conflict := receipt.conflict:
        say(f"not stored: {conflict.id} was changed meanwhile and has version {conflict.version}")
        say_indented(f"now:   {conflict.current}")
        say_indented(f"yours: {conflict.yours}")
    elif receipt.proposed:
        say(f"proposed {receipt.id} in {receipt.space}: {receipt.reason}")
    elif not receipt.stored:
        say(f"not stored: {receipt.reason}")
    else:
        verb = "merged into" if receipt.deduplicated else "stored"
        say(f"{verb} {receipt.id} in {receipt.space}, by {receipt.author}")
    if receipt.redacted:
        say(f"masked: {', '.join(receipt.redacted)}")


def _next_after_storing(target: CommandTarget, receipt: SharedReceipt) -> None:
    if receipt.stored:
        next_step(target, f"shared-recall WORDS --spaces {receipt.space}", "finds it")


def _show_proposals(result: Proposals) -> None:
    for receipt in result.accepted:
        _show_stored(receipt)
    for id_ in result.declined:
        say(f"declined {id_}")
    for proposal in result.waiting:
        parts = [proposal.id, proposal.space, proposal.author, proposal.category]
        parts += [proposal.priority] if proposal.priority != "medium" else []
        parts += [f"replaces {proposal.supersedes}"] if proposal.supersedes else []
        say("  ".join(parts), bold=True)
        say_indented(proposal.content)
    if not result.waiting:
        say("no proposal is waiting", err=True)


def _show_handle(handle: IssuedHandle) -> None:
    say(handle.token)
    levels = ", ".join(f"{space} {level}" for space, level in handle.levels.items())
    minutes = handle.expires_in // 60
    say(f"{handle.name}: {levels}; {', '.join(handle.tools)}; {minutes} minutes", err=True)


_PROPOSALS: Final = tool_command(
    SHARED_PROPOSALS,
    _show_proposals,
    failed=lambda result: not all(receipt.stored for receipt in result.accepted),
)
spaces.add_command(_PROPOSALS, "proposals")

COMMANDS: Final = {
    "spaces": spaces,
    "shared-recall": tool_command(SHARED_RECALL, show_answer, degraded=lambda answer: answer.notes),
    "shared-store": tool_command(
        SHARED_STORE,
        _show_stored,
        failed=lambda receipt: not (receipt.stored or receipt.proposed),
        then=_next_after_storing,
    ),
    "proposals": _PROPOSALS,
    "handle": tool_command(SHARED_HANDLE, _show_handle),
}
