"""Check that every acknowledged lesson is in its file exactly once, with plain reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import apsw

WORD = re.compile(r"w\d+x\d+[a-z]+")
STATE = re.compile(r"  - (?:Happened|Next): ")


def problems(folder: Path, session: str, acked: set[tuple[str, str, str]]) -> Iterator[str]:
    """What is lost, doubled or in the wrong place; nobody may have the workspace open."""
    files = _files(folder, "main" if session == "main" else "groups/garden")
    entries = Counter(WORD.findall("\n".join(_entries(folder, session))))
    for word, kind, home in sorted(acked):
        if home.endswith(".md"):
            found = files.get(home, Counter())[word]
            if found != 1:
                yield f"{word} ({kind}) stands {found} times in {home}"
        elif entries[word] != 1:
            yield f"{word} ({kind}) is {entries[word]} entries"
    for home, counted in files.items():
        for word, times in counted.items():
            if times != 1:
                yield f"{word} stands {times} times in {home}"
    yield from (f"{word} is {times} entries" for word, times in entries.items() if times != 1)
    yield from _leftovers(folder)


def _files(folder: Path, place: str) -> dict[str, Counter[str]]:
    """The words of every file of the scope, without the history of tasks."""
    found: dict[str, Counter[str]] = {}
    paths = [*(folder / "memory" / place).rglob("*.md"), *(folder / "memory").glob("20*.md")]
    for path in paths:
        if "domains" in path.parts:
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if "task was" not in line]
        # A task passes through several states; no state is written twice.
        states = [line for line in lines if STATE.match(line)]
        kept = [line for line in kept if line not in states] + _twice(states)
        name = path.relative_to(folder).as_posix()
        found[name] = Counter(WORD.findall("\n".join(kept)))
    return found


def _twice(lines: list[str]) -> list[str]:
    return [line for line, times in Counter(lines).items() if times > 1 for _ in range(2)]


def _entries(folder: Path, session: str) -> Iterator[str]:
    scope = "main" if session == "main" else "groups/garden"
    database = folder / ".remem" / scope / "entries.db"
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        for (content,) in connection.execute("SELECT content FROM memory_entries"):
            yield content
    finally:
        connection.close()


def _leftovers(folder: Path) -> Iterator[str]:
    """After a replay no half-written file lies about. The first gate is made without a lock,
    so that nobody can tell a stray of it from one that is just being written."""
    for path in (folder / "memory").rglob(".*.remem-new"):
        gate = path.name.startswith((".garden.md.", ".index.md."))
        if "domains" not in path.parts and "INDEX" not in path.name and not gate:
            yield f"{path.name} was left lying"
