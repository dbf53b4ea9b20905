"""How does chatter leave MEMORY.md? Into the notes of its days first, then out of the file: a kill
in between leaves a line in both places, and the next run finds it noted.

The change of MEMORY.md is one step of the audit's journal, which takes it back byte for byte. The
notes keep their lines: they are a timeline, and only grow.

Is a statement said elsewhere too? By its words: most of them stand together in one text.

What in MEMORY.md belongs to a moment? Reports, greetings, lines of a conversation: they are paid
for in every conversation, and their place is the note of their day.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.admin.audit.noise import is_status
from remem.admin.doctor.findings import Finding
from remem.errors import InvalidInput
from remem.files import atomic
from remem.files.domain_file.document import show
from remem.files.edit_journal import Change, Journal
from remem.files.layout import Layout
from remem.files.locks import alone
from remem.files.rewrite import rewrite
from remem.model.daily_note import behind
from remem.model.scope import MAIN
from remem.model.statement import Document
from remem.ports.models import Extractor
from remem.text.line_edits import Edit, edited
from remem.text.similarity import sentences
from remem.text.statements import Statement, statements
from remem.text.words import STOP_WORDS, fold, words

_MOST: Final = 0.8
"""So many of a statement's telling words are its substance."""


class Said:
    """Texts in which a statement may stand, found by their words."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._whole: set[str] = set()
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            self._whole.add(fold(text))
            for word in _telling(text):
                self._holders[word].append(number)

    def has(self, statement: str) -> bool:
        """Whether one of the texts says it, in these or nearly these words."""
        if fold(statement) in self._whole:
            return True
        wanted = _telling(statement)
        if not wanted:
            return False
        held: Counter[int] = Counter()
        for word in wanted:
            held.update(self._holders.get(word, ()))
        best = max(held.values(), default=0)
        return best >= _MOST * len(wanted)


def _telling(text: str) -> set[str]:
    found = set(words(text))
    return (found - STOP_WORDS) or found


MOVE: Final = "`remem doctor --move-chatter`"
MEMORY_MD: Final = "MEMORY.md"
_LONGEST: Final = 100
_REPORT: Final = "status"
_NAMED: Final = 5

_SPEAKER: Final = re.compile(r"(?:user|assistant|human|ai|me|you)\s*[:：]\s*\S.*", re.IGNORECASE)
_TIMED: Final = re.compile(r"[\[(]\d{1,2}[:.]\d{2}(?:[:.]\d{2})?[\])]\s*[-–—:|]?\s+\S.*")
_COURTESY: Final = tuple(
    re.compile(rf"\W*(?:{pattern})\W*", re.IGNORECASE)
    for pattern in (
        r"(?:hi|hello|hey|good (?:morning|evening|night)|thanks?(?: you)?(?: so much| a lot)?|"
        r"thx|bye)(?:[ ,!.]+(?:there|again|all|everyone|\w{2,12}))?",
        r"(?:ok(?:ay)?|great|cool|nice|sure|got it|will do|sounds good|no problem|you['’]?re "
        r"welcome|see you|lol|haha+|thanks?|done|[ ,!.])+",
        r"(?:let me (?:check|see|know)|one (?:moment|sec(?:ond)?)|i(?:['’]ll| will) (?:check|look "
        r"(?:into|at) (?:it|this|that))|brb|checking(?: now)?|looking into it)(?: .{0,30})?",
        r"(?:hallo|guten (?:morgen|abend|tag)|danke(?: schön| dir)?|gerne|alles klar|bis später|"
        r"mache ich|moment)",
        r"(?:hola|buenos días|gracias|de nada|vale|bonjour|merci|d['’]accord|salut)",
        r"(?:привет|здравствуйте|спасибо|хорошо|ладно|понял|сейчас посмотрю)",
        r"(?:你好|早上好|晚安|谢谢|好的|没问题|收到|稍等|我看一下)",
        r"(?:こんにちは|おはよう(?:ございます)?|ありがとう(?:ございます)?|了解(?:です|しました)?|"
        r"お疲れ様(?:です|でした)?|少々お待ちください)",
    )
)


@dataclass(frozen=True, slots=True)
class Chatter:
    """Lines of MEMORY.md that can go without taking another line's meaning with them."""

    statement: Statement
    reason: str

    @property
    def day(self) -> str | None:
        """The day that the line or the heading above it names."""
        return self.statement.day


def chatter(text: str, rules: Extractor, today: str) -> list[Chatter]:
    """What of MEMORY.md was only true, or only meant, at one moment; `rules` know reports."""
    read = rules.extract(Document(MEMORY_MD, text, today))
    reports = {statement.lines[0] for statement in read.statements if statement.noise == _REPORT}
    found = []
    for statement in statements(MEMORY_MD, text, always=True):
        reason = _reason(statement, report=statement.start in reports)
        if reason and _stands_alone(statement):
            found.append(Chatter(statement, reason))
    return found


def told(found: Sequence[Chatter]) -> Iterator[Finding]:
    if not found:
        return
    places = ", ".join(f"L{each.statement.start} ({each.reason})" for each in found[:_NAMED])
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    lines = "1 line" if len(found) == 1 else f"{len(found)} lines"
    yield Finding(
        "main",
        MEMORY_MD,
        "notice",
        f"{lines} of a passing moment: {places}{more}",
        "every conversation pays for them, and what lasts is harder to see",
        f"{MOVE} shows the change, then moves them to the notes of their days",
    )


def _reason(statement: Statement, *, report: bool) -> str | None:
    """Only a single short sentence is judged: a longer text may say something else too."""
    line = statement.said.strip()
    if len(sentences(line)) != 1 or "\n" in line or statement.struck:
        return None
    if _SPEAKER.fullmatch(line):
        return "a line of a conversation"
    if len(line) > _LONGEST:
        return None
    if any(pattern.fullmatch(line) for pattern in _COURTESY):
        return "courtesy"
    if report or is_status(line):
        return "a report"
    return "a moment of a day" if _TIMED.fullmatch(line) else None


def _stands_alone(statement: Statement) -> bool:
    return statement.leaf and (statement.kind == "bullet" or statement.parent is None)


_POINT: Final = re.compile(r"\s*[-*+•]\s+")


@dataclass(frozen=True, slots=True)
class Proposal:
    """The change of MEMORY.md, and which lines go to the note of which day."""

    change: Change
    notes: dict[str, tuple[str, ...]]

    @property
    def diff(self) -> str:
        moved = (f"+++ {day}.md\n+{line}" for day, lines in self.notes.items() for line in lines)
        return "\n".join([self.change.diff, *moved])


def proposed(layout: Layout, rules: Extractor, today: str) -> Proposal | None:
    """What moving would change; None where there is no chatter."""
    data = atomic.read(layout.root / MEMORY_MD)
    try:
        found = chatter((data or b"").decode(), rules, today)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{MEMORY_MD} is not UTF-8 at byte {error.start}", hint="mend it first"
        ) from error
    if not found or data is None:
        return None
    lines = frozenset(n for each in found for n in range(each.statement.start, _end(each) + 1))
    count = "1 line" if len(found) == 1 else f"{len(found)} lines"
    after = edited(data, Edit(lines))
    change = Change(MEMORY_MD, f"moved {count} to the notes of their days", data, after)
    return Proposal(change, _by_day(found, today))


def move(layout: Layout, proposal: Proposal) -> Path:
    """Carry it out; returns where the earlier bytes of MEMORY.md are kept."""
    for day, lines in proposal.notes.items():
        _append(layout, day, lines)
    return Journal(layout, MAIN).apply(proposal.change)


def _bare(line: str) -> str:
    return _POINT.sub("", line).strip()


def _end(each: Chatter) -> int:
    return each.statement.end


def _by_day(found: Sequence[Chatter], today: str) -> dict[str, tuple[str, ...]]:
    """A line without a date, or of a day to come, is noted today."""
    days: defaultdict[str, list[str]] = defaultdict(list)
    for each in found:
        day = each.day if each.day and each.day <= today else today
        days[day].append(_whole(each))
    return {day: tuple(lines) for day, lines in sorted(days.items())}


def _whole(each: Chatter) -> str:
    """All that the line says, its marks and comments too, but for secrets; what opens a comment
    that nobody closes would hide the rest of the note."""
    from remem.text.secrets.mask import (
        redact,  # hundreds of patterns, which nothing else here needs
    )

    text = redact(" ".join(each.statement.text.split())).text
    return text if text.count("<!--") == text.count("-->") else show(text)


def _append(layout: Layout, day: str, lines: Sequence[str]) -> None:
    path = layout.memory / f"{day}.md"
    atomic.refuse_links(layout.root, path)

    def grown(latest: bytes | None) -> bytes:
        """A line that stood twice is noted twice; one that is noted already is not noted again."""
        data = latest or b""
        there = Counter(map(_bare, data.decode(errors="replace").splitlines()))
        for line, times in Counter(lines).items():
            for _ in range(times - there[_bare(line)]):
                data += behind(data, line, "", day)
        return data

    with alone(layout.state_folder(MAIN) / "flush.lock"):
        rewrite(layout, path, grown)
