"""The lines of the index as they are shown: where, in which words, and with which mark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, Literal

from remem.entries.index_headings import IndexSection
from remem.entries.index_lines import EntryLine, lines_of
from remem.entries.index_wording import LONG_LINE, SHORT_LINE, breaks_off, shortened
from remem.entries.verdicts import wording_hash_of
from remem.extract.headings import announced_kind
from remem.fast_dataclass import dataclass
from remem.model.entry import Category, Entry
from remem.model.verdict import IndexChoices
from remem.text.labels import label

Part = Literal["critical", "active_projects", "context"]

PARTS: Final[dict[Part, str]] = {
    "critical": "Critical",
    "active_projects": "Active Projects",
    "context": "Context",
}
_LETTERS: Final[dict[Category, str]] = {
    "preference": "P",
    "instruction": "I",
    "fact": "F",
    "project": "J",
    "person": "H",
    "decision": "D",
    "insight": "L",
}
_LETTERED: Final = ("preference", "instruction")
NOWHERE: Final = IndexSection("")
_IN_SHORT: Final = 100


@dataclass(frozen=True, slots=True)
class IndexLine:
    """A line of the index: its entry, and its text as written.

    `words` is a hash of its text without category and heading. `alone` says that it is the only
    line of its entry. `reasons` say why it is shown.
    """

    entry: str
    text: str
    words: int
    alone: bool = False
    section: str = ""
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line on the page: its position among the others, and its entry.

    `kind` is the category that the line is shown with. `is_context` says that it is in a section
    that has neither rules nor people.
    """

    place: tuple[int, ...]
    line: EntryLine
    entry: Entry
    reasons: tuple[str, ...]
    kind: Category
    is_context: bool = False

    @property
    def part(self) -> Part:
        """The part of the page that the line is in."""
        if self.entry.priority == "critical":
            return "critical"
        if self.kind == "project":
            return "active_projects"
        return "context" if self.is_context else "critical"

    @property
    def in_short(self) -> ShownLine:
        """Return the same with a shorter line, unless that would break off."""
        text = shortened(self.line.text, _IN_SHORT)
        if breaks_off(text):
            return self
        return replace(
            self, line=replace(self.line, text=text, source=self.line.source or self.line.text)
        )

    def at_length(self, choices: IndexChoices) -> ShownLine:
        """Return the same with as many of its words as the longest lines have."""
        lines = chosen_lines(self.entry, choices, LONG_LINE)
        long = next((line for line in lines if line.key == self.line.key), self.line)
        return replace(self, line=replace(self.line, text=long.text, source=long.source))

    def text(self, section: IndexSection = NOWHERE) -> str:
        """Return the line as it is shown in a section, without the label of its list.

        It has the letter of its category unless a heading above it names the category.
        """
        body = self.line.text
        if self.line.lead and self.line.lead != section.label:
            body = f"{self.line.lead}: {body}"
        body = body.removeprefix(f"{section.label}: ") if section.label else body
        # Text that starts with a bracket also gets a letter, so that its bracket is not mistaken
        # for a category mark.
        is_announced = any(announced_kind(title) == self.kind for title in section.titles)
        is_marked = (self.kind in _LETTERED and not is_announced) or body.startswith("[")
        is_marked = is_marked and self.part != "active_projects"
        mark = f"[{_LETTERS[self.entry.category]}] " if is_marked else ""
        return f"- {mark}{body}"


def mark_of(category: Category) -> str:
    """Return the mark of a rule or a wish that no heading announces."""
    return f"[{_LETTERS[category]}] " if category in _LETTERED else ""


def chosen_lines(
    entry: Entry, choices: IndexChoices, length: int = SHORT_LINE
) -> Sequence[EntryLine]:
    """Return the lines of an entry as the owner wants them: some hidden, some reworded.

    A pinned entry always has a line.
    """
    wording_hash = wording_hash_of(entry)
    if choices.hides(entry.id, wording_hash):
        return ()
    if text := choices.rewording(entry.id, wording_hash, None):
        return (EntryLine(text),)
    lines = []
    for line in lines_of(entry, length):
        if not choices.hides_line(entry.id, line.key):
            text = choices.rewording(entry.id, wording_hash, line.key)
            lines.append(replace(line, text=text, lead="") if text else line)
    if not lines and entry.id in choices.pins:
        return (EntryLine(shortened(entry.content)),)
    return lines


def legend(lines: Iterable[str], language: str) -> str:
    """Return the letters that are in use, explained."""
    starts = {line[2:6] for line in lines}
    used = [
        f"[{letter}]={label(name, language, 'texts') if name in _LETTERED else name}"
        for name, letter in _LETTERS.items()
        if f"[{letter}] " in starts
    ]
    full = label("full_entries", language, "texts")
    return f"{' '.join(used)}{' — ' if used else ''}{full}"
