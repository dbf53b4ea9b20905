"""The index page while it is being filled, with counts of the lines that it leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from remem.entries.index_headings import IndexSection, place_of
from remem.entries.index_lines import MIGRATED_SOURCE, EntryLine
from remem.entries.index_repeats import SeenLines
from remem.entries.index_sections import IndexDomain, domain_lines
from remem.entries.index_shown import (
    NOWHERE,
    PARTS,
    IndexLine,
    Part,
    ShownLine,
    chosen_lines,
    legend,
)
from remem.entries.index_wording import SHORT_LINE
from remem.fast_dataclass import dataclass
from remem.model.entry import Entry, Origin
from remem.model.verdict import IndexChoices
from remem.text.labels import label
from remem.text.language import most_common_language

if TYPE_CHECKING:
    from remem.ports.models import TokenCounter

DONE: Final = "done"
_SECTIONS_RANK: Final = 10
"""Lines that have a section are shown after those that have none."""

_NOT_BEGUN: Final = 1_000
_MAX_TOPICS: Final = 5
_RECALL_CRITICAL: Final = 'memory_recall(query:"…", priority_min:"critical")'
_RECALL: Final = 'memory_recall(query:"…")'
_RECALL_PROJECTS: Final = 'memory_recall(query:"…", categories:["project"])'


@dataclass
class IndexPage:
    """The sections of an index; `used` is the number of tokens of the lines so far.

    `critical` and `projects` are the totals of such stored entries, `unshown_ids` are statements in
    the owner's files that are not shown yet. The text says how many of them are left out.
    `sections` are the sections of such statements, in the order in which they are shown, and
    `lists` the number of lines that each of them has. `context` are those that have neither rules
    nor people.
    """

    counter: TokenCounter
    channels: str
    domains: Sequence[IndexDomain]
    critical: int
    projects: int
    unshown_ids: set[str]
    choices: IndexChoices
    length: int = SHORT_LINE
    sections: dict[Origin | None, IndexSection] = field(default_factory=dict)
    lists: dict[IndexSection, int] = field(default_factory=dict)
    context: set[IndexSection] = field(default_factory=set)
    used: int = 0
    _shown: list[ShownLine] = field(default_factory=list)
    _seen: dict[str, Entry] = field(default_factory=dict)
    _known: SeenLines = field(default_factory=SeenLines)
    _added: set[tuple[str, Origin | None, int]] = field(default_factory=set)
    _open: Counter[IndexSection] = field(default_factory=Counter)
    _places: dict[Origin | None, int] = field(default_factory=dict)
    _counted: int = 0
    _added_together: list[int] = field(default_factory=list)
    _tokens: int | None = None
    """The tokens of the text, counted again after a line was added."""

    def add_all(self, rank: int, entries: Iterable[Entry], budget: int, reason: str) -> None:
        """Add what is new in entries as long as the page's lines cost at most `budget` tokens."""
        for number, entry in enumerate(entries):
            if entry.id in self._seen:
                continue
            lines = [
                self._shown_as(entry, line, (rank, number), part, reason)
                for part, line in enumerate(self.lines_of(entry))
            ]
            new = [shown for shown in lines if self._is_new(shown)]
            if not new:
                self._seen[entry.id] = entry
            for shown in new:
                self.add_line(shown, budget)

    def add_pinned(self, entry: Entry, budget: int) -> None:
        """Add the lines of an entry that are pinned."""
        reason = self.choices.explain(entry.id) or "is pinned"
        for number, line in enumerate(self.lines_of(entry)):
            if self.choices.pins_line(entry.id, line.key):
                rank = -1, self.choices.pins[entry.id].number
                self.add_line(self._shown_as(entry, line, rank, number, reason), budget)

    def _shown_as(
        self, entry: Entry, line: EntryLine, rank: tuple[int, int], number: int, reason: str
    ) -> ShownLine:
        place = self.place_of(entry, rank, number)
        return ShownLine(place, line, entry, (reason,), entry.category)

    def place_of(self, entry: Entry, rank: tuple[int, int], number: int) -> tuple[int, ...]:
        """Return where a line of an entry is shown: in its section, or by its rank."""
        if not self._places:
            self._places.update((place, at) for at, place in enumerate(self.sections))
        at = self._places.get(place_of(entry))
        return (*rank, number) if at is None else (_SECTIONS_RANK, at, number)

    def section_of(self, entry: Entry) -> IndexSection | None:
        return self.sections.get(place_of(entry))

    def lines_of(self, entry: Entry) -> Sequence[EntryLine]:
        """Return the lines of an entry as the owner wants them."""
        return chosen_lines(entry, self.choices, self.length)

    def add_line(self, line: ShownLine, budget: int) -> bool:
        """Add one line of an entry unless it repeats another; False if it does not fit."""
        return self.add_group([line], budget)

    def _add(self, shown_line: ShownLine) -> None:
        entry, line = shown_line.entry, shown_line.line
        self.used += self._cost(shown_line)
        self._shown.append(shown_line)
        self._seen[entry.id] = entry
        section = self.section_of(entry)
        self._known.add(line.text, section)
        self._added.add((entry.id, place_of(entry), line.key))
        if section:
            self._open[section] += 1

    def add_group(self, group: Sequence[ShownLine], budget: int, *, is_whole: bool = False) -> bool:
        """Add the new lines of a group, shortened if necessary; return whether they fit.

        The lines of a whole list only repeat lines on the same topic.
        """
        new = [line for line in group if self._is_new(line, is_whole=is_whole)]
        repeated = sum(line.entry.id not in self._seen for line in group) - len(new)
        if repeated > 0 and (section := self.section_of(group[0].entry)) in self.lists:
            self.lists[section] -= repeated
        self._tokens = None
        in_short = [line.in_short for line in new]
        for lines in (new, in_short) if len(new) > 1 or self._stays(new) else (new,):
            if self._fits(lines, budget):
                for line in lines:
                    self._add(line)
                self._added_together += [len(lines)] if lines else []
                return True
        return False

    def _stays(self, lines: Sequence[ShownLine]) -> bool:
        """Return whether somebody decided that the first of these lines stays on the page."""
        first_keys = [(line.entry.id, line.line.key) for line in lines[:1]]
        return any(self.choices.keeps_line(id_, key) for id_, key in first_keys)

    def lengthen(self, target: int) -> None:
        """Show lines that were shortened in more of their words, as far as there is room."""
        room = target - self.counter.count(self.text())
        lines = Counter(line.entry.id for line in self._shown)
        for at, line in enumerate(self._shown):
            longer = line.at_length(self.choices)
            if lines[line.entry.id] > 1 or len(longer.line.text) <= len(line.line.text):
                continue
            cost = self._cost(longer) - self._cost(line)
            if cost <= room:
                self._shown[at] = longer
                self.used += cost
                room -= cost

    def add_if_room(self, line: ShownLine, target: int) -> None:
        """Add one line if it is new and the whole text still has at most `target` tokens."""
        said = any(line.line.text in other.line.text for other in self._shown)
        if self._tokens is None:
            self._tokens = self.counter.count(self.text())
        room = target - self._tokens
        if not said and self._cost(line) <= room:
            self.add_line(line, self.used + room)

    def missing_in(self, section: IndexSection) -> int:
        """Return how many lines a list lacks that is shown in part; many if it is not begun."""
        total = self.lists.get(section, 0)
        return total - self._open[section] if section in self._open else _NOT_BEGUN

    def _fits(self, lines: Sequence[ShownLine], budget: int) -> bool:
        cost = self._cost(*lines)
        if self.used + cost > budget:
            self._recount()
        return self.used + cost <= budget

    def _cost(self, *lines: ShownLine) -> int:
        """Return the tokens of lines, with the headings that are not on the page yet."""
        written = [""]
        new = set[IndexSection]()
        for line in lines:
            section = self.section_of(line.entry)
            if section is not None and section not in self._open and section not in new:
                written += section.headings_after(None)
                new.add(section)
            written.append(self._text(line))
        return self.counter.count("\n".join(written))

    def _text(self, line: ShownLine) -> str:
        return line.text(self.section_of(line.entry) or NOWHERE)

    def _is_new(self, shown_line: ShownLine, *, is_whole: bool = False) -> bool:
        entry, line = shown_line.entry, shown_line.line
        pinned = self.choices.pins_line(entry.id, line.key) and entry.id not in self._seen
        if (entry.id, place_of(entry), line.key) in self._added:
            return False
        scope = (self.section_of(entry) or NOWHERE) if is_whole else None
        return pinned or not self._known.repeats(line.text, scope)

    def _recount(self) -> None:
        """Count all lines together, which gives fewer tokens than adding up the separate counts."""
        if self._counted < len(self._shown):
            self._counted = len(self._shown)
            lines = (line for part in PARTS for line in self._body(part))
            self.used = self.counter.count("\n".join(["", *lines]))

    def describe_domains(self, domains: Sequence[IndexDomain], target: int) -> None:
        """Use a longer text about the domains if it fits."""
        short, self.domains = self.domains, domains
        if self.counter.count(self.text()) > target:
            self.domains = short

    def fit_to(self, target: int) -> tuple[str, int]:
        """Return the text and its tokens; what was added last is removed until the text fits."""
        while (tokens := self.counter.count(text := self.text())) > target:
            if self._added_together:
                for _ in range(self._added_together.pop()):
                    self._remove_last()
            elif self.domains:
                self.domains = ()
            elif self.channels:
                self.channels = ""
            else:
                break
        return text, tokens

    def _remove_last(self) -> None:
        last = self._shown.pop().entry
        if all(line.entry.id != last.id for line in self._shown):
            self._seen.pop(last.id, None)
        if section := self.section_of(last):
            self._open -= Counter([section])

    @property
    def entries(self) -> frozenset[str]:
        """The ids of the entries that are shown."""
        return frozenset(line.entry.id for line in self._shown)

    def text(self) -> str:
        language = most_common_language(map(self._text, self._shown))
        lines, projects, context = (list(self._body(part, language)) for part in PARTS)
        sections = [
            _section(label("critical", language), lines),
            _section(label("channels", language), [self.channels] if self.channels else []),
            _section(
                label("active_projects", language), [*projects, *self._more_projects(language)]
            ),
            _section(label("context", language), [*context, *self._left_out(language)]),
            _section(label("domains", language), domain_lines(self.domains, language)),
        ]
        body = "\n".join(section for section in sections if section)
        body = body or f"{label('nothing_stored', language, 'texts')}\n"
        return f"# {label('index', language)}\n\n{body}\n{legend(lines, language)}\n"

    @property
    def lines(self) -> list[IndexLine]:
        """The lines that show entries, from top to bottom."""
        return [line for part in PARTS for line in self._lines(part)]

    def _lines(self, part: Part) -> Iterator[IndexLine]:
        ordered = self._ordered(part)
        count = Counter(line.entry.id for line in ordered)
        for line in ordered:
            id_ = line.entry.id
            alone = count[id_] == 1
            text = self._text(line)
            yield IndexLine(id_, text, line.line.key, alone, PARTS[part], line.reasons)

    def _ordered(self, part: Part) -> list[ShownLine]:
        shown = [shown for shown in self._shown if shown.part == part]
        shown.sort(key=lambda shown: (self._is_below_topic(shown, part), shown.place))
        return self.choices.ordered(shown, [line.entry.id for line in shown])

    def _is_below_topic(self, line: ShownLine, part: Part) -> bool:
        """Whether it is a project below a heading; without one, it comes before all headings."""
        section = self.section_of(line.entry) if part == "active_projects" else None
        return section is not None and bool(section.only_topics().titles)

    def _body(self, part: Part, language: str = "") -> Iterator[str]:
        """Return the lines of a part with the headings that they are under.

        A line that comes from no file is shown below whatever heading is above it. A list that is
        not complete says so.
        """
        above: IndexSection | None = None
        ordered = self._ordered(part)
        for line, following in zip_longest(ordered, ordered[1:]):
            section = self.section_of(line.entry)
            if section:
                written = section.only_topics() if part == "active_projects" else section
                yield from written.headings_after(above)
                above = written
            yield self._text(line)
            if section and (not following or self.section_of(following.entry) != section):
                omitted = self.lists.get(section, 0) - self._open.get(section, 0)
                if omitted > 0:
                    yield f"- + {omitted} {label('more_entries', language, 'texts')}"

    def _left_out(self, language: str) -> Iterator[str]:
        """Count the critical entries and statements that are left out, and name the first lists."""
        stored = (entry for entry in self._seen.values() if entry.source != MIGRATED_SOURCE)
        critical = sum(entry.priority == "critical" for entry in stored)
        if self.critical > critical:
            more = label("more_entries", language, "texts")
            yield f"- + {self.critical - critical} {more}: {_RECALL_CRITICAL}"
        if self.unshown_ids:
            hidden = {
                section.titles[-1]: count
                for section, count in self.lists.items()
                if count > 0
                and section.titles
                and section not in self._open
                and not section.is_confidential
            }
            topics = [f"{title} ({count})" for title, count in hidden.items()][:_MAX_TOPICS]
            about = f" — {', '.join(topics)}" if topics else ""
            more = label("more_stated", language, "texts")
            yield f"- + {len(self.unshown_ids)} {more}{about}: {_RECALL}"

    def _more_projects(self, language: str) -> Iterator[str]:
        # The total counts only stored projects; lists of the files say what they lack themselves.
        stored = (entry for entry in self._seen.values() if entry.source != MIGRATED_SOURCE)
        shown = [entry for entry in stored if entry.category == "project"]
        omitted = self.projects - sum(DONE not in entry.tags for entry in shown)
        if omitted > 0 and any(line.part == "active_projects" for line in self._shown):
            more = label("more_entries", language, "texts")
            yield f"- + {omitted} {more}: {_RECALL_PROJECTS}"


def _section(title: str, lines: list[str]) -> str:
    return f"## {title}\n\n" + "\n".join(lines).lstrip("\n") + "\n" if lines else ""
