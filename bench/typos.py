"""Random typos in the longer words of a question."""

from __future__ import annotations

import re
from random import Random
from typing import Final

_LONG: Final = re.compile(r"[A-Za-z]{5,}")
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def misspelt(question: str, seed: int) -> str:
    """Half of the words of five letters and more lose, gain, change or swap a letter."""
    random = Random(f"{seed}:{question}")
    return _LONG.sub(
        lambda found: _with_typo(found.group(), random) if random.random() < 0.5 else found.group(),
        question,
    )


def _with_typo(word: str, random: Random) -> str:
    place = random.randrange(1, len(word) - 1)
    before, here, after = word[:place], word[place], word[place + 1 :]
    match random.randrange(4):
        case 0:
            return before + after
        case 1:
            return before + random.choice(_LETTERS) + here + after
        case 2:
            return before + random.choice(_LETTERS) + after
        case _:
            return before + after[0] + here + after[1:]
