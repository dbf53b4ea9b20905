"""The index while it is filled: which lines fit, in which section they stand, what is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from remem.entries.index_lines import Known, Line, lines_of
from remem.model.entry import Category, Entry

if TYPE_CHECKING:
    from remem.ports.models import TokenCounter

DONE: Final = "done"
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
_CRITICAL_TITLE: Final = "## Critical (always relevant)"
_PROJECTS_TITLE: Final = '## Active Projects → `memory_recall(categories:["project"])`'
_MORE_CRITICAL: Final = 'more: memory_recall(query:"…", priority_min:"critical")'
_MORE_STATED: Final = 'more of USER.md and MEMORY.md: memory_recall(query:"…")'
_MORE_PROJECTS: Final = 'more: memory_recall(query:"…", categories:["project"])'
_EMPTY: Final = "Nothing is stored yet. `memory_store` keeps what should be remembered.\n"


@dataclass(frozen=True, slots=True)
class _Shown:
    """A line in the index: its place among the others, and the entry that it is from."""

    place: tuple[int, int, int]
    line: Line
    entry: Entry

    @property
    def project(self) -> bool:
        return self.entry.category == "project" and self.entry.priority != "critical"

    def text(self, above: str) -> str:
        """The line with the mark of its category, and with its heading unless the line above
        has the same."""
        body = self.line.text
        if self.line.lead and self.line.lead != above:
            body = f"{self.line.lead}: {body}"
        # A text that begins with a bracket is always marked: it must not look like a mark.
        marked = self.entry.category in _LETTERED or body.startswith("[")
        mark = f"[{_LETTERS[self.entry.category]}] " if marked and not self.project else ""
        return f"- {mark}{body}"


@dataclass
class Page:
    """The sections of an index; `used` is what the lines cost so far.

    `critical` and `projects` are how many such entries there are, `stated` the rows that the
    owner's files state and that are not shown yet. What is left of them is counted in the text.
    """

    counter: TokenCounter
    channels: str
    domains: str
    critical: int
    projects: int
    stated: set[int]
    used: int = 0
    _shown: list[_Shown] = field(default_factory=list)
    _seen: dict[str, Entry] = field(default_factory=dict)
    _known: Known = field(default_factory=Known)
    _leads: set[tuple[bool, str]] = field(default_factory=set)
    _counted: int = 0

    def add_all(self, rank: int, entries: Iterable[Entry], most: int) -> None:
        """Add the lines of entries until the lines of the page cost so many tokens."""
        for number, entry in enumerate(entries):
            self.add((rank, number), entry, most)

    def add(self, place: tuple[int, int], entry: Entry, most: int) -> bool:
        """Add what is new in an entry; False if nothing of it fits."""
        if entry.id in self._seen:
            return True
        fits = False
        lines = [line for line in lines_of(entry) if not self._known.repeats(line.text)]
        for number, line in enumerate(lines):
            shown = _Shown((*place, number), line, entry)
            above = line.lead if (shown.project, line.lead) in self._leads else ""
            cost = self.counter.count(f"\n{shown.text(above)}")
            if self.used + cost > most:
                self._recount()
            if self.used + cost > most:
                continue
            fits = True
            self.used += cost
            self._shown.append(shown)
            self._known.add(line.text)
            self._leads.add((shown.project, line.lead))
        if fits or not lines:
            self._seen[entry.id] = entry
        return fits or not lines

    def _recount(self) -> None:
        """Lines cost less together than one by one."""
        if self._counted < len(self._shown):
            self._counted = len(self._shown)
            lines = [*self._lines(projects=False), *self._lines(projects=True)]
            self.used = self.counter.count("\n".join(["", *lines]))

    def within(self, target: int) -> tuple[str, int]:
        """The text and its tokens; whatever was added last is left out if it is too long."""
        while (tokens := self.counter.count(text := self.text())) > target:
            if self._shown:
                last = self._shown.pop().entry.id
                if all(shown.entry.id != last for shown in self._shown):
                    self._seen.pop(last, None)
            elif self.domains:
                self.domains = ""
            elif self.channels:
                self.channels = ""
            else:
                break
        return text, tokens

    @property
    def entries(self) -> frozenset[str]:
        """The ids of the entries that are shown."""
        return frozenset(shown.entry.id for shown in self._shown)

    def text(self) -> str:
        lines = list(self._lines(projects=False))
        sections = [
            _section(_CRITICAL_TITLE, [*lines, *self._more()]),
            self.channels,
            _section(_PROJECTS_TITLE, [*self._lines(projects=True), *self._more_projects()]),
            self.domains,
        ]
        body = "\n".join(section for section in sections if section)
        return f"# Memory Index\n\n{body or _EMPTY}\n{_legend(lines)}\n"

    def _lines(self, *, projects: bool) -> Iterator[str]:
        above = ""
        for shown in sorted(self._shown, key=lambda each: each.place):
            if shown.project == projects:
                yield shown.text(above)
                above = shown.line.lead

    def _more(self) -> Iterator[str]:
        seen = sum(value.priority == "critical" for value in self._seen.values())
        if self.critical > seen:
            yield f"- + {self.critical - seen} {_MORE_CRITICAL}"
        if self.stated:
            yield f"- + {len(self.stated)} {_MORE_STATED}"

    def _more_projects(self) -> Iterator[str]:
        """The total has only entries without the tag."""
        known = [value for value in self._seen.values() if value.category == "project"]
        left = self.projects - sum(DONE not in entry.tags for entry in known)
        if left > 0:
            yield f"- + {left} {_MORE_PROJECTS}"


def _section(title: str, lines: list[str]) -> str:
    return f"{title}\n\n" + "\n".join(lines) + "\n" if lines else ""


def _legend(lines: Iterable[str]) -> str:
    """The marks that are in use."""
    starts = {line[2:6] for line in lines}
    used = [f"[{mark}]={name}" for name, mark in _LETTERS.items() if f"[{mark}] " in starts]
    return f"{' '.join(used)}{' — ' if used else ''}Full entries via memory_recall"
