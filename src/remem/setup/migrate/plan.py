"""What has to be stored of a file? Its statements as drafts, matched with what is known.

Which files are migrated? MEMORY.md, USER.md and the notes; read, never touched.

Which line gave which entry? Kept beside the entries, in the transaction that stores them.

It tells an unchanged line from a changed and a new one, after any kill, and without asking
whether a person has since edited the entry.

Is this line known, changed, or new? By its very words first, then by likeness and place.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Final

from remem.admin.audit.coverage import pointed_to
from remem.entries.draft import Memory, draft
from remem.errors import InvalidInput, RememError
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.memory_files import memory_files
from remem.files.walking import CURATED, MemoryFile
from remem.model.entry import Draft, Origin, Trust, lower_trust
from remem.model.page import DERIVED, without_ours
from remem.model.scope import MAIN
from remem.model.statement import Document, Statement
from remem.ports.entries import Reading, Snapshot, Transaction
from remem.ports.models import Extractor
from remem.text.markdown import lines_of
from remem.text.similarity import folded_number, overlap
from remem.text.timestamps import stamp
from remem.text.words import words

_NOTES: Final = "memory/"
_GATE: Final = "memory/main/index.md"


@dataclass(frozen=True, slots=True)
class Source:
    """A memory file that was read; `saved` is when it was last written.

    `curated` files count line by line. `owned` are the two that the owner himself vouches
    for; what stands elsewhere is the agent's word.
    """

    path: str
    text: str
    saved: str
    curated: bool
    owned: bool


def listed(layout: Layout, trouble: list[str]) -> list[MemoryFile]:
    """The files in their order: what is curated comes first, so that notes repeat it rather
    than the other way round. Facts have a record of their own."""
    chosen = []
    for each in memory_files(layout, MAIN):
        if not _belongs(each):
            continue
        if each.refused:
            trouble.append(f"{each.path} was left out: {each.refused}")
        else:
            chosen.append(each)
    return sorted(chosen, key=lambda each: (each.path not in CURATED, each.kind != "curated"))


def sources(chosen: Sequence[MemoryFile], trouble: list[str]) -> Iterator[Source]:
    """One file after another; one that cannot be read is named and holds up nobody."""
    for memory_file in chosen:
        try:
            data = atomic.read(memory_file.absolute)
        except RememError as error:
            trouble.append(str(error))
            continue
        if data is None or memory_file.status is None:
            trouble.append(f"{memory_file.path} vanished before it was read")
            continue
        text = data.decode(errors="replace").replace("\0", "\ufffd")
        if "\ufffd" in text:
            trouble.append(f"{memory_file.path} has bytes that are no text; they stand as \ufffd")
        if memory_file.path in DERIVED:
            text = without_ours(text)
        saved = stamp(datetime.fromtimestamp(int(memory_file.status.st_mtime), UTC))
        yield Source(
            memory_file.path,
            text,
            saved,
            memory_file.kind == "curated",
            memory_file.path in CURATED,
        )


def _belongs(file: MemoryFile) -> bool:
    if file.kind not in ("curated", "note", "folder"):
        return False
    return file.path in CURATED or (file.path.startswith(_NOTES) and file.path != _GATE)


_FILE: Final = "migrated:"
_FILES: Final = "migrated"


@dataclass(frozen=True, slots=True)
class Row:
    """A statement as it was migrated: its first line, its wording, its entry."""

    line: int
    wording: str
    id: str


def wording_of(content: str) -> str:
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def read_rows(reading: Reading, path: str) -> list[Row]:
    note = reading.note(_FILE + path)
    return [Row(*load) for load in json.loads(note)] if note else []


def write_rows(tx: Transaction, path: str, rows: Sequence[Row]) -> None:
    if rows or tx.note(_FILE + path):
        told = [[row.line, row.wording, row.id] for row in rows]
        tx.keep_note(_FILE + path, json.dumps(told, separators=(",", ":")))


def migrated_files(reading: Reading) -> list[str]:
    """Files of earlier runs, as far as those came to their end."""
    note = reading.note(_FILES)
    return list(json.loads(note)) if note else []


def keep_files(tx: Transaction, paths: Iterable[str]) -> None:
    tx.keep_note(_FILES, json.dumps(sorted(paths), ensure_ascii=False))


def forget_files(tx: Transaction, paths: Iterable[str]) -> None:
    """Files that are no longer there; what they gave stays."""
    for path in paths:
        write_rows(tx, path, [])


_ALIKE: Final = 0.4
_MOST_PAIRS: Final = 250_000


@dataclass(frozen=True, slots=True)
class Matched:
    """For each new wording the row it continues, and whether it is the same; rows whose
    lines are gone."""

    same: dict[int, Row]
    changed: dict[int, Row]
    gone: tuple[Row, ...]


def match(
    rows: Sequence[Row],
    said: Sequence[tuple[int, str, str]],
    old_words: Callable[[Row], str | None],
) -> Matched:
    """`said` has the line, the wording's hash and the words of each statement."""
    waiting: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        waiting[row.wording].append(row)
    same: dict[int, Row] = {}
    for at, (line, wording, _) in enumerate(said):
        if candidates := waiting[wording]:
            nearest = min(candidates, key=lambda row: abs(row.line - line))
            candidates.remove(nearest)
            same[at] = nearest
    left = [row for candidates in waiting.values() for row in candidates]
    changed = _alike(
        left, [(at, each) for at, each in enumerate(said) if at not in same], old_words
    )
    used = {id(row) for row in changed.values()}
    return Matched(same, changed, tuple(row for row in left if id(row) not in used))


def _alike(
    rows: Sequence[Row],
    said: Sequence[tuple[int, tuple[int, str, str]]],
    old_words: Callable[[Row], str | None],
) -> dict[int, Row]:
    """The best pairs first; a file that was rewritten as a whole is new, line by line."""
    if not rows or not said or len(rows) * len(said) > _MOST_PAIRS:
        return {}
    known = [(row, set(words(text))) for row in rows if (text := old_words(row)) is not None]
    pairs = []
    for at, (line, _, text) in said:
        mine = set(words(text))
        for row, theirs in known:
            likeness = overlap(mine, theirs)
            if likeness >= _ALIKE:
                pairs.append((-likeness, abs(row.line - line), at, row))
    pairs.sort(key=lambda pair: pair[:3])
    found: dict[int, Row] = {}
    used: set[int] = set()
    for _, _, at, row in pairs:
        if at not in found and id(row) not in used:
            found[at] = row
            used.add(id(row))
    return found


@dataclass(frozen=True, slots=True)
class Item:
    """A statement that is to be in an entry; `row` says what it was when it was last seen."""

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


@dataclass(frozen=True, slots=True)
class Plan:
    """One file: what to store, what was left, which known lines are gone, and the sections whose
    lines an audit has taken out because the index shows them."""

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
    source: Source, extractor: Extractor, snapshot: Snapshot, now: str, allowed: Trust
) -> Plan:
    """Read a file's statements and compare them with what an earlier run made of it."""
    document = Document(source.path, source.text, now[:10], source.curated)
    extraction = extractor.extract(document)
    left = dict(extraction.left)
    drafts: list[tuple[Statement, Draft]] = []
    for each in extraction.statements:
        if each.noise is not None:
            left.update(dict.fromkeys(each.lines, each.noise))
            continue
        try:
            drafts.append((each, _draft(each, source, now, allowed)))
        except InvalidInput as error:
            left.update(dict.fromkeys(each.lines, f"cannot be stored: {error.args[0]}"))
    items = [Item(s, d, wording_of(d.content), folded_number(d.content)) for s, d in drafts]
    rows = read_rows(snapshot, source.path)
    found = match(
        rows,
        [(item.line, item.wording, item.draft.content) for item in items],
        lambda row: _old_wording(snapshot, row),
    )
    matched = tuple(
        replace(each, row=found.same.get(at) or found.changed.get(at), changed=at in found.changed)
        for at, each in enumerate(items)
    )
    total = len(lines_of(source.text))
    return Plan(source, matched, left, found.gone, total, tuple(pointed_to(source.text)))


def _draft(statement: Statement, source: Source, now: str, allowed: Trust) -> Draft:
    """Never dated in the future; what has no date was said when the file was last saved."""
    said = f"{statement.day}T00:00:00Z" if statement.day else source.saved
    memory = Memory(
        category=statement.category,
        content=statement.content,
        context=statement.context,
        priority=statement.priority,
        tags=statement.tags,
        created_at=min(said, now),
        origin=Origin(source.path, statement.lines[0]),
        source="migration",
        trust=lower_trust(allowed, "owner" if source.owned else "agent"),
    )
    return draft(memory, allowed, now)


def _old_wording(snapshot: Snapshot, row: Row) -> str | None:
    """The words that a line had, wherever the entry's own wording has gone since."""
    for version in reversed(snapshot.history(row.id)):
        if wording_of(version.entry.content) == row.wording:
            return version.entry.content
    found = snapshot.find([row.id])
    return found[0].content if found else None
