"""Find the items that need a judgement: lines of the index or left out of it, doubtful memories,
and pairs of duplicate or contradictory entries.

A batch shows the whole index once, then the lines that it leaves out, section by section. An item
that has a verdict is not shown again, unless its entry has changed since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from remem.admin.audit.duplicates import lexical_duplicates
from remem.admin.curate.file_lines import FileLine
from remem.admin.curate.habits import Habit, Habits
from remem.admin.curate.left_out import LeftOut, in_batches
from remem.admin.curate.result import CurationItem
from remem.entries.index import Index
from remem.entries.index_lines import lines_of
from remem.entries.index_repeats import SeenLines
from remem.entries.index_wording import LONG_LINE
from remem.entries.pending_facts import held_fact
from remem.entries.receipt import as_intended
from remem.entries.verdicts import wording_hash_of
from remem.extract.judge import judge
from remem.model.contradictions import contradictions
from remem.model.entry import Entry, headings_in
from remem.model.statement import Place
from remem.model.verdict import Topic, Verdict
from remem.ports.entries import Snapshot
from remem.ports.records import Where
from remem.text.markdown import one_line
from remem.text.statements import text_statement
from remem.text.untrusted import fence_untrusted

LINE_SIGN: Final = "#"
DUPLICATE_SIGN: Final = "="
CONTRADICTION_SIGN: Final = "!"
_MAX_TEXT: Final = 240
_MAX_COMPARED: Final = 3_000
_MAX_FIRST: Final[dict[Topic, int]] = {"contradiction": 5, "duplicate": 10, "review": 15}
"""How many items of a topic come with the index in one batch."""
_MAX_WORTH_TO_DROP: Final = -0.5
_MIN_WORTH_TO_PIN: Final = 3.0
_STATED_BONUS: Final = 1.0
_SHOWN: Final = "in the index"
_LEFT_OUT: Final = "left out"


@dataclass(frozen=True, slots=True)
class Candidates:
    """Finds the items of one scope; `nonce` returns a random value that marks untrusted text."""

    snapshot: Snapshot
    index: Index
    verdicts: Sequence[Verdict]
    file_lines: Sequence[FileLine]
    nonce: Callable[[], str]

    def items(self, topic: Topic | None) -> list[CurationItem]:
        """Return the items of a topic, or of all topics.

        The index comes first, then a few items of each other topic, then the lines that the index
        leaves out, then the remaining items.
        """
        if topic is not None:
            return list(self._items_of(topic))
        first: list[CurationItem] = []
        later: list[CurationItem] = []
        for name, limit in _MAX_FIRST.items():
            found = self._items_of(name)
            first += islice(found, limit)
            later += found
        shown = list(self._index_lines())
        return [*shown, *first, *self._left_out(), *later]

    def _items_of(self, topic: Topic) -> Iterator[CurationItem]:
        match topic:
            case "contradiction":
                return self._contradictions()
            case "review":
                return self._review()
            case "duplicate":
                return self._duplicates()
            case "index":
                return chain(self._index_lines(), self._left_out())
            case "line":
                return (item for item in self._left_out() if item.topic == "line")

    def _index_lines(self) -> Iterator[CurationItem]:
        """Yield the lines of the index, from top to bottom."""
        habits = self._habits()
        entries = self.snapshot.find({line.entry for line in self.index.lines})
        previous = ""
        for line in self.index.lines:
            entry, words = entries[line.entry], None if line.alone else line.words
            if self._is_decided("index", entry, line=words):
                continue
            text = line.text.removeprefix("- ")
            habit = habits.of("index", entry) or _suggestion(entry, text)
            section = _section(entry)
            yield CurationItem(
                item=_item(entry, words),
                topic="index",
                text=text,
                where=section if section != previous else "",
                now=_SHOWN,
                proposed=habit.answer if habit else "keep",
                why=habit.why if habit else None,
            )
            previous = section

    def _left_out(self) -> Iterator[CurationItem]:
        """Yield the lines that the index does not show, without repetitions.

        The best lines come first, in groups that fit a batch; each group is sorted by section.
        """
        habits = self._habits()
        known = SeenLines()
        for shown in self.index.lines:
            known.add(shown.text)
        lines = in_batches([*self._entry_lines(known), *self._unstored_lines(known)])
        previous = ""
        for line in lines:
            habit = habits.of("index", line.entry) if line.entry else None
            pin = line.worth >= _MIN_WORTH_TO_PIN
            yield CurationItem(
                item=line.item,
                topic=line.topic,
                text=line.text,
                where=line.section if line.section != previous else "",
                now=_LEFT_OUT,
                proposed=habit.answer if habit else "pin" if pin else "keep",
                why=habit.why if habit else "; ".join(line.reasons[:2]) if pin else None,
            )
            previous = line.section

    def _entry_lines(self, known: SeenLines) -> Iterator[LeftOut]:
        """Yield the lines of entries that are not known yet, and add them to the known lines."""
        shown = {(line.entry, line.words) for line in self.index.lines}
        for entry in self._compared().values():
            lines = lines_of(entry, LONG_LINE)
            for line in lines:
                key = line.key if len(lines) > 1 else None
                known_line = (entry.id, line.key) in shown or known.repeats(line.text)
                if known_line or self._is_decided("index", entry, line=key):
                    continue
                known.add(line.text)
                judged = judge(line.source or line.text, _place(entry))
                bonus = _STATED_BONUS if entry.trust == "owner" else 0.0
                origin = entry.origins[0] if entry.origins else None
                order = (origin.source if origin else "", (origin.position if origin else 0) or 0)
                yield LeftOut(
                    _item(entry, key),
                    "index",
                    one_line(line.text, _MAX_TEXT),
                    _section(entry),
                    order,
                    judged.worth + bonus,
                    judged.reasons,
                    entry,
                )

    def _unstored_lines(self, known: SeenLines) -> Iterator[LeftOut]:
        """Yield the lines of files that are neither stored as entries nor known."""
        decided = {
            wording_hash
            for verdict in self.verdicts
            if verdict.topic == "line" and verdict.state != "undone"
            for wording_hash in verdict.wordings
        }
        for line in self.file_lines:
            if line.wording_hash in decided or known.repeats(line.text):
                continue
            judged = judge(line.text, line.place)
            yield LeftOut(
                line.item,
                "line",
                one_line(line.text, _MAX_TEXT),
                ", ".join([line.path, *(one_line(title, 40) for title in line.headings[1:][-1:])]),
                (line.path, line.line),
                judged.worth,
                judged.reasons,
            )

    def _review(self) -> Iterator[CurationItem]:
        habits = self._habits()
        for waiting in self.snapshot.select(Where(state="current", trust="untrusted")):
            if self._is_decided("review", waiting) or held_fact(self.snapshot, waiting.id):
                continue  # a fact in review is confirmed with `remem review`
            entry = as_intended(self.snapshot, waiting)
            habit = habits.of("review", entry)
            yield CurationItem(
                item=waiting.id,
                topic="review",
                text=fence_untrusted(_doubtful_text(waiting), self.nonce()),
                where=f"{entry.category}, stored {waiting.created_at[:10]}",
                now="waiting for review",
                proposed=habit.answer if habit else "drop",
                why=habit.why if habit else "an entry that nobody has confirmed should be dropped",
            )

    def _duplicates(self) -> Iterator[CurationItem]:
        entries = self._compared()
        statements = [text_statement(entry.id, entry.content) for entry in entries.values()]
        for pair in lexical_duplicates(statements):
            a, b = entries[pair.a.path], entries[pair.b.path]
            if self._is_decided("duplicate", a, b):
                continue
            keep, drop = sorted((a, b), key=_worth, reverse=True)
            yield _pair_item("duplicate", keep, drop, "merge", "both say nearly the same thing")

    def _contradictions(self) -> Iterator[CurationItem]:
        entries = self._compared()
        statements = [text_statement(entry.id, entry.content) for entry in entries.values()]
        for clash in contradictions(statements):
            a, b = entries[clash.a.path], entries[clash.b.path]
            if self._is_decided("contradiction", a, b):
                continue
            newer, older = sorted((a, b), key=lambda entry: entry.created_at, reverse=True)
            yield _pair_item("contradiction", newer, older, "keep", clash.reason)

    def _compared(self) -> dict[str, Entry]:
        live = self.snapshot.select(Where())
        live.sort(key=lambda entry: (entry.trust == "owner", entry.updated_at))
        return {entry.id: entry for entry in live[-_MAX_COMPARED:]}

    def _habits(self) -> Habits:
        ids = {id_ for verdict in self.verdicts for id_ in verdict.entries[:1]}
        return Habits(self.verdicts, self.snapshot.find(ids))

    def _is_decided(self, topic: Topic, *entries: Entry, line: int | None = None) -> bool:
        ids = {entry.id for entry in entries}
        wordings = {wording_hash_of(entry) for entry in entries}
        return any(
            verdict.topic == topic
            and verdict.state != "undone"
            and verdict.answer != "order"
            and verdict.line in (None, line)
            and (
                set(verdict.wordings) == wordings
                or (set(verdict.entries) == ids and verdict.answer != "keep")
            )
            for verdict in self.verdicts
        )


def _suggestion(entry: Entry, text: str) -> Habit | None:
    """Return the suggestion to drop a line of the index if the judge finds it worthless."""
    judged = judge(text, _place(entry))
    worthless = judged.worth <= _MAX_WORTH_TO_DROP
    return Habit("drop", "; ".join(judged.reasons[:2])) if worthless else None


def _item(entry: Entry, line: int | None) -> str:
    return entry.id if line is None else f"{entry.id}{LINE_SIGN}{line_key(line)}"


def _section(entry: Entry) -> str:
    """Return the file of an entry and the nearest heading below its title: `MEMORY.md, Rules`."""
    source = entry.origins[0].source if entry.origins else f"stored by {entry.trust}"
    titles = headings_in(entry.context)[1:][-1:]
    return ", ".join([source, *(one_line(title, 40) for title in titles)])


def _place(entry: Entry) -> Place:
    source = entry.origins[0].source if entry.origins else ""
    return Place(source, headings_in(entry.context))


def line_key(words: int) -> str:
    """Return a short name for one line of an entry that has several."""
    return f"{words & 0xFFFF:04x}"


def _pair_item(topic: Topic, a: Entry, b: Entry, proposed: str, why: str) -> CurationItem:
    sign = DUPLICATE_SIGN if topic == "duplicate" else CONTRADICTION_SIGN
    return CurationItem(
        item=f"{a.id}{sign}{b.id}",
        topic=topic,
        text=one_line(a.content, _MAX_TEXT),
        where=f"{_where(a)} | {_where(b)}",
        now="both are stored",
        proposed=proposed,
        other=one_line(b.content, _MAX_TEXT),
        why=why,
    )


def _doubtful_text(entry: Entry) -> str:
    """Return the texts of an untrusted entry that its source may have chosen.

    They must be fenced.
    """
    lines = [one_line(entry.content, _MAX_TEXT), one_line(entry.context or "", 120)]
    lines += [f"from {one_line(origin.source, 80)}" for origin in entry.origins[:1]]
    return "\n".join(filter(None, lines))


def _worth(entry: Entry) -> tuple[bool, int, str]:
    """Sort key of duplicates: the owner's entry last, else the longer one, else by id."""
    return entry.trust == "owner", len(entry.content), entry.id


def _where(entry: Entry) -> str:
    """Return where an entry comes from: `preference, MEMORY.md:12, Rules`."""
    parts: list[str] = [entry.category]
    if entry.origins:
        origin = entry.origins[0]
        line = f":{origin.position}" if origin.position is not None else ""
        parts.append(f"{origin.source}{line}")
    else:
        parts.append(f"stored {entry.created_at[:10]} by {entry.trust}")
    parts += [one_line(heading, 40) for heading in headings_in(entry.context)[1:][-1:]]
    return ", ".join(parts)


def lines_in(items: Iterable[CurationItem], *, shown: bool = False) -> list[str]:
    """Return the items that are lines of the index or left out of it.

    With `shown`, return only the lines of the index.
    """
    states = (_SHOWN,) if shown else (_SHOWN, _LEFT_OUT)
    return [item.item for item in items if item.now in states]


def fit_budget(
    items: Iterable[CurationItem], budget: int, cost: Callable[[CurationItem], int]
) -> tuple[list[CurationItem], int]:
    """Return the first items that cost at most `budget` tokens, and how many are left out."""
    chosen: list[CurationItem] = []
    omitted = 0
    for item in items:
        budget -= cost(item)
        if budget < 0:
            omitted += 1
        else:
            chosen.append(item)
    return chosen, omitted
