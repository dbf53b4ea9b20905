"""Plan the migration of a file: extract its statements, and match them with an earlier run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from remem.admin.audit.coverage import replaced_sections
from remem.entries.draft import Memory, make_draft
from remem.errors import InvalidInput
from remem.model.entry import Draft, Origin, Trust, lower_trust, needs_heading, topic_heading
from remem.model.project import with_project
from remem.model.statement import ExtractedStatement, SourceDocument
from remem.ports.entries import Snapshot
from remem.ports.models import Extractor
from remem.setup.migrate.matching import Content, MigratedRow, hash_of, match_rows, read_rows
from remem.setup.migrate.sources import Source
from remem.text.markdown import lines_of
from remem.text.similarity import folded_hash


@dataclass(frozen=True, slots=True)
class PlannedStatement:
    """A statement to be stored; `row` is its row of an earlier run, if any."""

    statement: ExtractedStatement
    draft: Draft
    row: MigratedRow | None = None
    changed: bool = False

    @property
    def line(self) -> int:
        return self.statement.lines[0]

    @property
    def unchanged(self) -> bool:
        return self.row is not None and not self.changed and self.row.line > 0

    @property
    def meaning_hash(self) -> int:
        """A hash of the folded text, which is equal for statements that say the same thing.

        For a short statement, it includes the heading.
        """
        content = self.draft.content
        heading = topic_heading(self.draft.context) if needs_heading(content) else ""
        return folded_hash(f"{heading}\n{content}" if heading else content)


@dataclass(frozen=True, slots=True)
class FilePlan:
    """The plan for one file.

    `items` are stored, and `skipped` has the reasons why the other lines are not, by line number.
    `missing_rows` belong to lines that were removed since the last run, and `former_rows` to lines
    that were removed earlier. `pointed_to` are sections that an audit replaced with a pointer,
    because the index shows their lines.
    """

    source: Source
    items: tuple[PlannedStatement, ...]
    skipped: Mapping[int, str]
    missing_rows: tuple[MigratedRow, ...]
    former_rows: tuple[MigratedRow, ...]
    total_lines: int
    pointed_to: tuple[tuple[str, ...], ...] = ()

    @property
    def redacted(self) -> int:
        return sum(bool(item.draft.redacted) for item in self.items)


def plan_file(
    source: Source, extractor: Extractor, snapshot: Snapshot, now: str, max_trust: Trust
) -> FilePlan:
    """Extract a file's statements and compare them with the statements of an earlier run."""
    document = SourceDocument(source.path, source.text, now[:10], source.is_curated, source.is_page)
    extraction = extractor.extract(document)
    skipped = dict(extraction.skipped)
    drafts: list[tuple[ExtractedStatement, Draft]] = []
    for statement in extraction.statements:
        if statement.noise is not None:
            skipped.update(dict.fromkeys(statement.lines, statement.noise))
            continue
        try:
            drafts.append((statement, _draft(statement, source, now, max_trust)))
        except InvalidInput as error:
            skipped.update(dict.fromkeys(statement.lines, f"cannot be stored: {error.args[0]}"))
    rows = read_rows(snapshot, source.path)
    contents = [Content(draft.content, statement.lines[0]) for statement, draft in drafts]
    same_rows, changed_rows, missing_rows = match_rows(
        contents, rows, lambda rows: _old_texts(snapshot, rows)
    )
    items = [
        PlannedStatement(
            statement, draft, same_rows.get(index) or changed_rows.get(index), index in changed_rows
        )
        for index, (statement, draft) in enumerate(drafts)
    ]
    rows_of_lines = set(same_rows.values())
    return FilePlan(
        source,
        tuple(items),
        skipped,
        tuple(missing_rows),
        tuple(row for row in rows if not row.line and row not in rows_of_lines),
        len(lines_of(source.text)),
        tuple(replaced_sections(source.text)),
    )


def _draft(statement: ExtractedStatement, source: Source, now: str, max_trust: Trust) -> Draft:
    """Return the draft of a statement.

    Its date is that of the statement, or else that of the file, and never in the future.
    """
    created_at = f"{statement.day}T00:00:00Z" if statement.day else source.saved_at
    memory = Memory(
        category=statement.category,
        content=statement.content,
        context=statement.context,
        priority=statement.priority,
        tags=with_project(statement.tags, source.project),
        created_at=min(created_at, now),
        origin=Origin(source.path, statement.lines[0]),
        source="migration",
        trust=lower_trust(max_trust, "owner" if source.is_owners else "agent"),
    )
    return make_draft(memory, max_trust, now)


def _old_texts(snapshot: Snapshot, rows: Sequence[MigratedRow]) -> dict[MigratedRow, str]:
    """Return the texts of lines as they were migrated, even if the entries have changed since."""
    entries = snapshot.find(row.id for row in rows)
    texts: dict[MigratedRow, str] = {}
    for row in rows:
        if row.id not in entries:
            continue
        texts[row] = entries[row.id].content
        if hash_of(texts[row]) != row.text_hash:
            for version in snapshot.history(row.id):
                if hash_of(version.entry.content) == row.text_hash:
                    texts[row] = version.entry.content
    return texts
