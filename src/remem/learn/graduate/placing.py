"""Where does a new line stand in MEMORY.md, and how is it written? As its neighbours are.

It goes under the heading that holds most of its kind, behind the last bullet there, or before
the first where the newest stand on top; with their sign, their indentation, their way to date
and to end a line. Where no heading fits, a new one is made at the end, in the file's language.

What is a new section of MEMORY.md called? By what it holds, in the file's language.

Does MEMORY.md say it already, or the opposite? Compared by words, with the headings above.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from remem.model.entry import Category
from remem.search.refresh.pieces import day_of_headings
from remem.text.language import language_of
from remem.text.line_edits import Edit
from remem.text.look_alike import turning
from remem.text.markdown import Block, lines_of, outline
from remem.text.statements import Statement, promotion, statements
from remem.text.words import STOP_WORDS, words

_ENOUGH: Final = 5

_TITLES: Final[dict[str, dict[Category, str]]] = {
    "en": {
        "instruction": "Rules",
        "preference": "Preferences",
        "decision": "Decisions",
        "insight": "Lessons learned",
        "fact": "Facts",
    },
    "de": {
        "instruction": "Regeln",
        "preference": "Vorlieben",
        "decision": "Entscheidungen",
        "insight": "Gelernt",
        "fact": "Fakten",
    },
    "fr": {
        "instruction": "Règles",
        "preference": "Préférences",
        "decision": "Décisions",
        "insight": "Leçons",
        "fact": "Faits",
    },
    "es": {
        "instruction": "Reglas",
        "preference": "Preferencias",
        "decision": "Decisiones",
        "insight": "Lecciones",
        "fact": "Datos",
    },
    "ru": {
        "instruction": "Правила",
        "preference": "Предпочтения",
        "decision": "Решения",
        "insight": "Уроки",
        "fact": "Факты",
    },
    "zh": {
        "instruction": "规则",
        "preference": "偏好",
        "decision": "决策",
        "insight": "经验",
        "fact": "事实",
    },
    "ja": {
        "instruction": "ルール",
        "preference": "好み",
        "decision": "決定",
        "insight": "学び",
        "fact": "事実",
    },
}


def spoken_in(lines: Iterable[str]) -> str:
    """The language of most lines that are long enough to tell; English where none is."""
    telling = (line for line in lines if len(words(line)) >= _ENOUGH)
    votes = Counter(language for line in telling if (language := language_of(line)))
    return votes.most_common(1)[0][0] if votes else "en"


def title_of(category: Category, language: str) -> str:
    titles = _TITLES.get(language, _TITLES["en"])
    return titles.get(category, titles["fact"])


_MOSTLY: Final = 0.75
_INFLECTION: Final = 5


@dataclass(frozen=True, slots=True)
class _Words:
    """How the words of a text begin, those that tell and all of them; and what turns it round."""

    telling: frozenset[str]
    all: frozenset[str]
    turning: frozenset[str]

    def share_in(self, other: _Words) -> float:
        return len(self.telling & other.all) / len(self.telling) if self.telling else 0.0


@dataclass(frozen=True, slots=True)
class Curated:
    """What the files say that every conversation begins with: each line by itself, and with
    what stands above it."""

    lines: tuple[tuple[str, _Words, _Words], ...]

    def says(self, text: str) -> bool:
        """Whether a line tells nearly all of it, and turns nothing round."""
        own = _words_of(text)
        return any(
            own.share_in(whole) >= _MOSTLY and own.turning <= whole.turning
            for _, _, whole in self.lines
        )

    def denies(self, text: str) -> str | None:
        """A line that has the same words and turns them round, if there is one."""
        own = _words_of(text)
        for source, line, _ in self.lines:
            alike = own.share_in(line) >= _MOSTLY and line.share_in(own) >= _MOSTLY
            if alike and own.turning != line.turning:
                return source
        return None


def curated(files: Iterable[tuple[str, str]]) -> Curated:
    """The statements of some files, by their path and text."""
    return Curated(
        tuple(
            (statement.source, _words_of(statement.said), _words_of(_with_context(statement)))
            for path, text in files
            for statement in statements(path, text, always=True)
            if not statement.struck
        )
    )


def _with_context(each: Statement) -> str:
    return " ".join((*each.headings[-2:], each.parent or "", each.said))


def _words_of(text: str) -> _Words:
    own = words(text)
    every = frozenset(word[:_INFLECTION] for word in own)
    telling = frozenset(word[:_INFLECTION] for word in own if word not in STOP_WORDS)
    return _Words(telling or every, every, turning(own))


_SIGN: Final = re.compile(
    r"(?P<indent>[ \t]*)(?P<sign>[-*+•]|(?P<number>\d+)(?P<dot>[.)]))(?P<gap>[ \t]+)"
)
_DATED: Final = re.compile(r"[(（]\d{4}-\d\d-\d\d[)）]\W*$")
_ENDS: Final = re.compile(r"[.。!！?？]$")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is to be written."""

    text: str
    category: Category
    day: str | None = None


@dataclass(frozen=True, slots=True)
class _Section:
    """The outermost bullets below one heading, and the last line of what is nested in each."""

    title: str
    bullets: tuple[Block, ...]
    ends: tuple[int, ...]
    share: Mapping[Category, float]


class Shape:
    """How a MEMORY.md is built; `kinds` are the categories of its lines."""

    def __init__(self, data: bytes, kinds: Mapping[int, Category]) -> None:
        text = data.decode(errors="replace")
        self._lines = lines_of(text)
        self._crlf = text.count("\r\n") * 2 > text.count("\n")
        self._language = spoken_in(self._lines)
        self._blocks = outline(text)
        self._sections = list(_sections(self._blocks, kinds))

    def section_of(self, line: Line) -> str:
        """The heading under which a line would stand."""
        found = self._fitting(line.category)
        return found.title if found else title_of(line.category, self._language)

    def edit(self, lines: Sequence[Line]) -> Edit:
        """The change that writes them all."""
        behind: dict[int, list[str]] = defaultdict(list)
        new: dict[Category, list[str]] = {}
        for line in sorted(lines, key=lambda each: each.day or ""):
            section = self._fitting(line.category)
            if section is None:
                new.setdefault(line.category, []).append(f"- {line.text}")
                continue
            place, newest_first = _place(section)
            others = behind[place]
            at = 0 if newest_first else len(others)
            others.insert(at, self._written(line, section, len(others)))
        last = max(1, len(self._lines))
        for category, bullets in new.items():
            behind[last] += [
                "",
                f"{'#' * self._level} {title_of(category, self._language)}",
                "",
                *bullets,
            ]
        joint = "\r\n" if self._crlf else "\n"
        return Edit(frozenset(), {number: joint.join(each) for number, each in behind.items()})

    def _fitting(self, category: Category) -> _Section | None:
        """The section that holds most of a kind, if that is what it mostly holds."""
        fit = [section for section in self._sections if section.share.get(category, 0.0) >= 0.5]
        return max(fit, key=lambda each: each.share[category] * len(each.bullets), default=None)

    def _written(self, line: Line, section: _Section, count: int) -> str:
        texts = [bullet.text for bullet in section.bullets]
        dated = sum(bool(_DATED.search(text)) for text in texts) * 2 > len(texts)
        text = _ended(line.text, [_DATED.sub("", text).strip() for text in texts])
        day = f" ({line.day})" if dated and line.day and line.day not in text else ""
        return f"{self._sign(section, count)}{text}{day}"

    def _sign(self, section: _Section, count: int) -> str:
        match = _SIGN.match(self._lines[section.bullets[-1].start - 1])
        if match is None:
            return "- "
        number = match["number"]
        sign = f"{int(number) + 1 + count}{match['dot']}" if number else match["sign"]
        return f"{match['indent']}{sign}{match['gap']}"

    @property
    def _level(self) -> int:
        """That of the other sections; below a single title."""
        levels = [block.level for block in self._blocks if block.kind == "heading"]
        return min((level for level in levels if level > 1), default=2)


def _sections(blocks: Sequence[Block], kinds: Mapping[int, Category]) -> Iterator[_Section]:
    """Those in which bullets stand that a person curates: no log of a day, no host's own."""
    by_heading: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, block in enumerate(blocks):
        if block.kind == "bullet" and block.parent is None and block.headings:
            by_heading[block.headings].append(place)
    for headings, places in by_heading.items():
        bullets = [blocks[place] for place in places]
        log = day_of_headings(headings[-1:]) is not None
        if log or any(promotion(bullet.text) for bullet in bullets):
            continue
        counted: dict[Category, float] = defaultdict(float)
        for bullet in bullets:
            if bullet.start in kinds:
                counted[kinds[bullet.start]] += 1 / len(bullets)
        ends = tuple(_end(blocks, place) for place in places)
        yield _Section(headings[-1], tuple(bullets), ends, counted)


def _place(section: _Section) -> tuple[int, bool]:
    """The line behind which a new one goes, and whether the newest stand on top there."""
    days = [day for bullet in section.bullets if (day := day_of_headings((bullet.text,)))]
    newest_first = len(days) > 1 and days == sorted(days, reverse=True) and days[0] > days[-1]
    before = section.bullets[0].start - 1
    if newest_first and before >= 1:
        return before, True
    return section.ends[-1], False


def _end(blocks: Sequence[Block], place: int) -> int:
    """The last line of a bullet and of everything that is nested in it."""
    end, nested = blocks[place].end, {place}
    for number in range(place + 1, len(blocks)):
        if blocks[number].parent not in nested:
            break
        nested.add(number)
        end = blocks[number].end
    return end


def _ended(text: str, others: Sequence[str]) -> str:
    """With or without a full stop, as most of the others."""
    stops = sum(bool(_ENDS.search(each)) for each in others)
    if stops * 2 < len(others) and text.endswith((".", "。")) and not text.endswith(".."):
        return text[:-1]
    return text
