"""What a heading announces: a kind of memory, a log, or a topic of its own."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Final, Literal

from remem.model.entry import Category
from remem.text.note_dates import mentions
from remem.text.pattern_file import PatternFile, pattern_file
from remem.text.words import STOP_WORDS, fold

Announced = Category | Literal["log"]

_CLOCK: Final = re.compile(r"^\W{0,3}\d{1,2}[:：]\d\d\b")
_DECISIVE: Final[tuple[Announced, ...]] = ("preference", "decision", "insight", "instruction")
_MAX_WORDS: Final = 9
_FIRST_UNSPACED: Final = "\u2e80"
"""Chinese and Japanese begin here."""


def _patterns() -> PatternFile:
    return pattern_file("extract/patterns/headings")


@cache
def _kinds() -> dict[Announced, re.Pattern[str]]:
    """Beginnings of words; parts of the heading in scripts without spaces."""
    kinds: dict[Announced, re.Pattern[str]] = {}
    for kind, listed in _patterns()["kinds"].items():
        stems = listed.split()
        spaced = [stem.replace(".", r"[\s_-]+") for stem in stems if stem[0] < _FIRST_UNSPACED]
        unspaced = [stem for stem in stems if stem[0] >= _FIRST_UNSPACED]
        longest_first = "|".join(sorted(unspaced, key=len, reverse=True))
        kinds[kind] = re.compile(rf"(?<!\w)(?:{'|'.join(spaced)})\w*|{longest_first}")
    return kinds


@lru_cache(maxsize=4096)
def announced(title: str) -> Announced | None:
    """What kind of memory a heading announces; None if it only names a topic."""
    text = fold(bare_title(title)).replace("'", "")
    if not text:
        return "log" if mentions(title) else None
    if len(text.split()) > _MAX_WORDS:
        return None
    places = {
        name: max(found)
        for name, pattern in _kinds().items()
        if (found := [match.start() for match in pattern.finditer(text)])
    }
    for name in _DECISIVE:
        if name in places:
            return name
    # Of what is left, the last word is the noun that the others qualify.
    ranked = sorted((place, name) for name, place in places.items())
    return ranked[-1][1] if ranked else None


@lru_cache(maxsize=4096)
def topic_of(title: str) -> str | None:
    """The heading as a topic; None where it names no more than a kind of memory or a day."""
    bare = bare_title(title)
    rest = fold(bare)
    if announced(title) is not None:
        for pattern in _kinds().values():
            rest = pattern.sub(" ", rest)
    rest = _patterns().regex("says_nothing").sub(" ", rest)
    content = [
        part for part in re.findall(r"\w+", rest) if part not in STOP_WORDS and len(part) > 1
    ]
    return bare if content else None


@lru_cache(maxsize=4096)
def bare_title(title: str) -> str:
    """The heading without its date, its time, its emoji and the tags in front."""
    text = _CLOCK.sub(" ", title)
    for mention in reversed(mentions(text)):
        text = text[: mention.start] + " " + text[mention.end :]
    text = re.sub(r"\[[^\]]{1,24}\]|【[^】]{1,24}】", " ", text) or text
    text = re.sub(r"[(（][\s,;:—–-]*(?:updated?|更新|as of|stand)?[\s,;:—–-]*[)）]", " ", text)
    kept = [character for character in text if not _decoration(character)]
    return " ".join("".join(kept).split()).strip(" -–—:：·|*_~#,.")


def _decoration(character: str) -> bool:
    return unicodedata.category(character) in ("So", "Sk", "Cf") or character in "\ufe0f\u20e3"
