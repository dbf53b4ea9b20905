"""Which words of a turn are the speaker's own? Not what he pasted into it.

A host, a person or a program puts a page between a tag and its end; and whoever sends several
pages without tags has pasted them too: only their beginning counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from remem.core.lesson import Said

_LONG_TURN: Final = 2_000
_READ_OF_A_LONG_TURN: Final = 600
_LOOKED_AT: Final = 20_000
_TAG: Final = re.compile(r"<(/?)([A-Za-z][\w-]{0,60})(?:\s[^<>]{0,400})?>")


def own_words(turn: Said) -> str:
    text = turn.text
    if "</" in text:
        text = " ".join(_outside(text[:_LOOKED_AT])).strip()
    return text if len(text) <= _LONG_TURN else text[:_READ_OF_A_LONG_TURN]


def _outside(text: str) -> Iterator[str]:
    """The text without its elements; a tag that nothing closes encloses nothing."""
    at, inside, depth = 0, "", 0
    unclosed: set[str] = set()
    for tag in _TAG.finditer(text):
        closing, name = bool(tag[1]), tag[2]
        if inside:
            depth += (-1 if closing else 1) if name == inside else 0
            if depth == 0:
                at, inside = tag.end(), ""
        elif not closing and name not in unclosed:
            if text.find(f"</{name}>", tag.end()) < 0:
                unclosed.add(name)
                continue
            yield text[at : tag.start()].strip()
            inside, depth = name, 1
    if not inside:
        yield text[at:]
