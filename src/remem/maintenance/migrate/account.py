"""What became of every line? The account of a migration: taken, merged, or left and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from remem.core.entry import Category

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
        return sum(each.new + each.changed for each in self.files)


def counted(files: Iterable[FileAccount], outcome: Outcome) -> int:
    return sum(each.count(outcome) for each in files)
