"""Do the words of a lesson stand where it says they do? What does not is dropped, and counted.

Differences of case, white space and the shape of quotation marks are no differences of words. The
lesson then has the spelling of the place, never that of whoever reported it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from remem.core.lesson import Learned, Lesson, Said

NOT_THERE: Final = "its words do not stand where it says"
_QUOTES: Final = {
    "'": "['’‘]",
    "’": "['’‘]",
    "‘": "['’‘]",
    '"': '["“”„]',
    "“": '["“”„]',
    "”": '["“”„]',
}
_LONGEST: Final = 4_000


def spelled_in(text: str, words: str) -> str | None:
    """The words as the text has them; None if it does not."""
    pieces = words.split()
    if not pieces or len(words) > _LONGEST:
        return None
    if words in text:
        return words
    pattern = r"\s+".join("".join(_QUOTES.get(each, re.escape(each)) for each in p) for p in pieces)
    found = re.search(pattern, text, re.IGNORECASE)
    return found[0] if found else None


def grounded(learned: Learned, said: Sequence[Said]) -> Learned:
    """What was learned, as far as its words were said at its place."""
    passed = Counter(learned.passed)
    texts = {(turn.source, turn.position): turn.text for turn in said}

    def there(lessons: Sequence[Lesson]) -> tuple[Lesson, ...]:
        found = [(each, _spelling(each, texts)) for each in lessons]
        passed[NOT_THERE] += sum(spelling is None for _, spelling in found)
        return tuple(replace(each, text=text) for each, text in found if text is not None)

    lessons, hints = there(learned.lessons), there(learned.hints)
    return replace(learned, lessons=lessons, hints=hints, passed=dict(+passed))


def _spelling(lesson: Lesson, texts: dict[tuple[str, int], str]) -> str | None:
    if lesson.origin is None or lesson.origin.position is None:
        return None
    text = texts.get((lesson.origin.source, lesson.origin.position))
    return spelled_in(text, lesson.text) if text is not None else None
