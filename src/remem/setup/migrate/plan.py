"""Planning a migration: the files to read, and their statements matched with earlier runs.

MEMORY.md, USER.md and the notes are read, never changed. Which line became which entry is recorded
in the transaction that stores the entries. So a later run can tell unchanged, changed and new
lines apart: by their exact words first, then by similarity and position.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Final

from remem.admin.audit.coverage import replaced_sections
from remem.entries.draft import Memory, make_draft
from remem.errors import InvalidInput, RememError
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.memory_files import memory_files
from remem.files.walking import CURATED, MemoryFile
from remem.model.entry import Draft, Origin, Trust, headings_in, lower_trust, needs_heading
from remem.model.page import DERIVED, blank_generated_lines
from remem.model.scope import MAIN
from remem.model.statement import Document, Statement
from remem.ports.entries import EntryReader, Snapshot, Transaction
from remem.ports.models import Extractor
from remem.text.markdown import lines_of
from remem.text.similarity import folded_hash, overlap
from remem.text.timestamps import format_time
from remem.text.words import words

_NOTES: Final = "memory/"
_GATE: Final = "memory/main/index.md"


@dataclass(frozen=True, slots=True)
class Source:
    """A memory file that was read; `saved` is when it was last written.

    Every line of a `curated` file counts. The two `owned` files have the
    owner's trust, all others the agent's.
    """

    path: str
    text: str
    saved: str
    curated: bool
    owned: bool


def files_to_migrate(layout: Layout, problems: list[str]) -> list[MemoryFile]:
    """The files to migrate.

    Curated files come first, so that a statement in a note counts as a repetition of theirs. Fact
    files are not migrated.
    """
    chosen = []
    for file in memory_files(layout, MAIN):
        if not _is_migrated(file):
            continue
        if file.refused:
            problems.append(f"skipped {file.path}: {file.refused}")
        else:
            chosen.append(file)
    return sorted(chosen, key=lambda file: (file.path not in CURATED, file.kind != "curated"))


def read_sources(chosen: Sequence[MemoryFile], problems: list[str]) -> Iterator[Source]:
    """Read the files one by one; unreadable ones are added to `problems` and skipped."""
    for file in chosen:
        try:
            data = atomic.read(file.absolute)
        except RememError as error:
            problems.append(str(error))
            continue
        if data is None or file.status is None:
            problems.append(f"{file.path} was removed before it was read")
            continue
        text = data.decode(errors="replace").replace("\0", "\ufffd")
        if "\ufffd" in text:
            problems.append(f"{file.path} is not valid UTF-8; bad bytes became \ufffd")
        if file.path in DERIVED:
            text = blank_generated_lines(text)
        saved = format_time(datetime.fromtimestamp(int(file.status.st_mtime), UTC))
        yield Source(
            file.path,
            text,
            saved,
            file.kind == "curated",
            file.path in CURATED,
        )


def _is_migrated(file: MemoryFile) -> bool:
    if file.kind not in ("curated", "note", "folder"):
        return False
    return file.path in CURATED or (file.path.startswith(_NOTES) and file.path != _GATE)


_ROWS_NOTE: Final = "migrated:"
_FILES_NOTE: Final = "migrated"


@dataclass(frozen=True, slots=True)
class Row:
    """A migrated statement: its first line, the hash of its wording, and its entry."""

    line: int
    wording: str
    id: str


def wording_of(content: str) -> str:
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def read_rows(reading: EntryReader, path: str) -> list[Row]:
    note = reading.get_state(_ROWS_NOTE + path)
    return [Row(*values) for values in json.loads(note)] if note else []


def write_rows(tx: Transaction, path: str, rows: Sequence[Row]) -> None:
    if rows or tx.get_state(_ROWS_NOTE + path):
        values = [[row.line, row.wording, row.id] for row in rows]
        tx.put_state(_ROWS_NOTE + path, json.dumps(values, separators=(",", ":")))


def migrated_files(reading: EntryReader) -> list[str]:
    """The files of earlier completed runs."""
    note = reading.get_state(_FILES_NOTE)
    return list(json.loads(note)) if note else []


def record_files(tx: Transaction, paths: Iterable[str]) -> None:
    tx.put_state(_FILES_NOTE, json.dumps(sorted(paths), ensure_ascii=False))


def forget_files(tx: Transaction, paths: Iterable[str]) -> None:
    """Drop the rows of files that no longer exist; their entries stay."""
    for path in paths:
        write_rows(tx, path, [])


_PREFIX_END: Final = re.compile(r":[ \n]")
_MIN_SIMILARITY: Final = 0.4
_MAX_PAIRS: Final = 250_000


@dataclass(frozen=True, slots=True)
class Item:
    """A statement to be stored; `row` is its row of an earlier run, if any."""

    statement: Statement
    draft: Draft
    wording: str
    folded: int
    row: Row | None = None
    changed: bool = False

    @property
    def line(self) -> int:
        return self.statement.lines[0]

    @property
    def unchanged(self) -> bool:
        return self.row is not None and not self.changed


def match(
    items: Sequence[Item], rows: Sequence[Row], old_words: Callable[[Row], str | None]
) -> tuple[list[Item], list[Row]]:
    """Match items with the rows of an earlier run; return the items, and the unmatched rows."""
    by_wording: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_wording[row.wording].append(row)
    found = list(items)
    for at, item in enumerate(items):
        if candidates := by_wording[item.wording]:
            nearest = min(candidates, key=lambda row: abs(row.line - item.line))
            candidates.remove(nearest)
            found[at] = replace(item, row=nearest)
    gone = [row for candidates in by_wording.values() for row in candidates]
    new = [at for at, item in enumerate(found) if item.row is None]
    for at, row in _prefixed(found, new, gone, old_words).items():
        found[at] = replace(found[at], row=row, changed=True)
        gone.remove(row)
    new = [at for at in new if found[at].row is None]
    for at, row in _similar(found, new, gone, old_words).items():
        found[at] = replace(found[at], row=row, changed=True)
        gone.remove(row)
    return found, gone


def has_prefix(old: str, new: str) -> bool:
    """Whether a text is another one with headings in front, as earlier versions stored it."""
    return old.endswith((f": {new}", f":\n{new}"))


def _prefixed(
    items: Sequence[Item],
    new: Sequence[int],
    rows: Sequence[Row],
    old_words: Callable[[Row], str | None],
) -> dict[int, Row]:
    """Match lines with entries that have the same words after a prefix of headings."""
    ends: dict[str, list[int]] = defaultdict(list)
    for at in new:
        ends[items[at].draft.content].append(at)
    found: dict[int, Row] = {}
    for row in rows:
        text = old_words(row) if new else None
        for end in _PREFIX_END.finditer(text or ""):
            free = [at for at in ends.get((text or "")[end.end() :], ()) if at not in found]
            if free:
                found[min(free, key=lambda at: abs(items[at].line - row.line))] = row
                break
    return found


def _similar(
    items: Sequence[Item],
    new: Sequence[int],
    rows: Sequence[Row],
    old_words: Callable[[Row], str | None],
) -> dict[int, Row]:
    """Match by similarity, best pairs first; with too many pairs, every line counts as new."""
    if len(rows) * len(new) > _MAX_PAIRS:
        return {}
    known = [(row, set(words(text))) for row in rows if (text := old_words(row)) is not None]
    pairs = []
    for at in new:
        own = set(words(items[at].draft.content))
        for row, row_words in known:
            similarity = overlap(own, row_words)
            if similarity >= _MIN_SIMILARITY:
                pairs.append((-similarity, abs(row.line - items[at].line), at, row))
    found: dict[int, Row] = {}
    used: set[Row] = set()
    for _, _, at, row in sorted(pairs, key=lambda pair: pair[:3]):
        if at not in found and row not in used:
            found[at] = row
            used.add(row)
    return found


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan for one file: what to store, which lines are left and why, and which rows are gone.

    `pointed_to` are sections that an audit replaced with a pointer, because the index shows
    their lines.
    """

    source: Source
    items: tuple[Item, ...]
    left: Mapping[int, str]
    gone: tuple[Row, ...]
    total_lines: int
    pointed_to: tuple[tuple[str, ...], ...] = ()

    @property
    def redacted(self) -> int:
        return sum(bool(item.draft.redacted) for item in self.items)


def plan_file(
    source: Source, extractor: Extractor, snapshot: Snapshot, now: str, max_trust: Trust
) -> Plan:
    """Extract a file's statements and compare them with those of an earlier run."""
    document = Document(source.path, source.text, now[:10], source.curated)
    extraction = extractor.extract(document)
    left = dict(extraction.skipped)
    drafts: list[tuple[Statement, Draft]] = []
    for statement in extraction.statements:
        if statement.noise is not None:
            left.update(dict.fromkeys(statement.lines, statement.noise))
            continue
        try:
            drafts.append((statement, _draft(statement, source, now, max_trust)))
        except InvalidInput as error:
            left.update(dict.fromkeys(statement.lines, f"cannot be stored: {error.args[0]}"))
    items = [Item(s, d, wording_of(d.content), _folded(d)) for s, d in drafts]
    rows = read_rows(snapshot, source.path)
    matched, gone = match(items, rows, lambda row: _old_wording(snapshot, row))
    total, pointed_to = len(lines_of(source.text)), tuple(replaced_sections(source.text))
    return Plan(source, tuple(matched), left, tuple(gone), total, pointed_to)


def _draft(statement: Statement, source: Source, now: str, max_trust: Trust) -> Draft:
    """The draft of a statement; its date is its own or that of the file, never in the future."""
    created = f"{statement.day}T00:00:00Z" if statement.day else source.saved
    memory = Memory(
        category=statement.category,
        content=statement.content,
        context=statement.context,
        priority=statement.priority,
        tags=statement.tags,
        created_at=min(created, now),
        origin=Origin(source.path, statement.lines[0]),
        source="migration",
        trust=lower_trust(max_trust, "owner" if source.owned else "agent"),
    )
    return make_draft(memory, max_trust, now)


def _folded(draft: Draft) -> int:
    """A hash that two statements share if they say the same; a short one needs its headings."""
    needed = headings_in(draft.context) if needs_heading(draft.content) else ()
    return folded_hash("\n".join([*needed, draft.content]))


def _old_wording(snapshot: Snapshot, row: Row) -> str | None:
    """The words of the line when it was migrated, even if the entry was reworded since."""
    for version in reversed(snapshot.history(row.id)):
        if wording_of(version.entry.content) == row.wording:
            return version.entry.content
    found = snapshot.find([row.id])
    return found[0].content if found else None
