"""Reads the files that a conversation starts with: gates, the last flush and recent notes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.layout import Layout, markdown_in
from remem.model.gate import read_gate_file
from remem.model.scope import MAIN, Scope
from remem.text.language import is_chinese
from remem.text.markdown import lines_of, outline

_DUMP: Final = re.compile(r"\s*#+\s*session\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DayNote:
    """One note of a day; `path` is relative to the workspace.

    `own` is true for the daily note itself, and false for an excerpt of a conversation, which may
    contain anybody's words.
    """

    path: str
    text: str
    own: bool


@dataclass(frozen=True, slots=True)
class Gate:
    """The lines of a scope's gate after its front matter, starting at line `first` of the file,
    and the token budget that the gate sets."""

    path: str
    lines: tuple[str, ...]
    first: int
    budget: int | None


@dataclass(frozen=True, slots=True)
class LastFlush:
    """When main was last flushed, and how many items are pending."""

    at: str | None
    pending: int


def day_notes(layout: Layout, day: date, problems: list[str]) -> list[DayNote]:
    """The notes named after a day, the daily note first; `problems` collects read errors."""
    try:
        names = [name for name in markdown_in(layout.memory) if _is_of(name, day)]
    except RememError as error:
        problems.append(str(error))
        return []
    notes = []
    for name in sorted(names, key=lambda name: (len(name), name)):
        text = _text(layout.root, layout.memory / name, problems)
        if text is not None:
            own = name == f"{day}.md" and not _DUMP.match(text.removeprefix("\ufeff"))
            notes.append(DayNote(f"memory/{name}", text, own))
    return notes


def routing_lines(layout: Layout, problems: list[str]) -> list[str]:
    """The lines of main's gate that name the file to load for a topic."""
    gate = read_gate(layout, MAIN, problems)
    text = "\n".join(gate.lines) if gate else ""
    return [
        block.text
        for block in outline(text)
        if block.kind in ("bullet", "row", "text")
        and ".md" in block.text
        and "[DEPRECATED]" not in block.text
    ]


def read_gate(layout: Layout, scope: Scope, problems: list[str]) -> Gate | None:
    """A scope's gate without its front matter; links are not followed."""
    path, text = layout.gate(scope), gate_text(layout, scope, problems)
    if path is None or text is None:
        return None
    lines = lines_of(text.removeprefix("\ufeff"))
    blocks = outline(text)
    matter = blocks[0].end if blocks and blocks[0].kind == "matter" else 0
    while matter < len(lines) and not lines[matter].strip():
        matter += 1
    return Gate(
        path=layout.relative(path),
        lines=tuple(lines[matter:]),
        first=matter + 1,
        budget=read_gate_file(text).budget,
    )


def gate_text(layout: Layout, scope: Scope, problems: list[str]) -> str | None:
    """The full text of a scope's gate; None if there is none or it cannot be read."""
    path = layout.gate(scope)
    return _text(layout.root, path, problems, single_link=scope.kind != "main") if path else None


def last_flush(layout: Layout, problems: list[str]) -> LastFlush | None:
    """The last flush of main, from memory/flush-state.json; what the file says about groups is
    ignored."""
    text = _text(layout.root, layout.flush_state, problems)
    if text is None:
        return None
    try:
        state = json.loads(text)
        at, pending = state["main_session"].get("last_flush_time"), state.get("pending_items", [])
        if isinstance(at, str | None) and isinstance(pending, list):
            # A file that has neither was written for groups, before the first flush of main.
            return LastFlush(at, len(pending)) if at or pending else None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    problems.append(f"{layout.flush_state} does not contain the time of the last flush")
    return None


def speaks_chinese(layout: Layout) -> bool:
    """Whether MEMORY.md and main's gate are written in Chinese."""
    ignored: list[str] = []  # errors are reported where these pages are used
    pages = (layout.root / "MEMORY.md", layout.gate(MAIN))
    texts = [_text(layout.root, page, ignored) for page in pages if page]
    return is_chinese("\n".join(text[:10_000] for text in texts if text))


def _is_of(name: str, day: date) -> bool:
    """Whether a file name is the date, or starts or ends with it."""
    stem = name.removesuffix(".md")
    return stem == str(day) or stem.startswith((f"{day}-", f"{day}_")) or stem.endswith(f"-{day}")


def _text(root: Path, path: Path, problems: list[str], *, single_link: bool = False) -> str | None:
    """A file's text, with replacement characters for bytes that are not UTF-8."""
    data = atomic.read_or_report(root, path, problems, single_link=single_link)
    return None if data is None else data.decode(errors="replace")
