"""Commands that list memories and change one: list, recent, edit and history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from remem.cli.commands.tools import complete_ids, complete_tags
from remem.cli.opening import CommandTarget, next_step, opened
from remem.cli.root import OneOf
from remem.cli.terminal import (
    ago,
    columns_of,
    fitted,
    is_piped,
    json_option,
    print_json,
    say,
    say_indented,
    terminal_width,
    text_argument,
)
from remem.errors import InvalidInput
from remem.model.entry import CATEGORIES, PRIORITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from remem.model.entry import Category, Entry, Priority, Version

_MIN_TEXT_WIDTH: Final = 30
_MAX_TEXT_LENGTH: Final = 500
"""The longest text of an entry in a line of a list; --json prints it whole."""
_VERSIONED_FIELDS: Final = "category priority tags context expires_at trust archived".split()
_CATEGORY: Final = OneOf(CATEGORIES)
_PRIORITY: Final = OneOf(PRIORITIES)


@click.command("list")
@click.option("-c", "--category", type=_CATEGORY, help="Only this category.")
@click.option("-p", "--priority", type=_PRIORITY, help="Only this priority.")
@click.option("-t", "--tag", metavar="TAG", shell_complete=complete_tags, help="Only this tag.")
@click.option("--archived", is_flag=True, help="List archived and replaced entries instead.")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True)
@click.option("--all", "all_entries", is_flag=True, help="List all entries, without a limit.")
@json_option
@click.pass_obj
def list_(
    target: CommandTarget,
    *,
    category: Category | None,
    priority: Priority | None,
    tag: str | None,
    archived: bool,
    limit: int,
    all_entries: bool,
    as_json: bool,
) -> None:
    """List memories, the latest change first.

    \b
    remem list
    remem list -c preference --all
    remem list --tag ledger --json
    """
    with opened(target) as workspace:
        entries = workspace.entries(
            category=category,
            priority=priority,
            tag=tag,
            archived=archived,
            limit=None if all_entries else limit + 1,
        )
    shown_entries = entries if all_entries else entries[:limit]
    if as_json:
        print_json(shown_entries)
        return
    rows = [
        [entry.id, _category_and_priority(entry), ago(entry.updated_at)] for entry in shown_entries
    ]
    _show_rows(rows, shown_entries)
    if len(shown_entries) < len(entries):
        say("there are more: add --all", err=True)
    if not entries:
        say("nothing is stored" if not archived else "nothing is archived", err=True)
        if not (archived or category or priority or tag):
            next_step(target, "store 'Something to remember.'")


@click.command()
@click.option("-n", "--limit", type=click.IntRange(1), default=10, show_default=True)
@json_option
@click.pass_obj
def recent(target: CommandTarget, limit: int, as_json: bool) -> None:
    """Show the latest changes: what was stored, edited or archived.

    \b
    remem recent
    remem recent -n 50
    """
    with opened(target) as workspace:
        versions = workspace.recent(limit)
    if as_json:
        print_json(versions)
        return
    rows = [[ago(version.at), version.change, version.entry.id] for version in versions]
    _show_rows(rows, [version.entry for version in versions])
    if not versions:
        say("nothing is stored", err=True)
        next_step(target, "store 'Something to remember.'")


@click.command()
@click.argument("id_", metavar="ID", shell_complete=complete_ids)
@click.argument("content", nargs=-1)
@click.option("-c", "--category", type=_CATEGORY, help="Its new category.")
@click.option("-p", "--priority", type=_PRIORITY, help="Its new priority.")
@click.option("-t", "--tag", "tags", multiple=True, help="Its new tags. May be repeated.")
@click.option("--context", help="Why it is stored.")
@click.option("--expires", metavar="DATE", help="ISO date after which it is archived.")
@json_option
@click.pass_obj
def edit(
    target: CommandTarget,
    /,
    id_: str,
    content: tuple[str, ...],
    *,
    tags: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Change a memory; the earlier wording stays in its history.

    CONTENT is the new wording; if it is `-`, it is read from standard input. Without CONTENT and
    options, the memory opens in your editor ($EDITOR).

    \b
    remem edit mem-3f8k2m1q
    remem edit mem-3f8k2m1q "David drinks his coffee with oat milk."
    remem edit mem-3f8k2m1q -c instruction -p high
    """
    changes = {name: value for name, value in options.items() if value is not None}
    wording = " ".join(content) if content else None
    if tags:
        changes["tags"] = tags
    with opened(target) as workspace:
        before = workspace.entry(id_)
        if wording is None and not changes:
            wording = _from_editor(before.content)
        elif wording is not None:
            wording = text_argument(wording, "content")
        if wording is not None:
            changes["content"] = wording
        after = workspace.edit(id_, **changes)
    if as_json:
        print_json(after)
    elif after.version == before.version:
        say(f"{after.id} was not changed")
    else:
        say(f"changed {after.id}, version {after.version}: {after.content}")
        next_step(target, f"history {after.id}", "shows every version")


def _from_editor(text: str) -> str:
    if is_piped():
        raise InvalidInput("no new wording was given", hint="give the text after the id")
    try:
        edited = click.edit(f"{text}\n", extension=".md")
    except click.ClickException as error:
        hint = "set EDITOR to your editor, or give the text after the id"
        raise InvalidInput(error.format_message(), hint=hint) from None
    return text if edited is None else edited.strip()


@click.command()
@click.argument("id_", metavar="ID", shell_complete=complete_ids)
@json_option
@click.pass_obj
def history(target: CommandTarget, id_: str, as_json: bool) -> None:
    """Show every version of an entry.

    The oldest version comes first, each with the time and the reason of the change.

    \b
    remem history mem-3f8k2m1q
    """
    with opened(target) as workspace:
        versions = workspace.history(id_)
    if as_json:
        print_json(versions)
    else:
        _show_versions(versions)


def _show_versions(versions: Iterable[Version]) -> None:
    before: Entry | None = None
    for version in versions:
        say(f"version {version.version}  {version.at}  {version.change}", bold=True)
        say_indented(version.entry.content)
        for name in _VERSIONED_FIELDS if before else ():
            old, new = getattr(before, name), getattr(version.entry, name)
            if old != new:
                say_indented(f"{name}: {_field_text(old)} → {_field_text(new)}", dim=True)
        before = version.entry


def _field_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple) and value:
        return ", ".join(value)
    return "; ".join(str(value or "none").splitlines())


def _show_rows(rows: Sequence[Sequence[str]], entries: Sequence[Entry]) -> None:
    """Print one line per entry: aligned columns, then its text, cut at the terminal's width.

    In a narrow terminal, the text has its own line.
    """
    if not rows:
        return
    widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    width = terminal_width()
    for row, entry in zip(rows, entries, strict=True):
        tags = "".join(f"  #{tag}" for tag in entry.tags)
        cells = [fitted(cell, size) for cell, size in zip(row, widths, strict=True)]
        text = " ".join(entry.content.split())
        if len(text) > _MAX_TEXT_LENGTH:
            text = text[: _MAX_TEXT_LENGTH - 1].rstrip() + "…"
        text += tags
        if width is None:
            say("  ".join([*cells, text]))
        elif width - sum(widths) - 2 * len(widths) < _MIN_TEXT_WIDTH:
            say(fitted("  ".join(row), width).rstrip(), bold=True)
            say(fitted(f"  {text}", width).rstrip())
        else:
            say(fitted("  ".join([*cells, text]), width).rstrip())


def _category_and_priority(entry: Entry) -> str:
    return entry.category if entry.priority == "medium" else f"{entry.category}, {entry.priority}"


COMMANDS: Final = {"list": list_, "recent": recent, "edit": edit, "history": history}
