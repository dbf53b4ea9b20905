"""Does a sentence say no more than the points that it names? In doubt, it does.

A language model may put points into better words; it may not add any. So nearly every telling
word of a sentence has to be one of theirs, and every number, every name and every word that
turns a statement round has to be theirs exactly, the names in the order in which they have them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from remem.text.words import STOP_WORDS, fold, has_grams, words

_NEGATIONS: Final = frozenset(
    """no not never none nor neither without cannot nobody nothing hardly t isn doesn don won can
    wasn aren didn nicht kein keine keinen keiner nie niemals ohne ne pas jamais sans aucun nunca
    jamás sin ninguno ningún не нет никогда без ни""".split()
)
_NEGATING_SIGNS: Final = re.compile("[不没沒無无未非勿别莫]|ない|ません|ず(?=に)")
_TIES: Final = frozenset(
    """currently now since also both still while later earlier before after until then first last
    today already again together because however though although named called known made said
    recently additionally moreover further""".split()
)
_NAME: Final = re.compile(r"[^\W\d_][\w'’.-]*")
_NUMBER: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")
_FOREIGN_SHARE: Final = 0.2
_TOLD_SHARE: Final = 0.7
"""A sentence stands in the place of its points: what it left out would be missing."""
_STEM: Final = 4


def supported(sentence: str, points: Sequence[str], about: Iterable[str] = ()) -> str | None:
    """Why a sentence cannot be trusted; None if it can. `about` it may use as well: names,
    and what stands beside the points."""
    if not points:
        return "it names nothing that it could come from"
    source = " ".join((*points, *about))
    if missing := set(_NUMBER.findall(sentence)) - set(_NUMBER.findall(source)):
        return f"it has a number that they have not: {min(missing)}"
    if negations(sentence) != negations(" ".join(points)):
        return "it turns them round"
    if reason := _names_differ(sentence, source, points):
        return reason
    own, theirs = _telling(sentence), set(_telling(source))
    if not own:
        return "it says nothing"
    added = [word for word in own if word not in _TIES and not _within(word, theirs)]
    if len(added) > _FOREIGN_SHARE * len(own):
        return f"it has words that they have not: {', '.join(added[:5])}"
    names = set(_telling(" ".join(about)))
    if any(_told(point, own, names) < _TOLD_SHARE for point in points):
        return "it leaves out much of one of them"
    return None


def _told(point: str, own: Sequence[str], names: set[str]) -> float:
    """How much of a point a sentence tells; whom it is about is told by the page."""
    telling = [word for word in _telling(point) if word not in names]
    return sum(_within(word, set(own)) for word in telling) / len(telling) if telling else 1.0


def negations(text: str) -> int:
    """How many words of a text turn it round."""
    found = [word for word in re.findall(r"[^\W\d_]+", fold(text)) if word in _NEGATIONS]
    return len(found) + len(_NEGATING_SIGNS.findall(text))


def _names_differ(sentence: str, source: str, points: Sequence[str]) -> str | None:
    """A name is what is written large within a sentence; who does what to whom is their order."""
    names = [name for name in _names(sentence) if name not in _TIES and name not in STOP_WORDS]
    known = {_bare(part) for part in _NAME.findall(source)}
    for place, name in enumerate(names):
        first = place == 0 and fold(sentence).startswith(name)  # large, whatever it is
        if not (_within(name, known) if first else name in known):
            return f"it has a name that they have not: {name}"
    for point in points:
        theirs = [name for name in _names(point) if name in names]
        own = [name for name in names if name in theirs]
        if len(points) == 1 and list(dict.fromkeys(own)) != list(dict.fromkeys(theirs)):
            return "it has their names in another order"
    return None


def _names(text: str) -> list[str]:
    return [_bare(part) for part in _NAME.findall(text) if part[:1].isupper()]


def _bare(name: str) -> str:
    return fold(name).rstrip(".-'’").removesuffix("'s").removesuffix("’s")


def _telling(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS]


def _within(word: str, theirs: set[str]) -> bool:
    """Whether they have the word, or one that differs only in its ending."""
    return word in theirs or any(_same_stem(word, other) for other in theirs)


def _same_stem(word: str, other: str) -> bool:
    if has_grams(word):
        return False
    stem = max(_STEM, min(len(word), len(other)) - 2)
    return len(word) >= _STEM and len(other) >= _STEM and word[:stem] == other[:stem]
