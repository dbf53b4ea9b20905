"""Recognise lines of the index that only repeat another line."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from remem.entries.index_headings import IndexSection
from remem.text.words import content_words, english_stem, words

_REPEAT_SHARE: Final = 0.7
_TOKEN: Final = re.compile(r"\S+")
_WORD: Final = re.compile(r"[^\W_]+")
_CODE: Final = re.compile(r"[_=<]|^\W*[~/.]|/.*/|[.\d].*/|/.*[.\d]")
_NEGATION: Final = re.compile(
    r"\b(?:no|not|never|non|cannot|without|nicht|kein\w*|nie|niemals|ohne|ne|pas|jamais|sans|sin|nunca|"
    r"sem|não|не|нет|никогда|без)\b|n['’]t\b|[不没無无未禁別别勿]|ない|안 |않|금지",
    re.IGNORECASE,
)


class SeenLines:
    """The lines added so far, to recognise those that only repeat one of them."""

    def __init__(self) -> None:
        self._lines_with: dict[str, list[int]] = {}
        self._negated: list[bool] = []
        self._sections: list[IndexSection | None] = []

    def repeats(self, text: str, scope: IndexSection | None = None) -> bool:
        """Return whether most words of a text are in one earlier line.

        With `scope`, the section of the text, that line must be in another section on the same
        topic. If the text has a name, a number, a part of code or a negation that the line lacks,
        it is a different statement, however similar the other words are.
        """
        text_words = _words(text)
        shared: dict[int, int] = {}
        for word in text_words:
            for line in self._lines_with.get(word, ()):
                shared[line] = shared.get(line, 0) + 1
        enough, negated = _REPEAT_SHARE * len(text_words), _is_negated(text)
        close = [
            line
            for line, count in shared.items()
            if count >= enough
            and self._negated[line] >= negated
            and (scope is None or _is_same_scope(scope, self._sections[line]))
        ]
        if not close:
            return not text_words and scope is None
        names = _names(text)
        return any(all(line in self._lines_with.get(name, ()) for name in names) for line in close)

    def add(self, text: str, section: IndexSection | None = None) -> None:
        for word in _words(text) | _names(text):
            self._lines_with.setdefault(word, []).append(len(self._negated))
        self._negated.append(_is_negated(text))
        self._sections.append(section)


def _is_same_scope(section: IndexSection, other: IndexSection | None) -> bool:
    """Whether two sections are about the same, such as rules in general."""
    if other is None or other == section:
        return False
    return section.only_topics().titles[-1:] == other.only_topics().titles[-1:]


@lru_cache(maxsize=1024)
def _words(text: str) -> frozenset[str]:
    """Return the words by which a line is recognised, without English endings."""
    return frozenset(map(english_stem, content_words(text) or words(text)))


@lru_cache(maxsize=1024)
def _is_negated(text: str) -> bool:
    return _NEGATION.search(text) is not None


@lru_cache(maxsize=1024)
def _names(text: str) -> frozenset[str]:
    """Return the words with a digit, with a capital letter within a sentence, or within code."""
    names: set[str] = set()
    for token in _TOKEN.finditer(text):
        code = _CODE.search(token[0]) is not None
        for match in _WORD.finditer(token[0]):
            word = match[0]
            at = token.start() + match.start()
            inside = at > 0 and text[at - 1] in " (@#/-"
            numbered = any(character.isdigit() for character in word)
            if code or numbered or (inside and word[0].isupper()):
                is_letter = len(word) == 1
                names.update(map(english_stem, words(word) if is_letter else content_words(word)))
    return frozenset(names)
