"""Complete ids and tags of memories for shells, and find the entries that are meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from click.shell_completion import CompletionItem

from remem.errors import RememError
from remem.model.entry import ID_PREFIX, is_entry_id
from remem.text.markdown import one_line

if TYPE_CHECKING:
    import click

    from remem.app.workspace import Workspace
    from remem.model.entry import Category, Entry
    from remem.search.answer.answer import Recalled

_MAX_ENTRIES: Final = 500
_MAX_SIMILAR: Final = 3
_MIN_LIKENESS: Final = 0.8
_MIN_OVERLAP: Final = 0.6
_MAX_LENGTH: Final = 80


def ids_of(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Return the ids of entries, the latest change first, each with the beginning of its text."""
    return [
        CompletionItem(entry.id, help=" ".join(entry.content.split())[:_MAX_LENGTH])
        for entry in _entries(ctx)
        if entry.id.startswith(incomplete)
    ]


def tags_of(ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Return the tags of entries, from the latest changed entry to the earliest."""
    tags = dict.fromkeys(tag for entry in _entries(ctx) for tag in entry.tags)
    return [CompletionItem(tag) for tag in tags if tag.startswith(incomplete)]


def similar_entries(workspace: Workspace, text: str) -> list[str]:
    """Return lines with the entries that a misspelt id means, or words in place of an id."""
    found: Iterable[Entry | Recalled]
    if text.startswith(ID_PREFIX):
        from difflib import get_close_matches

        entries = {entry.id: entry for entry in workspace.entries()}
        found = [entries[id_] for id_ in get_close_matches(text, entries, cutoff=_MIN_LIKENESS)]
    else:
        answer = workspace.recall(text, limit=_MAX_SIMILAR)
        found = [entry for entry in answer.entries if is_entry_id(entry.id)]
    return [_line(entry) for entry in found]


def overlapping_entries(workspace: Workspace, id_: str, content: str) -> list[str]:
    """Return lines with the recent entries that share most of their words with a new one."""
    from remem.text.similarity import overlap
    from remem.text.words import words

    new = set(words(content))
    shares = [
        (overlap(new, set(words(entry.content))), entry)
        for entry in workspace.entries(limit=_MAX_ENTRIES)
        if entry.id != id_
    ]
    similar = sorted(
        (pair for pair in shares if pair[0] >= _MIN_OVERLAP), key=lambda pair: -pair[0]
    )
    return [_line(entry) for _, entry in similar[:_MAX_SIMILAR]]


def category_of_same(workspace: Workspace, content: str) -> Category | None:
    """Return the category of the entry that says the same, or None."""
    from remem.text.words import fold

    same = fold(content.strip())
    entries = workspace.entries(limit=None)
    return next((entry.category for entry in entries if fold(entry.content) == same), None)


def _line(entry: Entry | Recalled) -> str:
    return f"{entry.id}  {one_line(entry.content, _MAX_LENGTH)}"


def _entries(ctx: click.Context) -> Iterable[Entry]:
    """Return the entries that changed last, in the workspace that the command line names.

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
