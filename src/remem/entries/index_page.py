"""The index page while it is being filled: its sections, its budget, and counts of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from remem.entries.index_headings import Section
from remem.entries.index_lines import Line, lines_of
from remem.entries.index_repeats import SeenLines
from remem.entries.index_wording import SHORT_LINE, shortened
from remem.entries.verdicts import wording_hash_of
from remem.fast_dataclass import dataclass
from remem.model.entry import Category, Entry
from remem.model.verdict import IndexChoices
from remem.text.labels import label
from remem.text.language import main_language

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
_SECTIONS_RANK: Final = 10
"""Lines that have a section are shown after those that have none."""

_IN_SHORT: Final = 100
_LETTERED: Final = ("preference", "instruction")
_MORE_CRITICAL: Final = 'more: memory_recall(query:"…", priority_min:"critical")'
_MORE_STATED: Final = 'more from USER.md and MEMORY.md: memory_recall(query:"…")'
_MORE_PROJECTS: Final = 'more: memory_recall(query:"…", categories:["project"])'
_EMPTY: Final = "Nothing is stored yet. `memory_store` keeps what should be remembered.\n"


@dataclass(frozen=True, slots=True)
class IndexLine:
    """A line of the index: its entry, and its text as written.

    `words` is a hash of its text without category and heading. `alone` says that it is the only
    line of its entry. `reasons` say why it is shown.
    """

    entry: str
    text: str
    words: int
    alone: bool
    section: str = ""
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A line on the page: its position among the others, and its entry.

    `kind` is the category that the line is shown with.
    """

    place: tuple[int, ...]
    line: Line
    entry: Entry
    reasons: tuple[str, ...]
    kind: Category

    @property
    def project(self) -> bool:
        return self.kind == "project" and self.entry.priority != "critical"

    @property
    def in_short(self) -> Shown:
        """Return the same with a shorter line."""
        text = shortened(self.line.text, _IN_SHORT)
        return replace(
            self, line=replace(self.line, text=text, source=self.line.source or self.line.text)
        )

    def text(self, label: str = "") -> str:
        """Return the line with the letter of its category, without the label of its list."""
        body = self.line.text
        if self.line.lead and self.line.lead != label:
            body = f"{self.line.lead}: {body}"
        body = body.removeprefix(f"{label}: ") if label else body
        # Text that starts with a bracket also gets a letter, so that its bracket is not mistaken
        # for a category mark.
        marked = self.kind in _LETTERED or body.startswith("[")
        mark = f"[{_LETTERS[self.entry.category]}] " if marked and not self.project else ""
        return f"- {mark}{body}"


@dataclass
class Page:
    """The sections of an index; `used` is the number of tokens of the lines so far.

    `critical` and `projects` are the totals of such entries, `stated` the ids of statements in
    the owner's files that are not shown yet. The text says how many of them are left out.
    `sections` are the sections of such statements, in the order in which they are shown.
    """

    counter: TokenCounter
    channels: str
    domains: str
    critical: int
    projects: int
    stated: set[str]
    choices: IndexChoices
    length: int = SHORT_LINE
    sections: dict[str, Section] = field(default_factory=dict)
    used: int = 0
    _shown: list[Shown] = field(default_factory=list)
    _seen: dict[str, Entry] = field(default_factory=dict)
    _known: SeenLines = field(default_factory=SeenLines)
    _open: set[Section] = field(default_factory=set)
    _places: dict[str, int] = field(default_factory=dict)
    _counted: int = 0

    def add_all(self, rank: int, entries: Iterable[Entry], budget: int, reason: str) -> None:
        """Add what is new in entries as long as the page's lines cost at most `budget` tokens."""
        for number, entry in enumerate(entries):
            if entry.id in self._seen:
                continue
            lines = [line for line in self.lines_of(entry) if self._is_new(entry, line)]
            if not lines:
                self._seen[entry.id] = entry
            for part, line in enumerate(lines):
                place = self.place_of(entry, (rank, number), part)
                self.add_line(Shown(place, line, entry, (reason,), entry.category), budget)

    def add_pinned(self, entry: Entry, budget: int) -> None:
        """Add the lines of an entry that are pinned."""
        reason = self.choices.explain(entry.id) or "is pinned"
        for number, line in enumerate(self.lines_of(entry)):
            if self.choices.pins_line(entry.id, line.key):
                place = self.place_of(entry, (-1, self.choices.pins[entry.id].number), number)
                self.add_line(Shown(place, line, entry, (reason,), entry.category), budget)

    def place_of(self, entry: Entry, rank: tuple[int, int], number: int) -> tuple[int, ...]:
        """Return where a line of an entry is shown: in its section, or by its rank."""
        if entry.id in self.sections and not self._places:
            self._places.update((id_, at) for at, id_ in enumerate(self.sections))
        at = self._places.get(entry.id)
        return (*rank, number) if at is None else (_SECTIONS_RANK, at, number)

    def lines_of(self, entry: Entry) -> Sequence[Line]:
        """Return the lines of an entry as the owner wants them."""
        return chosen_lines(entry, self.choices, self.length)

    def add_line(self, shown: Shown, budget: int) -> bool:
        """Add one line of an entry unless it repeats another; False if it does not fit."""
        entry, line = shown.entry, shown.line
        if not self._is_new(entry, line):
            return True
        if not self._fits([shown], budget):
            return False
        self.used += self._cost(shown)
        self._shown.append(shown)
        self._seen[entry.id] = entry
        self._known.add(line.text)
        if section := self.sections.get(entry.id):
            self._open.add(section)
        return True

    def add_group(self, group: Sequence[Shown], budget: int) -> bool:
        """Add all lines of a group, in fewer words if they do not fit; False if even those do not
        fit."""
        if len(group) == 1:
            return self.add_line(group[0], budget)
        new = [shown for shown in group if self._is_new(shown.entry, shown.line)]
        for lines in (new, [shown.in_short for shown in new]):
            if self._fits(lines, budget):
                for shown in lines:
                    self.add_line(shown, budget)
                return True
        return False

    def _fits(self, lines: Sequence[Shown], budget: int) -> bool:
        cost = self._cost(*lines)
        if self.used + cost > budget:
            self._recount()
        return self.used + cost <= budget

    def _cost(self, *lines: Shown) -> int:
        """The tokens of lines, with the headings that are not on the page yet."""
        written = [""]
        new = set[Section]()
        for line in lines:
            section = self.sections.get(line.entry.id)
            if section is not None and section not in self._open | new:
                written += section.headings_after(None)
                new.add(section)
            written.append(self._text(line))
        return self.counter.count("\n".join(written))

    def _text(self, shown: Shown) -> str:
        section = self.sections.get(shown.entry.id)
        return shown.text(section.label if section else "")

    def _is_new(self, entry: Entry, line: Line) -> bool:
        pinned = self.choices.pins_line(entry.id, line.key) and entry.id not in self._seen
        return pinned or not self._known.repeats(line.text)

    def _recount(self) -> None:
        """Count all lines together, which gives fewer tokens than adding up the separate counts."""
        if self._counted < len(self._shown):
            self._counted = len(self._shown)
            lines = [*self._body(projects=False), *self._body(projects=True)]
            self.used = self.counter.count("\n".join(["", *lines]))

    def describe_domains(self, domains: str, target: int) -> None:
        """Use a longer text about the domains if it fits."""
        short, self.domains = self.domains, domains
        if self.counter.count(self.text()) > target:
            self.domains = short

    def fit_to(self, target: int) -> tuple[str, int]:
        """Return the text and its tokens; if it is too long, what was added last is removed."""
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
        lines, projects = list(self._body(projects=False)), list(self._body(projects=True))
        language = main_language("\n".join([*lines, *projects]))
        sections = [
            _section(label("critical", language), [*lines, *self._more()]),
            _section(label("channels", language), [self.channels] if self.channels else []),
            _section(label("active_projects", language), [*projects, *self._more_projects()]),
            _section(label("domains", language), [self.domains] if self.domains else []),
        ]
        body = "\n".join(section for section in sections if section)
        return f"# {label('index', language)}\n\n{body or _EMPTY}\n{_legend(lines)}\n"

    @property
    def lines(self) -> list[IndexLine]:
        """The lines that show entries, from top to bottom."""
        return [*self._lines(projects=False), *self._lines(projects=True)]

    def _lines(self, *, projects: bool) -> Iterator[IndexLine]:
        shown = self._ordered(projects=projects)
        count = Counter(line.entry.id for line in shown)
        section = "Active Projects" if projects else "Critical"
        for line in shown:
            id_ = line.entry.id
            alone = count[id_] == 1
            yield IndexLine(id_, self._text(line), line.line.key, alone, section, line.reasons)

    def _ordered(self, *, projects: bool) -> list[Shown]:
        shown = [shown for shown in self._shown if shown.project == projects]
        shown.sort(key=lambda shown: shown.place)
        return self.choices.ordered(shown, [line.entry.id for line in shown])

    def _body(self, *, projects: bool) -> Iterator[str]:
        """The lines of a section with the headings that they are under. A line that comes from no
        file is shown below whatever heading is above it."""
        above: Section | None = None
        for line in self._ordered(projects=projects):
            if section := self.sections.get(line.entry.id):
                section = section.only_topics() if projects else section
                yield from section.headings_after(above)
                above = section
            yield self._text(line)

    def _more(self) -> Iterator[str]:
        seen = sum(entry.priority == "critical" for entry in self._seen.values())
        if self.critical > seen:
            yield f"- + {self.critical - seen} {_MORE_CRITICAL}"
        if self.stated:
            yield f"- + {len(self.stated)} {_MORE_STATED}"

    def _more_projects(self) -> Iterator[str]:
        # The total counts only projects without the tag "done".
        shown = [entry for entry in self._seen.values() if entry.category == "project"]
        left = self.projects - sum(DONE not in entry.tags for entry in shown)
        if left > 0:
            yield f"- + {left} {_MORE_PROJECTS}"


def chosen_lines(entry: Entry, choices: IndexChoices, length: int = SHORT_LINE) -> Sequence[Line]:
    """Return the lines of an entry as the owner wants them: some hidden, some reworded.

    A pinned entry always has a line.
    """
    wording_hash = wording_hash_of(entry)
    if choices.hides(entry.id, wording_hash):
        return ()
    if text := choices.rewording(entry.id, wording_hash, None):
        return (Line(text),)
    lines = []
    for line in lines_of(entry, length):
        if not choices.hides_line(entry.id, line.key):
            text = choices.rewording(entry.id, wording_hash, line.key)
            lines.append(replace(line, text=text, lead="") if text else line)
    if not lines and entry.id in choices.pins:
        return (Line(shortened(entry.content)),)
    return lines


def _section(title: str, lines: list[str]) -> str:
    return f"## {title}\n\n" + "\n".join(lines).lstrip("\n") + "\n" if lines else ""


def _legend(lines: Iterable[str]) -> str:
    """Return the letters that are in use, explained."""
    starts = {line[2:6] for line in lines}
    used = [f"[{letter}]={name}" for name, letter in _LETTERS.items() if f"[{letter}] " in starts]
    return f"{' '.join(used)}{' — ' if used else ''}Full entries via memory_recall"
