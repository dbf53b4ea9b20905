"""Do the words of a lesson stand where it says they do? What does not is dropped, and counted.

Differences of case, white space and the shape of quotation marks are no differences of words. The
lesson then has the spelling of the place, never that of whoever reported it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from remem.core.lesson import Learned, Lesson, Said

NOT_THERE: Final = "its words do not stand where it says"
_ALIKE: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"'})
_LONGEST: Final = 4_000
_LOOKED_AT: Final = 20_000
"""So much of a turn is looked through for words in another spelling; nobody quotes pages."""


def spelled_in(text: str, words: str) -> str | None:
    """The words as the text has them; None if it does not."""
    if not words.strip() or len(words) > _LONGEST:
        return None
    if words in text:
        return words
    folded, places = _folded(text[:_LOOKED_AT])
    sought, _ = _folded(words.strip())
    at = folded.find(sought)
    return None if at < 0 else text[places[at] : places[at + len(sought) - 1] + 1]


def _folded(text: str) -> tuple[str, list[int]]:
    """The text without differences that are none, and where each of its characters stood."""
    kept: list[str] = []
    places: list[int] = []
    for at, each in enumerate(text.translate(_ALIKE)):
        if each.isspace():
            if kept and kept[-1] != " ":
                kept.append(" ")
                places.append(at)
            continue
        lower = each.lower()
        kept.append(lower if len(lower) == 1 else each)
        places.append(at)
    return "".join(kept), places


def grounded(learned: Learned, said: Sequence[Said]) -> Learned:
    """What was learned, as far as its words were said at its place."""
    passed = Counter(learned.passed)
    texts = {(turn.source, turn.position): turn.text for turn in said}

    def there(lessons: Sequence[Lesson]) -> tuple[Lesson, ...]:
        found = [(each, _spelling(each, texts)) for each in lessons]
        passed[NOT_THERE] += sum(spelling is None for _, spelling in found)
        return tuple(replace(each, text=text) for each, text in found if text is not None)

    lessons, hints = there(learned.lessons), there(learned.hints)
    plain = tuple(each for each in learned.plain if _spelling(each, texts) == each.text)
    return replace(learned, lessons=lessons, hints=hints, plain=plain, passed=dict(+passed))


def _spelling(lesson: Lesson, texts: dict[tuple[str, int], str]) -> str | None:
    if lesson.origin is None or lesson.origin.position is None:
        return None
    text = texts.get((lesson.origin.source, lesson.origin.position))
    return spelled_in(text, lesson.text) if text is not None else None
