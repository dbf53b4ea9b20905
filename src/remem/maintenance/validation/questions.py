"""What can be asked about these files? Questions made from their own lines, by a fixed rule.

A line is a bullet, a paragraph or a row of a table that stands nowhere else and says at least
three telling words. Its question is its four rarest words, in their order: those that the
fewest lines of the workspace hold, the earlier first among equals. Up to fifty lines are
taken, half of them from MEMORY.md and USER.md if there are as many, evenly spread. The same
files give the same questions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.core.outline import outline
from remem.core.secrets import redact
from remem.core.words import STOP_WORDS, fold, has_grams

MOST: Final = 50
_RAREST: Final = 4
_FEWEST: Final = 3
_RUN: Final = 6
"""So many characters of a script without spaces make a word of a question."""
_NO_WORDS: Final = re.compile(r"<!--[^<]*?-->|https?://\S+|!?\[\[|\]\]|[`*~|]", re.DOTALL)
_WORD: Final = re.compile(r"\w+(?:[.\-'’]\w+)*")


@dataclass(frozen=True, slots=True)
class Text:
    """One memory file; `curated` are those that a person keeps in order."""

    path: str
    text: str
    curated: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the lines of a file that answer it."""

    text: str
    path: str
    start: int
    end: int
    line: str


@dataclass(frozen=True, slots=True)
class _Line:
    path: str
    start: int
    end: int
    text: str
    words: tuple[str, ...]
    curated: bool


def questions(texts: Iterable[Text], most: int = MOST) -> list[Question]:
    """The questions that the files yield, at most so many."""
    lines = [line for text in texts for line in _lines(text)]
    known = Counter(fold(line.text) for line in lines)
    spread = Counter(word for line in lines for word in {fold(each) for each in line.words})
    usable = [line for line in lines if known[fold(line.text)] == 1 and _says_enough(line)]
    curated = [line for line in usable if line.curated]
    notes = [line for line in usable if not line.curated]
    share = min(len(curated), max(most // 2, most - len(notes)))
    chosen = [*_spread(curated, share), *_spread(notes, most - share)]
    return [_question(line, spread) for line in chosen]


def _question(line: _Line, spread: Counter[str]) -> Question:
    words = list(dict.fromkeys(line.words))
    rarest = sorted(words, key=lambda word: spread[fold(word)])[:_RAREST]
    asked = " ".join(word for word in words if word in rarest)
    return Question(asked, line.path, line.start, line.end, _NO_WORDS.sub(" ", line.text))


def _lines(text: Text) -> list[_Line]:
    return [
        _Line(text.path, block.start, block.end, block.text, _words(block.text), text.curated)
        for block in outline(text.text)
        if block.kind in ("bullet", "text", "row")
    ]


def _words(text: str) -> tuple[str, ...]:
    found = [word for word in _WORD.findall(_NO_WORDS.sub(" ", text)) if _tells(word)]
    return tuple(word[:_RUN] if has_grams(word) else word for word in found)


def _tells(word: str) -> bool:
    if has_grams(word):
        return len(word) > 1
    return len(word) > 2 and word.casefold() not in STOP_WORDS and len(word) < 40


def _says_enough(line: _Line) -> bool:
    """A secret would be masked in an entry, and could not be found again."""
    enough = len(set(line.words)) >= _FEWEST or any(
        has_grams(word) and len(word) == _RUN for word in line.words
    )
    return enough and not redact(line.text).kinds


def _spread(lines: Sequence[_Line], count: int) -> list[_Line]:
    if count >= len(lines):
        return list(lines)
    return [lines[i * len(lines) // count] for i in range(count)]
