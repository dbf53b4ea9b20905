"""Does MEMORY.md say it already, or the opposite? Compared by words, with the headings above."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from remem.audit.look_alike import turning
from remem.audit.statements import Statement, statements
from remem.core.words import STOP_WORDS, words

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
            (each.source, _words_of(each.said), _words_of(_with_context(each)))
            for path, text in files
            for each in statements(path, text, always=True)
            if not each.struck
        )
    )


def _with_context(each: Statement) -> str:
    return " ".join((*each.headings[-2:], each.parent or "", each.said))


def _words_of(text: str) -> _Words:
    own = words(text)
    every = frozenset(word[:_INFLECTION] for word in own)
    telling = frozenset(word[:_INFLECTION] for word in own if word not in STOP_WORDS)
    return _Words(telling or every, every, turning(own))
