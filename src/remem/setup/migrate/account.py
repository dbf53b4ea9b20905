"""The account of a migration, line by line, and its Markdown report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from remem.model.entry import Category
from remem.text.markdown import one_line

Outcome = Literal["taken", "merged", "left"]
Change = Literal["new", "changed", "unchanged"]

BLANK: Final = "blank"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file.

    taken: the line is in entry `id`. merged: entry `id` already said the same. left: the line is in
    no entry, and `why` is the reason; otherwise `why` is the rule that chose the category.
    """

    number: int
    outcome: Outcome
    why: str
    id: str | None = None
    category: Category | None = None


@dataclass(frozen=True, slots=True)
class FileAccount:
    """One file: all its lines in order, and the counts of its statements."""

    path: str
    lines: tuple[Line, ...]
    tokens: int
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    redacted: int = 0

    def count(self, outcome: Outcome) -> int:
        return sum(line.outcome == outcome for line in self.lines)

    def reasons(self) -> Mapping[str, int]:
        """Why lines were not taken, with the most frequent reason first."""
        left = Counter(line.why for line in self.lines if line.outcome == "left")
        return dict(left.most_common())


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
    """Two contradictory statements; `decided` means that the later one replaced the earlier one."""

    earlier: PlacedStatement
    later: PlacedStatement
    rule: str
    decided: bool
    why: str


@dataclass(frozen=True, slots=True)
class RemovedLine:
    """A migrated line that is no longer in its file; its entry is kept."""

    path: str
    line: int
    id: str
    content: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the memory costs in tokens; `index` replaces `curated` in every conversation."""

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
    trouble: tuple[str, ...]
    tokens: Tokens

    @property
    def changes(self) -> int:
        return sum(file.new + file.changed for file in self.files)


def count_lines(files: Iterable[FileAccount], outcome: Outcome) -> int:
    return sum(file.count(outcome) for file in files)


_MAX_LISTED: Final = 25
_MAX_LENGTH: Final = 110


def report(done: Migration, *, full: bool) -> str:
    """The report as Markdown; `full` lists every file, not only the largest."""
    return "\n".join([*_headline(done), *_table(done, full=full), *_rest(done, full=full)]) + "\n"


def _headline(done: Migration) -> Iterator[str]:
    title = "Migration (dry run: nothing was written)" if done.dry_run else "Migration"
    lines = sum(len(file.lines) for file in done.files)
    new, changed = (sum(getattr(file, name) for file in done.files) for name in ("new", "changed"))
    same = sum(file.unchanged for file in done.files)
    tokens = done.tokens
    yield f"# {title}"
    yield ""
    yield (
        f"{lines:,} lines in {len(done.files):,} files: "
        f"{count_lines(done.files, 'taken'):,} taken, "
        f"{count_lines(done.files, 'merged'):,} merged, "
        f"{count_lines(done.files, 'left'):,} left. "
        f"Statements: {new:,} new, {changed:,} changed, {same:,} unchanged."
    )
    yield ""
    yield (
        f"Tokens: MEMORY.md and USER.md cost {tokens.curated:,} in every conversation; "
        f"the index costs {tokens.index:,}. Notes: {tokens.notes:,}. Entries: {tokens.entries:,}."
    )
    if done.redacted:
        yield ""
        yield f"Secrets were masked in {done.redacted:,} statements; the files still hold them."


def _table(done: Migration, *, full: bool) -> Iterator[str]:
    files = list(done.files)
    if not full:
        files.sort(key=lambda file: (file.path.startswith("memory/"), -file.count("taken")))
    shown, rest = (files, []) if full else (files[:_MAX_LISTED], files[_MAX_LISTED:])
    yield ""
    yield "| file | lines | taken | merged | left | why left |"
    yield "|---|--:|--:|--:|--:|---|"
    for file in shown:
        yield _row(file.path, [file])
    if rest:
        yield _row(f"{len(rest):,} more files", rest)
    yield _row("**all**", done.files)


def _row(name: str, files: Sequence[FileAccount]) -> str:
    reasons: Counter[str] = Counter()
    for file in files:
        reasons.update(file.reasons())
    why = ", ".join(f"{reason} {number:,}" for reason, number in reasons.most_common())
    cells = [
        name.replace("|", "\\|"),
        f"{sum(len(file.lines) for file in files):,}",
        f"{count_lines(files, 'taken'):,}",
        f"{count_lines(files, 'merged'):,}",
        f"{count_lines(files, 'left'):,}",
        why.replace("|", "\\|"),
    ]
    return f"| {' | '.join(cells)} |"


def _rest(done: Migration, *, full: bool) -> Iterator[str]:
    decided = [reversal for reversal in done.reversals if reversal.decided]
    open_ = [reversal for reversal in done.reversals if not reversal.decided]
    yield from _pairs(
        "Contradicted later (the earlier entry is superseded)",
        [(reversal.earlier, reversal.later, reversal.why) for reversal in decided],
    )
    yield from _pairs(
        "Contradictions: decide which is right",
        [
            (reversal.earlier, reversal.later, f"{reversal.rule}; {reversal.why}")
            for reversal in open_
        ],
    )
    removed = [
        f"- {line.path} line {line.line}, {line.id}: {one_line(line.content, _MAX_LENGTH)}"
        for line in done.removed
    ]
    yield from _section("Gone from their files (the entries are kept)", removed, full=full)
    yield from _section("Problems", [f"- {problem}" for problem in done.trouble], full=full)


def _pairs(
    title: str, pairs: Sequence[tuple[PlacedStatement, PlacedStatement, str]]
) -> Iterator[str]:
    lines = []
    for earlier, later, why in pairs:
        lines += [f"- {why}", f"  - {_place(earlier)}", f"  - {_place(later)}"]
    yield from _section(title, lines, full=True)


def _section(title: str, lines: Sequence[str], *, full: bool) -> Iterator[str]:
    if not lines:
        return
    yield from ("", f"## {title}", "")
    yield from lines if full else lines[:_MAX_LISTED]
    if not full and len(lines) > _MAX_LISTED:
        yield f"- and {len(lines) - _MAX_LISTED:,} more; --report FILE has them all"


def _place(statement: PlacedStatement) -> str:
    when = f" ({statement.day})" if statement.day else ""
    return (
        f"{statement.path} line {statement.line}{when}: {one_line(statement.content, _MAX_LENGTH)}"
    )
