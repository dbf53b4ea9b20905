"""What do the files say that a conversation begins with? Gates, the last flush, recent notes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.disk import explained
from remem.files.layout import Layout
from remem.model.gate import read_gate_file
from remem.model.scope import MAIN, Scope
from remem.text.language import is_chinese
from remem.text.markdown import lines_of, outline

_DUMP: Final = re.compile(r"\s*#+\s*session\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DayNote:
    """One note of a day; `path` is relative to the workspace.

    `own` says that it is the day's own note rather than an excerpt of a conversation, in
    which anybody may have spoken.
    """

    path: str
    text: str
    own: bool


@dataclass(frozen=True, slots=True)
class Gate:
    """The text of a scope's gate from line `first` on, and the budget that it names."""

    path: str
    lines: tuple[str, ...]
    first: int
    budget: int | None


@dataclass(frozen=True, slots=True)
class Flush:
    """When main was last flushed, and how much still waits for it."""

    at: str | None
    pending: int


def day_notes(layout: Layout, day: date, trouble: list[str]) -> list[DayNote]:
    """The notes that a day's date names, its own first; `trouble` gets what cannot be read."""
    try:
        names = [name for name in _names(layout.memory) if _is_of(name, day)]
    except RememError as error:
        trouble.append(str(error))
        return []
    found = []
    for name in sorted(names, key=lambda name: (len(name), name)):
        text = _text(layout.root, layout.memory / name, trouble)
        if text is not None:
            own = name == f"{day}.md" and not _DUMP.match(text.removeprefix("\ufeff"))
            found.append(DayNote(f"memory/{name}", text, own))
    return found


def routing_lines(layout: Layout, trouble: list[str]) -> list[str]:
    """The lines of main's gate that say which file to load when."""
    gate = read_gate(layout, MAIN, trouble)
    text = "\n".join(gate.lines) if gate else ""
    return [
        block.text
        for block in outline(text)
        if block.kind in ("bullet", "row", "text")
        and ".md" in block.text
        and "[DEPRECATED]" not in block.text
    ]


def read_gate(layout: Layout, scope: Scope, trouble: list[str]) -> Gate | None:
    """A scope's gate, without its front matter; a link into another scope is not followed."""
    path, text = layout.gate(scope), gate_text(layout, scope, trouble)
    if path is None or text is None:
        return None
    lines = lines_of(text.removeprefix("\ufeff"))
    blocks = outline(text)
    matter = blocks[0].end if blocks and blocks[0].kind == "matter" else 0
    while matter < len(lines) and not lines[matter].strip():
        matter += 1
    return Gate(
        path=path.relative_to(layout.root).as_posix(),
        lines=tuple(lines[matter:]),
        first=matter + 1,
        budget=read_gate_file(text).budget,
    )


def gate_text(layout: Layout, scope: Scope, trouble: list[str]) -> str | None:
    """The whole text of a scope's gate; None if it has none that can be read."""
    path = layout.gate(scope)
    return _text(layout.root, path, trouble, sole_name=scope.kind != "main") if path else None


def last_flush(layout: Layout, trouble: list[str]) -> Flush | None:
    """What memory/flush-state.json says of main; nothing of the groups is taken from it."""
    text = _text(layout.root, layout.flush_state, trouble)
    if text is None:
        return None
    try:
        state = json.loads(text)
        at, pending = state["main_session"].get("last_flush_time"), state.get("pending_items", [])
        if isinstance(at, str | None) and isinstance(pending, list):
            # Groups may have flushed, and main not yet: that is no news for main.
            return Flush(at, len(pending)) if at or pending else None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    trouble.append(f"{layout.flush_state} does not say when the last flush was")
    return None


def speaks_chinese(layout: Layout) -> bool:
    """Whether the owner's own pages are written in Chinese."""
    unread: list[str] = []  # whoever needs these pages is told what is wrong with them
    pages = (layout.root / "MEMORY.md", layout.gate(MAIN))
    texts = [_text(layout.root, page, unread) for page in pages if page]
    return is_chinese("\n".join(text[:10_000] for text in texts if text))


def _names(folder: Path) -> Iterator[str]:
    """The Markdown files that lie directly in a folder; links are none."""
    with explained(folder, "listed"):
        try:
            with os.scandir(folder) as found:
                for dir_entry in found:
                    if dir_entry.name.endswith(".md") and dir_entry.is_file(follow_symlinks=False):
                        yield dir_entry.name
        except FileNotFoundError:
            return


def _is_of(name: str, day: date) -> bool:
    """Whether the name is the date, or has it at one of its ends."""
    stem = name.removesuffix(".md")
    return stem == str(day) or stem.startswith((f"{day}-", f"{day}_")) or stem.endswith(f"-{day}")


def _text(root: Path, path: Path, trouble: list[str], *, sole_name: bool = False) -> str | None:
    """A file's text; bytes that are none stand as question marks here, never in the way."""
    try:
        atomic.refuse_links(root, path.parent)
        data = atomic.read(path, sole_name=sole_name)
    except RememError as error:
        trouble.append(str(error))
        return None
    return None if data is None else data.decode(errors="replace")
