"""Who speaks in a passage? Read off the beginnings of its lines: `Mara: …`, `- **User:** …`.

A file has no roles and no speakers of its own. Where somebody wrote a conversation down, its
lines begin with names, and what is known of entries by their origin can be known here too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from remem.core.entry import ASSISTANT
from remem.core.words import fold, words

_SPEAKER: Final = re.compile(
    r"^[ \t]*(?:[-*+>•][ \t]+)?(?:\*\*|__)?([^\W\d_][\w .'’-]{0,30}?)[ \t]*"
    r"(?:\*\*|__)?[:：](?:\*\*|__)?(?=[ \t]|$)",
    re.MULTILINE,
)
_PEOPLE: Final = frozenset({"user", "human", "me"})
_MACHINES: Final = frozenset({ASSISTANT, "ai", "bot", "system", "tool"})
_OFTEN: Final = 3
"""Who begins fewer lines may be a heading or a label."""


def speakers_in(text: str) -> tuple[str, ...]:
    """The names that its lines begin with, in their order."""
    return tuple(fold(name) for name in _SPEAKER.findall(text))


def by_people(speakers: Sequence[str]) -> float:
    """The share of the lines that a person says, where an assistant speaks too; none of a
    passage that does not tell."""
    roles = [name for name in speakers if name in _PEOPLE or name in _MACHINES]
    return sum(name in _PEOPLE for name in roles) / len(roles) if roles else 0.0


def by(person: str | None, speakers: Sequence[str]) -> float:
    """The share of the lines that begin with this name."""
    return speakers.count(person) / len(speakers) if person and speakers else 0.0


def the_one_named(question: str, passages: Iterable[Sequence[str]]) -> str | None:
    """The only one of those who speak that a question names."""
    counted = Counter(name for speakers in passages for name in speakers)
    asked = set(words(question))
    named = [
        name
        for name, lines in counted.items()
        if lines >= _OFTEN
        and name not in _PEOPLE
        and name not in _MACHINES
        and asked & set(words(name))
    ]
    return named[0] if len(named) == 1 else None
