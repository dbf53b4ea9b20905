"""Read the files that a conversation starts with: gates, the last flush and recent notes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Final

from remem.errors import RememError
from remem.fast_dataclass import dataclass
from remem.files import atomic
from remem.files.layout import Layout, markdown_in
from remem.model.gate import Route, read_gate_file
from remem.model.scope import MAIN, Scope
from remem.text.language import language_of_long_text
from remem.text.line_status import is_template
from remem.text.markdown import lines_of, outline

_FILE_IN_OWN_FOLDER: Final = re.compile(r"(?:conventions/)?[^/\\\0]+\.md")
_LANGUAGE_SAMPLE: Final = 5_000
_LABEL: Final = re.compile(r"#.*|\W*[^:：]{1,40}[:：]")
"""A heading, or the label of a value."""
_DAILY_NOTE: Final = re.compile(r"\d{4}-\d\d-\d\d\.md")
_MAX_NOTES: Final = 3
_CONVERSATION_DUMP: Final = re.compile(r"\s*#+\s*session\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DayNote:
    """One note of a day; `path` is relative to the workspace.

    `own` is true for the daily note itself. Other notes, and a daily note that is the dump of a
    conversation, may contain anybody's words.
    """

    path: str
    text: str
    own: bool


@dataclass(frozen=True, slots=True)
class Gate:
    """The numbered lines of a scope's gate after its front matter, and its token budget.

    Routes to files that do not exist are left out.
    """

    path: str
    lines: tuple[tuple[int, str], ...]
    budget: int | None


@dataclass(frozen=True, slots=True)
class LastFlush:
    """The time of main's last flush, and the number of pending items."""

    at: str | None
    pending: int


def day_notes(layout: Layout, day: date, problems: list[str]) -> list[DayNote]:
    """Return the notes named after a day, the daily note first; `problems` collects read errors."""
    try:
        names = [name for name in markdown_in(layout.memory) if _is_named_after(name, day)]
    except RememError as error:
        problems.append(str(error))
        return []
    notes = []
    for name in sorted(names, key=lambda name: (len(name), name)):
        text = _text(layout.root, layout.memory / name, problems)
        if text is not None:
            own = name == f"{day}.md" and not _CONVERSATION_DUMP.match(text.removeprefix("\ufeff"))
            notes.append(DayNote(f"memory/{name}", text, own))
    return notes


def routing_lines(layout: Layout, problems: list[str]) -> list[str]:
    """Return the files that main's gate names and that exist, each with the topics it is for."""
    gate = gate_text(layout, MAIN, problems)
    routes = read_gate_file(gate).routes if gate else ()
    return [
        f"`{route.file}`: {route.trigger}" if route.trigger else f"`{route.file}`"
        for route in routes
        if not _is_missing(layout, MAIN, route.file)
    ]


def _is_missing(layout: Layout, scope: Scope, name: str) -> bool:
    """Return whether a file that a gate names is known not to exist.

    For a group, only files in its own folder are looked up, so that it does not learn which other
    files exist.
    """
    folder = layout.root / layout.scope_folder(scope)
    if scope.kind == "main":
        folders = (folder, layout.memory, layout.root)
        return not any(_is_file(parent / name) for parent in folders)
    return _FILE_IN_OWN_FOLDER.fullmatch(name) is not None and not _is_file(folder / name)


def _is_file(path: Path) -> bool:
    """Return whether there is such a file; `Path.is_file` fails for a name that is too long."""
    return os.path.isfile(path)  # noqa: PTH113


def read_gate(layout: Layout, scope: Scope, problems: list[str]) -> Gate | None:
    """Return a scope's gate without its front matter; links are not followed."""
    path, text = layout.gate(scope), gate_text(layout, scope, problems)
    if path is None or text is None:
        return None
    lines = lines_of(text.removeprefix("\ufeff"))
    blocks = outline(text)
    start = blocks[0].end if blocks and blocks[0].kind == "front matter" else 0
    while start < len(lines) and not lines[start].strip():
        start += 1
    gate = read_gate_file(text)
    missing = {route.line for route in gate.routes if _is_missing(layout, scope, route.file)}
    numbered: dict[int, str | None] = dict(enumerate(lines[start:], start + 1))
    for route in gate.routes:
        if (numbered.get(route.line) or "").lstrip().startswith("|"):
            numbered |= _route_as_item(numbered, route)
    shown_lines = tuple(
        (number, line)
        for number, line in numbered.items()
        if number not in missing and line is not None
    )
    return Gate(layout.relative(path), shown_lines, gate.budget)


def _route_as_item(lines: Mapping[int, str | None], route: Route) -> dict[int, str | None]:
    """Return the new text of the line of a route in a table: an item of a list.

    The lines of the table's head above it get None, because they are removed.
    """
    tier = f" ({route.tier})" if route.tier else ""
    item = f"- `{route.file}`{tier}"
    if route.trigger:
        item += f": {route.trigger}"
    new_lines: dict[int, str | None] = {route.line: item}
    above = route.line - 1
    while (lines.get(above) or "").lstrip().startswith("|"):
        new_lines[above] = None
        above -= 1
    return new_lines


def gate_text(layout: Layout, scope: Scope, problems: list[str]) -> str | None:
    """Return the full text of a scope's gate; None if there is none or it cannot be read."""
    path = layout.gate(scope)
    return _text(layout.root, path, problems, single_link=scope.kind != "main") if path else None


def last_flush(layout: Layout, problems: list[str]) -> LastFlush | None:
    """Return the last flush of main, from memory/flush-state.json.

    What the file says about groups is ignored.
    """
    text = _text(layout.root, layout.flush_state, problems)
    if text is None:
        return None
    try:
        state = json.loads(text)
        at, pending = state["main_session"].get("last_flush_time"), state.get("pending_items", [])
        if isinstance(at, str | None) and isinstance(pending, list):
            # Without both, the file was written for groups before the first flush of main.
            return LastFlush(at, len(pending)) if at or pending else None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    problems.append(f"{layout.flush_state} does not contain the time of the last flush")
    return None


def owner_language(layout: Layout) -> str:
    """Return the language of MEMORY.md and USER.md; empty if it is unclear.

    The labels and the advice of a form do not count in USER.md. If nothing else is written in these
    pages, main's gate decides, or else the latest daily notes.
    """
    memory, user = (_sample(layout, layout.root / page) for page in ("MEMORY.md", "USER.md"))
    values = (_LABEL.sub("", line) for line in lines_of(user) if not is_template(line))
    if language := language_of_long_text("\n".join([memory, *values])):
        return language
    if language := language_of_long_text(gate_text(layout, MAIN, []) or ""):
        return language
    try:
        notes = [name for name in markdown_in(layout.memory) if _DAILY_NOTE.fullmatch(name)]
    except RememError:  # reported where notes are used
        return ""
    latest = (_sample(layout, layout.memory / name) for name in notes[-_MAX_NOTES:])
    return language_of_long_text("\n".join(latest))


def _sample(layout: Layout, path: Path) -> str:
    """Return the beginning of a page; errors are reported where the page is used."""
    return (_text(layout.root, path, []) or "")[:_LANGUAGE_SAMPLE]


def scope_language(layout: Layout, scope: Scope) -> str:
    """Return the owner's language in main, that of the gate in any other scope."""
    if scope.kind == "main":
        return owner_language(layout)
    return language_of_long_text(gate_text(layout, scope, []) or "")


def _is_named_after(name: str, day: date) -> bool:
    """Return whether a file name is the date, or starts or ends with it."""
    stem = name.removesuffix(".md")
    return stem == str(day) or stem.startswith((f"{day}-", f"{day}_")) or stem.endswith(f"-{day}")


def _text(root: Path, path: Path, problems: list[str], *, single_link: bool = False) -> str | None:
    """Return the text of a file; None if it is missing or cannot be read.

    Bytes that are not UTF-8 become replacement characters.
    """
    data = atomic.read_or_report(root, path, problems, single_link=single_link)
    return None if data is None else data.decode(errors="replace")
