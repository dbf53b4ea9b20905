"""Read the speakers of a text from the beginnings of its lines: `Mara: …`, `- **User:** …`.

An entry records its speaker and role. A file has no such record, so if it contains a conversation,
they are read from its lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from remem.model.entry import ASSISTANT
from remem.text.words import fold

_SPEAKER: Final = re.compile(
    r"^[ \t]*(?:[-*+>•][ \t]+)?(?:\*\*|__)?([^\W\d_][\w .'’-]{0,30}?)[ \t]*"
    r"(?:\*\*|__)?[:：](?:\*\*|__)?(?=[ \t]|$)",
    re.MULTILINE,
)
_PEOPLE: Final = frozenset({"user", "human", "me"})
_ASSISTANTS: Final = frozenset({ASSISTANT, "ai", "bot", "system", "tool"})
_MIN_LINES: Final = 3
"""A name at the beginning of fewer lines may be a heading or a label."""


@lru_cache(maxsize=4_096)
def speakers_in(text: str) -> tuple[str, ...]:
    """Return the names that the lines begin with, in order."""
    return tuple(fold(name) for name in _SPEAKER.findall(text))


def named_speakers(texts: Iterable[str]) -> set[str]:
    """Return the names of people that begin several lines of these texts."""
    counts = Counter(name for text in texts if _is_talk(text) for name in speakers_in(text))
    return {
        name
        for name, lines in counts.items()
        if lines >= _MIN_LINES and name not in _PEOPLE and name not in _ASSISTANTS
    }


@lru_cache(maxsize=4_096)
def _is_talk(text: str) -> bool:
    """Return whether at least half of several lines begin with a name.

    The name at the beginning of a single line, as in a list, is what the line is about.
    """
    lines = sum(1 for line in text.split("\n") if line.strip())
    return lines > 1 and 2 * len(speakers_in(text)) >= lines


def share_by_people(speakers: Sequence[str]) -> float:
    """Return the share of lines by people among the lines that begin with a role.

    The result is 0 if there are none.
    """
    roles = [name for name in speakers if name in _PEOPLE or name in _ASSISTANTS]
    return sum(name in _PEOPLE for name in roles) / len(roles) if roles else 0.0


def share_by_speaker(person: str | None, speakers: Sequence[str]) -> float:
    """Return the share of the lines that begin with this name."""
    return speakers.count(person) / len(speakers) if person and speakers else 0.0
