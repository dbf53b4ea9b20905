"""What has to be stored of a file? Its statements as drafts, matched with what is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from remem.audit.migrated import pointed_to
from remem.core.entry import Draft, Origin, Trust, lower_trust
from remem.core.likeness import wording
from remem.core.outline import lines_of
from remem.core.statement import Document, Statement
from remem.errors import InvalidInput
from remem.maintenance.migrate.ledger import Row, read_rows, wording_of
from remem.maintenance.migrate.matching import match
from remem.maintenance.migrate.sources import Source
from remem.ports import Extractor, Snapshot
from remem.remember.draft import Memory, draft


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
        return sum(bool(each.draft.redacted) for each in self.items)


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
    items = [Item(s, d, wording_of(d.content), wording(d.content)) for s, d in drafts]
    rows = read_rows(snapshot, source.path)
    found = match(
        rows,
        [(each.line, each.wording, each.draft.content) for each in items],
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
