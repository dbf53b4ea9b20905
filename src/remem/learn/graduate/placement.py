"""Place new lines in MEMORY.md, and find what it already says or contradicts.

A line goes under the heading with most lines of its category, after the last bullet or, if the
newest come first, before the first. It gets the bullet sign, indentation, date and punctuation of
its neighbours. If no heading fits, a new section is added at the end, in the file's language.
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
from remem.text.look_alike import decisive_words
from remem.text.markdown import BULLET, Block, lines_of, outline
from remem.text.statements import Statement, promotion_suffix, statements
from remem.text.words import STOP_WORDS, words

_MIN_WORDS: Final = 5

_TITLED: Final[Sequence[Category]] = (
    "instruction",
    "preference",
    "decision",
    "insight",
    "fact",
)
_TITLES: Final = {
    "en": ("Rules", "Preferences", "Decisions", "Lessons learned", "Facts"),
    "de": ("Regeln", "Vorlieben", "Entscheidungen", "Gelernt", "Fakten"),
    "fr": ("Règles", "Préférences", "Décisions", "Leçons", "Faits"),
    "es": ("Reglas", "Preferencias", "Decisiones", "Lecciones", "Datos"),
    "ru": ("Правила", "Предпочтения", "Решения", "Уроки", "Факты"),
    "zh": ("规则", "偏好", "决策", "经验", "事实"),
    "ja": ("ルール", "好み", "決定", "学び", "事実"),
}
"""The title of a new section for each of these categories, by language."""


def majority_language(lines: Iterable[str]) -> str:
    """The language of most lines that are long enough to detect it; English if none is."""
    long_lines = (line for line in lines if len(words(line)) >= _MIN_WORDS)
    votes = Counter(language for line in long_lines if (language := language_of(line)))
    return votes.most_common(1)[0][0] if votes else "en"


def section_title(category: Category, language: str) -> str:
    titles = dict(zip(_TITLED, _TITLES.get(language, _TITLES["en"]), strict=True))
    return titles.get(category, titles["fact"])


_MIN_SHARE: Final = 0.75
_PREFIX_LENGTH: Final = 5
"""Words are compared by their first letters, so that inflected forms match."""


@dataclass(frozen=True, slots=True)
class _Words:
    """Word prefixes of a text, without stop words and all, and its negating words."""

    content: frozenset[str]
    all: frozenset[str]
    decisive: frozenset[str]

    def share_in(self, other: _Words) -> float:
        return len(self.content & other.all) / len(self.content) if self.content else 0.0


@dataclass(frozen=True, slots=True)
class Curated:
    """The lines of the always-loaded files: each with its words alone and with its headings."""

    lines: tuple[tuple[str, _Words, _Words], ...]

    def says(self, text: str) -> bool:
        """Whether a line says nearly all of it, and does not negate it."""
        own = _words_of(text)
        return any(
            own.share_in(line) >= _MIN_SHARE and own.decisive <= line.decisive
            for _, _, line in self.lines
        )

    def denies(self, text: str) -> str | None:
        """A line that has the same words but negates them, if there is one."""
        own = _words_of(text)
        for source, line, _ in self.lines:
            alike = own.share_in(line) >= _MIN_SHARE and line.share_in(own) >= _MIN_SHARE
            if alike and own.decisive != line.decisive:
                return source
        return None


def curated_lines(files: Iterable[tuple[str, str]]) -> Curated:
    """The statements of files, given as pairs of path and text."""
    return Curated(
        tuple(
            (statement.source, _words_of(statement.plain_text), _words_of(_with_context(statement)))
            for path, text in files
            for statement in statements(path, text, always=True)
            if not statement.struck
        )
    )


def _with_context(statement: Statement) -> str:
    return " ".join((*statement.headings[-2:], statement.parent or "", statement.plain_text))


def _words_of(text: str) -> _Words:
    own = words(text)
    every = frozenset(word[:_PREFIX_LENGTH] for word in own)
    content = frozenset(word[:_PREFIX_LENGTH] for word in own if word not in STOP_WORDS)
    return _Words(content or every, every, decisive_words(own))


_DATED: Final = re.compile(r"[(（]\d{4}-\d\d-\d\d[)）]\W*$")
_ENDS: Final = re.compile(r"[.。!！?？]$")


@dataclass(frozen=True, slots=True)
class NewLine:
    """A line to be written."""

    text: str
    category: Category
    day: str | None = None


@dataclass(frozen=True, slots=True)
class _Section:
    """The top-level bullets below a heading, and the last line of each with its nested lines."""

    title: str
    bullets: tuple[Block, ...]
    ends: tuple[int, ...]
    share: Mapping[Category, float]


class MemoryShape:
    """The structure of a MEMORY.md; `kinds` are the categories of its lines."""

    def __init__(self, data: bytes, kinds: Mapping[int, Category]) -> None:
        text = data.decode(errors="replace")
        self._lines = lines_of(text)
        self._crlf = text.count("\r\n") * 2 > text.count("\n")
        self._language = majority_language(self._lines)
        self._blocks = outline(text)
        self._sections = list(_sections(self._blocks, kinds))

    def section_of(self, line: NewLine) -> str:
        """The heading that a line would go under."""
        found = self._fitting(line.category)
        return found.title if found else section_title(line.category, self._language)

    def edit(self, lines: Sequence[NewLine]) -> Edit:
        """The edit that writes all lines."""
        inserts: dict[int, list[str]] = defaultdict(list)
        new: dict[Category, list[str]] = {}
        for line in sorted(lines, key=lambda line: line.day or ""):
            section = self._fitting(line.category)
            if section is None:
                new.setdefault(line.category, []).append(f"- {line.text}")
                continue
            place, newest_first = _place(section)
            others = inserts[place]
            at = 0 if newest_first else len(others)
            others.insert(at, self._written(line, section, len(others)))
        last = max(1, len(self._lines))
        for category, bullets in new.items():
            inserts[last] += [
                "",
                f"{'#' * self._level} {section_title(category, self._language)}",
                "",
                *bullets,
            ]
        ending = "\r\n" if self._crlf else "\n"
        return Edit(frozenset(), {number: ending.join(new) for number, new in inserts.items()})

    def _fitting(self, category: Category) -> _Section | None:
        """The section with most lines of a category, if they are at least half of its lines."""
        fit = [section for section in self._sections if section.share.get(category, 0.0) >= 0.5]
        return max(fit, key=lambda one: one.share[category] * len(one.bullets), default=None)

    def _written(self, line: NewLine, section: _Section, count: int) -> str:
        texts = [bullet.text for bullet in section.bullets]
        dated = sum(bool(_DATED.search(text)) for text in texts) * 2 > len(texts)
        text = _ended(line.text, [_DATED.sub("", text).strip() for text in texts])
        day = f" ({line.day})" if dated and line.day and line.day not in text else ""
        return f"{self._sign(section, count)}{text}{day}"

    def _sign(self, section: _Section, count: int) -> str:
        match = BULLET.match(self._lines[section.bullets[-1].start - 1])
        if match is None:
            return "- "
        marker = match["marker"]
        if marker[:-1]:  # a number
            marker = f"{int(marker[:-1]) + 1 + count}{marker[-1]}"
        return f"{match['indent']}{marker}{match['gap']}"

    @property
    def _level(self) -> int:
        """The heading level of the other sections, below a single title."""
        levels = [block.level for block in self._blocks if block.kind == "heading"]
        return min((level for level in levels if level > 1), default=2)


def _sections(blocks: Sequence[Block], kinds: Mapping[int, Category]) -> Iterator[_Section]:
    """The sections with curated bullets: not the log of a day, not a host's own section."""
    by_heading: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, block in enumerate(blocks):
        if block.kind == "bullet" and block.parent is None and block.headings:
            by_heading[block.headings].append(index)
    for headings, indexes in by_heading.items():
        bullets = [blocks[index] for index in indexes]
        log = day_of_headings(headings[-1:]) is not None
        if log or any(promotion_suffix(bullet.text) for bullet in bullets):
            continue
        shares: dict[Category, float] = defaultdict(float)
        for bullet in bullets:
            if bullet.start in kinds:
                shares[kinds[bullet.start]] += 1 / len(bullets)
        ends = tuple(_end(blocks, index) for index in indexes)
        yield _Section(headings[-1], tuple(bullets), ends, shares)


def _place(section: _Section) -> tuple[int, bool]:
    """The line after which a new one goes, and whether the newest come first there."""
    days = [day for bullet in section.bullets if (day := day_of_headings((bullet.text,)))]
    newest_first = len(days) > 1 and days == sorted(days, reverse=True) and days[0] > days[-1]
    before = section.bullets[0].start - 1
    if newest_first and before >= 1:
        return before, True
    return section.ends[-1], False


def _end(blocks: Sequence[Block], index: int) -> int:
    """The last line of a bullet and of everything nested in it."""
    end, nested = blocks[index].end, {index}
    for number in range(index + 1, len(blocks)):
        if blocks[number].parent not in nested:
            break
        nested.add(number)
        end = blocks[number].end
    return end


def _ended(text: str, others: Sequence[str]) -> str:
    """The text without a full stop if most others have none."""
    stops = sum(bool(_ENDS.search(other)) for other in others)
    if stops * 2 < len(others) and text.endswith((".", "。")) and not text.endswith(".."):
        return text[:-1]
    return text
