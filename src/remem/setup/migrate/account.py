"""How does a person read the account of a migration? As Markdown with one table and few words.

What became of every line? The account of a migration: taken, merged, or left and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from remem.model.entry import Category

Outcome = Literal["taken", "merged", "left"]
Change = Literal["new", "changed", "unchanged"]

BLANK: Final = "blank"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file.

    taken: it stands in entry `id`. merged: entry `id` held the same already. left: it is in
    no entry, `why` says why not. Of the others `why` is the rule that chose the category.
    """

    number: int
    outcome: Outcome
    why: str
    id: str | None = None
    category: Category | None = None


@dataclass(frozen=True, slots=True)
class FileAccount:
    """One file: all of its lines, in order, and what happened to its statements."""

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
        """Why lines were left, the most frequent reason first."""
        left = Counter(line.why for line in self.lines if line.outcome == "left")
        return dict(left.most_common())


@dataclass(frozen=True, slots=True)
class Said:
    """A statement where it stands."""

    path: str
    line: int
    content: str
    id: str | None
    day: str | None


@dataclass(frozen=True, slots=True)
class Reversal:
    """Two statements that cannot both hold; `decided` if the later one replaced the earlier."""

    earlier: Said
    later: Said
    rule: str
    decided: bool
    why: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A line that was migrated and is gone from its file; its entry is kept."""

    path: str
    line: int
    id: str
    content: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the memory costs; `index` replaces `curated` in every conversation."""

    curated: int
    notes: int
    entries: int
    index: int


@dataclass(frozen=True, slots=True)
class Migration:
    """The whole account. Of a dry run, ids are those of entries that exist already."""

    dry_run: bool
    files: tuple[FileAccount, ...]
    reversals: tuple[Reversal, ...]
    removed: tuple[Removed, ...]
    redacted: int
    trouble: tuple[str, ...]
    tokens: Tokens

    @property
    def changes(self) -> int:
        return sum(file.new + file.changed for file in self.files)


def counted(files: Iterable[FileAccount], outcome: Outcome) -> int:
    return sum(file.count(outcome) for file in files)


_SHOWN: Final = 25
_LONGEST: Final = 110


def report(done: Migration, *, whole: bool) -> str:
    """The report; `whole` lists every file, otherwise the largest ones."""
    return (
        "\n".join([*_headline(done), *_table(done, whole=whole), *_rest(done, whole=whole)]) + "\n"
    )


def _headline(done: Migration) -> Iterator[str]:
    title = "Migration, tried out: nothing was written" if done.dry_run else "Migration"
    lines = sum(len(file.lines) for file in done.files)
    new, changed = (sum(getattr(file, name) for file in done.files) for name in ("new", "changed"))
    same = sum(file.unchanged for file in done.files)
    tokens = done.tokens
    yield f"# {title}"
    yield ""
    yield (
        f"{lines:,} lines in {len(done.files):,} files: {counted(done.files, 'taken'):,} taken, "
        f"{counted(done.files, 'merged'):,} merged, {counted(done.files, 'left'):,} left. "
        f"Statements: {new:,} new, {changed:,} changed, {same:,} as before."
    )
    yield ""
    yield (
        f"Tokens: MEMORY.md and USER.md cost {tokens.curated:,} in every conversation; "
        f"the index costs {tokens.index:,}. Notes: {tokens.notes:,}. Entries: {tokens.entries:,}."
    )
    if done.redacted:
        yield ""
        yield f"Secrets were masked in {done.redacted:,} statements; the files still hold them."


def _table(done: Migration, *, whole: bool) -> Iterator[str]:
    files = list(done.files)
    if not whole:
        files.sort(key=lambda each: (each.path.startswith("memory/"), -each.count("taken")))
    shown, rest = (files, []) if whole else (files[:_SHOWN], files[_SHOWN:])
    yield ""
    yield "| file | lines | taken | merged | left | why left |"
    yield "|---|--:|--:|--:|--:|---|"
    for file_account in shown:
        yield _row(f"{file_account.path}", [file_account])
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
        f"{counted(files, 'taken'):,}",
        f"{counted(files, 'merged'):,}",
        f"{counted(files, 'left'):,}",
        why.replace("|", "\\|"),
    ]
    return f"| {' | '.join(cells)} |"


def _rest(done: Migration, *, whole: bool) -> Iterator[str]:
    decided = [reversal for reversal in done.reversals if reversal.decided]
    open_ = [reversal for reversal in done.reversals if not reversal.decided]
    yield from _listed(
        "Taken back later (the earlier entry is superseded)",
        [(reversal.earlier, reversal.later, reversal.why) for reversal in decided],
    )
    yield from _listed(
        "Cannot both hold: say which one stands",
        [
            (reversal.earlier, reversal.later, f"{reversal.rule}; {reversal.why}")
            for reversal in open_
        ],
    )
    removed = [
        f"- {removed.path} line {removed.line}, {removed.id}: {_short(removed.content)}"
        for removed in done.removed
    ]
    yield from _section("Gone from their files (the entries are kept)", removed, whole=whole)
    yield from _section("Trouble", [f"- {each}" for each in done.trouble], whole=whole)


def _listed(title: str, pairs: Sequence[tuple[Said, Said, str]]) -> Iterator[str]:
    lines = []
    for earlier, later, why in pairs:
        lines += [f"- {why}", f"  - {_place(earlier)}", f"  - {_place(later)}"]
    yield from _section(title, lines, whole=True)


def _section(title: str, lines: Sequence[str], *, whole: bool) -> Iterator[str]:
    if not lines:
        return
    yield from ("", f"## {title}", "")
    yield from lines if whole else lines[:_SHOWN]
    if not whole and len(lines) > _SHOWN:
        yield f"- and {len(lines) - _SHOWN:,} more; --report FILE has them all"


def _place(said: Said) -> str:
    when = f" ({said.day})" if said.day else ""
    return f"{said.path} line {said.line}{when}: {_short(said.content)}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1]}…"
