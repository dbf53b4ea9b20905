"""Complete ids and tags of memories in the current workspace, for shells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from click.shell_completion import CompletionItem

from remem.errors import RememError

if TYPE_CHECKING:
    import click

    from remem.model.entry import Entry

_MAX_ENTRIES: Final = 500


def ids_of(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Return the ids of entries, the latest change first, each with the beginning of its text."""
    return [
        CompletionItem(entry.id, help=" ".join(entry.content.split())[:60])
        for entry in _entries(ctx)
        if entry.id.startswith(incomplete)
    ]


def tags_of(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Return the tags of entries, from the latest changed entry to the earliest."""
    tags = dict.fromkeys(tag for entry in _entries(ctx) for tag in entry.tags)
    return [CompletionItem(tag) for tag in tags if tag.startswith(incomplete)]


def _entries(ctx: click.Context) -> Iterable[Entry]:
    """Return the latest entries of the workspace that the command line names.

    Errors are ignored, because a shell cannot show them while it completes a word.
    """
    from remem.app.opening import open_workspace
    from remem.cli.opening import CommandTarget, existing_workspace

    root = ctx.find_root().params
    target = CommandTarget(root.get("workspace"), root.get("session") or "main")
    try:
        existing_workspace(target)
        with open_workspace(target.workspace, target.session, background=False) as workspace:
            return workspace.entries(limit=_MAX_ENTRIES)
    except RememError:
        return []
