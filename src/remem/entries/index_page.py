"""The index page while it is being filled: its sections, its budget, and counts of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from remem.entries.index_lines import Line, lines_of
from remem.entries.index_repeats import SeenLines
from remem.entries.index_wording import SHORT_LINE, shortened
from remem.entries.verdicts import wording_hash_of
from remem.extract.headings import without_brackets
from remem.extract.signals import label_of
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

    place: tuple[int, int, int]
    line: Line
    entry: Entry
    reasons: tuple[str, ...]
    kind: Category

    @property
    def project(self) -> bool:
        return self.kind == "project" and self.entry.priority != "critical"

    def text(self, shared_labels: Collection[str], leads: Collection[str]) -> str:
        """Return the line with the letter of its category, and with its heading if it needs one.

        A heading that is already among `leads` is shown without its explanation in brackets.
        """
        body, lead = self.line.text, self.line.lead
        if lead and (self.line.needs_lead or label_of(self.line.source) in shared_labels):
            body = f"{without_brackets(lead) if lead in leads else lead}: {body}"
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
    """

    counter: TokenCounter
    channels: str
    domains: str
    critical: int
    projects: int
    stated: set[str]
    choices: IndexChoices
    length: int = SHORT_LINE
    shared_labels: frozenset[str] = frozenset()
    used: int = 0
    _shown: list[Shown] = field(default_factory=list)
    _seen: dict[str, Entry] = field(default_factory=dict)
    _known: SeenLines = field(default_factory=SeenLines)
    _leads: set[str] = field(default_factory=set)
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
                place = (rank, number, part)
                self.add_line(Shown(place, line, entry, (reason,), entry.category), budget)

    def add_pinned(self, entry: Entry, budget: int) -> None:
        """Add the lines of an entry that are pinned."""
        reason = self.choices.explain(entry.id) or "is pinned"
        for number, line in enumerate(self.lines_of(entry)):
            if self.choices.pins_line(entry.id, line.key):
                place = (-1, self.choices.pins[entry.id].number, number)
                self.add_line(Shown(place, line, entry, (reason,), entry.category), budget)

    def lines_of(self, entry: Entry) -> Sequence[Line]:
        """Return the lines of an entry as the owner wants them."""
        return chosen_lines(entry, self.choices, self.length)

    def add_line(self, shown: Shown, budget: int) -> bool:
        """Add one line of an entry unless it repeats another; False if it does not fit."""
        entry, line = shown.entry, shown.line
        if not self._is_new(entry, line):
            return True
        cost = self.counter.count(f"\n{shown.text(self.shared_labels, self._leads)}")
        if self.used + cost > budget:
            self._recount()
        if self.used + cost > budget:
            return False
        self.used += cost
        self._shown.append(shown)
        self._seen[entry.id] = entry
        self._known.add(line.text)
        self._leads.add(line.lead)
        return True

    def _is_new(self, entry: Entry, line: Line) -> bool:
        pinned = self.choices.pins_line(entry.id, line.key) and entry.id not in self._seen
        return pinned or not self._known.repeats(line.text)

    def _recount(self) -> None:
        """Count all lines together, which gives fewer tokens than adding up the separate counts."""
        if self._counted < len(self._shown):
            self._counted = len(self._shown)
            lines = [line.text for line in self.lines]
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
        lines = [line.text for line in self._lines(projects=False)]
        projects = [line.text for line in self._lines(projects=True)]
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
        shown = [shown for shown in self._shown if shown.project == projects]
        shown.sort(key=lambda shown: shown.place)
        count = Counter(line.entry.id for line in shown)
        leads = set[str]()
        for line in self.choices.ordered(shown, [line.entry.id for line in shown]):
            id_ = line.entry.id
            text_hash = line.line.key
            section = "Active Projects" if projects else "Critical"
            alone = count[id_] == 1
            text = line.text(self.shared_labels, leads)
            yield IndexLine(id_, text, text_hash, alone, section, line.reasons)
            leads.add(line.line.lead)

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
    return f"## {title}\n\n" + "\n".join(lines) + "\n" if lines else ""


def _legend(lines: Iterable[str]) -> str:
    """Return the letters that are in use, explained."""
    starts = {line[2:6] for line in lines}
    used = [f"[{letter}]={name}" for name, letter in _LETTERS.items() if f"[{letter}] " in starts]
    return f"{' '.join(used)}{' — ' if used else ''}Full entries via memory_recall"
