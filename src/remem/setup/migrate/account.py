"""The account of a migration, line by line, and its Markdown report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Final, Literal

from remem.errors import counted
from remem.extract.line_marks import SKIPPED_COLUMN_NAMES, SKIPPED_TABLE_RULE
from remem.extract.units import (
    SKIPPED_COMMENT,
    SKIPPED_FRONT_MATTER,
    SKIPPED_HEADING,
    SKIPPED_HORIZONTAL_RULE,
)
from remem.model.entry import Category
from remem.text.markdown import one_line

Outcome = Literal["taken", "merged", "left"]
Change = Literal["new", "changed", "unchanged"]

BLANK: Final = "blank"
_MARKUP: Final = frozenset(
    {
        BLANK,
        SKIPPED_HEADING,
        SKIPPED_HORIZONTAL_RULE,
        SKIPPED_COMMENT,
        SKIPPED_FRONT_MATTER,
        SKIPPED_TABLE_RULE,
        SKIPPED_COLUMN_NAMES,
    }
)
_UNDER_HEADING: Final = "is under a heading for temporary content"
_MAX_FILES: Final = 15
_MAX_LISTED: Final = 10
_WIDTH: Final = 79
_COLUMNS: Final = ("lines", "taken", "merged", "left")


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """One line of a file, and its outcome.

    - taken: entry `id` was made from the line, and `why` is the rule that chose its category.
    - merged: entry `id` already said the same thing.
    - left: the line is not in any entry, and `why` is the reason.
    """

    number: int
    outcome: Outcome
    why: str
    id: str | None = None
    category: Category | None = None


@dataclass(frozen=True, slots=True)
class FileAccount:
    """The account of one file: all its lines in order, and the counts of its statements.

    `categories` counts the new and changed statements of each category.
    """

    path: str
    lines: tuple[LineOutcome, ...]
    tokens: int
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    redacted: int = 0
    categories: Mapping[Category, int] = field(default_factory=dict)

    @property
    def content_lines(self) -> list[LineOutcome]:
        """The lines that could have content: not blank lines, headings or other markup."""
        return [line for line in self.lines if line.outcome != "left" or line.why not in _MARKUP]

    def count(self, outcome: Outcome) -> int:
        return sum(line.outcome == outcome for line in self.content_lines)


@dataclass(frozen=True, slots=True)
class PlacedStatement:
    """A statement and its place."""

    path: str
    line: int
    content: str
    id: str | None
    day: str | None


@dataclass(frozen=True, slots=True)
class Reversal:
    """Two contradictory statements; if it is `decided`, the later one replaced the earlier one."""

    earlier: PlacedStatement
    later: PlacedStatement
    rule: str
    decided: bool
    why: str


@dataclass(frozen=True, slots=True)
class RemovedLine:
    """A migrated line that is no longer in its file.

    Its entry is archived, unless something else supports it.
    """

    path: str
    line: int
    id: str
    content: str
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Tokens:
    """The cost of the memory in tokens; `curated` is that of MEMORY.md and USER.md."""

    curated: int
    notes: int
    entries: int
    index: int


@dataclass(frozen=True, slots=True)
class Migration:
    """The whole account; in a dry run, only existing entries have ids."""

    dry_run: bool
    files: tuple[FileAccount, ...]
    reversals: tuple[Reversal, ...]
    removed: tuple[RemovedLine, ...]
    redacted: int
    problems: tuple[str, ...]
    tokens: Tokens

    @property
    def changes(self) -> int:
        return sum(file.new + file.changed for file in self.files)

    @property
    def categories(self) -> Mapping[Category, int]:
        """The number of new and changed statements of each category, the largest first."""
        total: Counter[Category] = Counter()
        for file in self.files:
            total.update(file.categories)
        return dict(total.most_common())


def count_lines(files: Iterable[FileAccount], outcome: Outcome) -> int:
    """Return the number of lines with content that have this outcome."""
    return sum(file.count(outcome) for file in files)


def migration_text(migration: Migration, *, full: bool) -> str:
    """Return the account as Markdown; it fits a terminal unless `full` lists everything."""
    lines = [
        *_headline(migration),
        *(
            _table(migration, full=full)
            if migration.files
            else ["", "There is no file to migrate."]
        ),
        *_reasons(migration.files, full=full),
        *_contradictions_and_removals(migration, full),
        *_section("Problems", migration.problems, full=full),
    ]
    return "\n".join(lines) + "\n"


def _headline(migration: Migration) -> Iterator[str]:
    files, tokens = migration.files, migration.tokens
    new, changed = sum(file.new for file in files), sum(file.changed for file in files)
    unchanged = sum(file.unchanged for file in files)
    yield "# Migration (dry run: nothing was written)" if migration.dry_run else "# Migration"
    yield ""
    yield f"Statements: {new:,} new, {changed:,} changed, {unchanged:,} unchanged."
    yield f"Tokens: {tokens.entries:,} in all entries, {tokens.notes:,} in the notes."
    if tokens.curated:
        yield (
            f"The index, with which conversations start, has {tokens.index:,} tokens; MEMORY.md "
            f"and USER.md have {tokens.curated:,}."
        )
    if migration.redacted:
        statements = counted(migration.redacted, "statement")
        yield f"Secrets were masked in {statements}; the files still contain them."


def _table(migration: Migration, *, full: bool) -> Iterator[str]:
    files = list(migration.files)
    if not full:
        files.sort(key=lambda file: (file.path.startswith("memory/"), -file.count("taken")))
    limit = len(files) if full else _MAX_FILES
    rows = [_row(file.path, [file]) for file in files[:limit]]
    if rest := files[limit:]:
        rows.append(_row(f"{len(rest):,} more files", rest))
    rows.append(_row("all", files))
    longest = max(len(row[0]) for row in rows)
    width = longest if full else min(longest, _WIDTH - 10 * len(_COLUMNS) - 4)
    yield ""
    yield _cells("file", _COLUMNS, width)
    yield f"|{'-' * (width + 2)}|" + "--------:|" * len(_COLUMNS)
    yield from (_cells(name, numbers, width) for name, *numbers in rows)


def _row(name: str, files: Sequence[FileAccount]) -> list[str]:
    counts = [count_lines(files, outcome) for outcome in ("taken", "merged", "left")]
    return [name.replace("|", "\\|"), *(f"{count:,}" for count in (sum(counts), *counts))]


def _cells(name: str, numbers: Sequence[str], width: int) -> str:
    if len(name) > width:  # the end of a path is more informative than its beginning
        name = f"…{name[1 - width :]}"
    return f"| {name:<{width}} |" + "".join(f" {number:>7} |" for number in numbers)


def _reasons(files: Iterable[FileAccount], *, full: bool) -> Iterator[str]:
    """Yield why lines were left, the most frequent reason first.

    All headings for temporary content count as one reason.
    """
    lines = (line for file in files for line in file.content_lines)
    reasons = Counter(
        _UNDER_HEADING if line.why.startswith("is under “") else line.why
        for line in lines
        if line.outcome == "left"
    )
    counts = [f"{why}: {count:,}" for why, count in reasons.most_common()]
    yield from _section("Why lines were left", counts, full=full)


def _contradictions_and_removals(migration: Migration, full: bool) -> Iterator[str]:
    for decided, title in (
        (True, "Contradicted later: the earlier entry is superseded"),
        (False, "Contradictions: decide which is right"),
    ):
        pairs = [pair for pair in migration.reversals if pair.decided is decided]
        yield from _section(title, [_pair(pair) for pair in pairs], full=full)
    for archived, title in (
        (True, "Removed from their files: the entries were archived"),
        (False, "Removed from their files: the entries were kept, because something supports them"),
    ):
        lines = [line for line in migration.removed if line.archived is archived]
        texts = [f"{line.id} {line.path} line {line.line}: {line.content}" for line in lines]
        yield from _section(title, texts, full=full)


def _pair(pair: Reversal) -> str:
    first, second = (
        f"{side.path} line {side.line}: {one_line(side.content, 160)}"
        for side in (pair.earlier, pair.later)
    )
    return f"{first} / {second} ({pair.why})"


def _section(title: str, items: Sequence[str], *, full: bool) -> Iterator[str]:
    if not items:
        return
    yield from ("", f"## {title}", "")
    for item in items if full else items[:_MAX_LISTED]:
        yield from wrap(one_line(f"- {item}", 400), _WIDTH, subsequent_indent="  ")
    if not full and len(items) > _MAX_LISTED:
        yield f"- and {len(items) - _MAX_LISTED:,} more; --report FILE has them all"
