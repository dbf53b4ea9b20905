"""Place new lines in MEMORY.md, and find what the curated files already say or contradict.

A line goes under the heading with the most lines of its category, after the last bullet and with
the same marker and indentation. If no heading fits, a new section is added at the end of the file,
with a title in the file's language.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from remem.model.entry import Category
from remem.text.language import language_of
from remem.text.line_edits import LineEdit
from remem.text.look_alike import decisive_words
from remem.text.markdown import BULLET, Block, lines_of, outline
from remem.text.note_dates import day_of_headings
from remem.text.statements import TextStatement, promotion_suffix, statements
from remem.text.words import STOP_WORDS, words

_MIN_WORDS: Final = 5

_CATEGORIES: Final[Sequence[Category]] = (
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
"""The titles of new sections by language, in the order of `_CATEGORIES`."""
_MIN_SHARE: Final = 0.75
_PREFIX_LENGTH: Final = 5
"""Words are compared by their first letters, so that inflected forms match."""


def majority_language(lines: Iterable[str]) -> str:
    """Return the language of most of the lines that are long enough to tell, or English."""
    long_lines = (line for line in lines if len(words(line)) >= _MIN_WORDS)
    votes = Counter(language for line in long_lines if (language := language_of(line)))
    return votes.most_common(1)[0][0] if votes else "en"


def new_section_title(category: Category, language: str) -> str:
    """Return the title of a new section; categories without their own title share that of facts."""
    titles = dict(zip(_CATEGORIES, _TITLES.get(language, _TITLES["en"]), strict=True))
    return titles.get(category, titles["fact"])


@dataclass(frozen=True, slots=True)
class _Words:
    """Word prefixes of a text: `content` without stop words, `all` with them.

    `meaning_changing` are its negations and numbers.
    """

    content: frozenset[str]
    all: frozenset[str]
    meaning_changing: frozenset[str]

    def share_in(self, other: _Words) -> float:
        return len(self.content & other.all) / len(self.content) if self.content else 0.0


@dataclass(frozen=True, slots=True)
class CuratedLines:
    """The lines of the always-loaded files.

    Each has its source, its own words, and its words together with those of its headings.
    """

    lines: tuple[tuple[str, _Words, _Words], ...]

    def says(self, text: str) -> bool:
        """Return whether a line has nearly all words of the text, and all negations and numbers."""
        own = _words_of(text)
        return any(
            own.share_in(line) >= _MIN_SHARE and own.meaning_changing <= line.meaning_changing
            for _, _, line in self.lines
        )

    def contradiction_of(self, text: str) -> str | None:
        """Return where a line has nearly the same words but different negations or numbers."""
        own = _words_of(text)
        for source, line, _ in self.lines:
            alike = own.share_in(line) >= _MIN_SHARE and line.share_in(own) >= _MIN_SHARE
            if alike and own.meaning_changing != line.meaning_changing:
                return source
        return None


def curated_lines(files: Iterable[tuple[str, str]]) -> CuratedLines:
    """Return the lines of files, given as pairs of path and text, except struck ones."""
    return CuratedLines(
        tuple(
            (statement.source, _words_of(statement.plain_text), _words_of(_with_context(statement)))
            for path, text in files
            for statement in statements(path, text, always_loaded=True)
            if not statement.struck
        )
    )


def _with_context(statement: TextStatement) -> str:
    return " ".join((*statement.headings[-2:], statement.parent or "", statement.plain_text))


def _words_of(text: str) -> _Words:
    all_words = words(text)
    prefixes = frozenset(word[:_PREFIX_LENGTH] for word in all_words)
    content = frozenset(word[:_PREFIX_LENGTH] for word in all_words if word not in STOP_WORDS)
    return _Words(content or prefixes, prefixes, decisive_words(all_words))


@dataclass(frozen=True, slots=True)
class LineToAdd:
    """A line to be added; `day` is when it was last said."""

    text: str
    category: Category
    day: str | None = None


@dataclass(frozen=True, slots=True)
class _Section:
    """A section with curated bullets, and how many bullets there are of each category.

    `last_bullet` is the line number of the last bullet, `end` that of the last line nested in it.
    """

    title: str
    last_bullet: int
    end: int
    bullets: int
    counts: Counter[Category]


class MemoryShape:
    """The sections of MEMORY.md; `categories` gives the category of a line by its number."""

    def __init__(self, data: bytes, categories: Mapping[int, Category]) -> None:
        text = data.decode(errors="replace")
        blocks = outline(text)
        levels = [block.level for block in blocks if block.kind == "heading" and block.level > 1]
        self._lines = lines_of(text)
        self._line_end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
        self._language = majority_language(self._lines)
        self._heading_marks = "#" * min(levels, default=2)
        self._sections = list(_sections(blocks, categories))

    def section_of(self, category: Category) -> str:
        """Return the heading that a line of this category would go under."""
        best = self._best_section(category)
        return best.title if best else new_section_title(category, self._language)

    def edit(self, lines: Sequence[LineToAdd]) -> LineEdit:
        """Return the edit that adds all lines, the earliest first."""
        inserts: dict[int, list[str]] = defaultdict(list)
        new_sections: dict[Category, list[str]] = defaultdict(list)
        for line in sorted(lines, key=lambda line: line.day or ""):
            section = self._best_section(line.category)
            if section is None:
                new_sections[line.category].append(f"- {line.text}")
            else:
                added = inserts[section.end]
                added.append(f"{self._marker(section, len(added))}{line.text}")
        last = max(1, len(self._lines))
        for category, bullets in new_sections.items():
            heading = f"{self._heading_marks} {new_section_title(category, self._language)}"
            inserts[last] += ["", heading, "", *bullets]
        texts = {number: self._line_end.join(new) for number, new in inserts.items()}
        return LineEdit(frozenset(), texts)

    def _best_section(self, category: Category) -> _Section | None:
        """Return the section with the most lines of a category.

        Only sections count in which at least half of the lines have this category.
        """
        suitable = [
            section for section in self._sections if section.counts[category] * 2 >= section.bullets
        ]
        return max(suitable, key=lambda section: section.counts[category], default=None)

    def _marker(self, section: _Section, count: int) -> str:
        """Return the bullet marker for the next line; a numbered list continues.

        It follows the section's last bullet and `count` lines that were already added.
        """
        match = BULLET.match(self._lines[section.last_bullet - 1])
        if match is None:
            return "- "
        marker = match["marker"]
        if marker[:-1]:  # a number
            marker = f"{int(marker[:-1]) + 1 + count}{marker[-1]}"
        return f"{match['indent']}{marker}{match['gap']}"


def _sections(blocks: Sequence[Block], categories: Mapping[int, Category]) -> Iterator[_Section]:
    """Yield the sections with curated bullets, except logs of a day and a host's own sections."""
    by_heading: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, block in enumerate(blocks):
        if block.kind == "bullet" and block.parent is None and block.headings:
            by_heading[block.headings].append(index)
    for headings, indexes in by_heading.items():
        bullets = [blocks[index] for index in indexes]
        is_log = day_of_headings(headings[-1:]) is not None
        if is_log or any(promotion_suffix(bullet.text) for bullet in bullets):
            continue
        counts = Counter(
            categories[bullet.start] for bullet in bullets if bullet.start in categories
        )
        end = _end(blocks, indexes[-1])
        yield _Section(headings[-1], bullets[-1].start, end, len(bullets), counts)


def _end(blocks: Sequence[Block], index: int) -> int:
    """Return the last line of a bullet and of everything nested in it."""
    end, nested = blocks[index].end, {index}
    for number in range(index + 1, len(blocks)):
        if blocks[number].parent not in nested:
            break
        nested.add(number)
        end = blocks[number].end
    return end
