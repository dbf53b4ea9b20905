"""Which words do many texts hold? Plain ones are folded and cut as one long text.

Thousands of calls for a few letters each cost far more than one for all the letters. A text beyond
ASCII, where folding is more than lower case, is folded by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from remem.core.words import fold, words_of

_JOINT: Final = "\0"
_SPACES: Final = bytes(32 if chr(sign).isspace() else sign for sign in range(128)) + bytes(128)
_ONLY_WORDS: Final = bytes(
    sign if chr(sign).isalnum() or not sign else 32 for sign in range(128)
) + bytes(128)


def folded_words(texts: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Each text folded, and the words of each: as `fold` and `words` would have it."""
    plain = [text for text in texts if text.isascii()]
    joined = _JOINT.join(plain)
    if joined.count(_JOINT) != len(plain) - 1:  # one that holds a joint itself, or none at all
        folded = list(map(fold, texts))
        return folded, list(map(words_of, folded))
    together = _folded(joined)
    if len(plain) == len(texts):
        return together.split(_JOINT), _words(together)
    texts_folded, texts_words = iter(together.split(_JOINT)), iter(_words(together))
    folded = [next(texts_folded) if text.isascii() else fold(text) for text in texts]
    return folded, [
        next(texts_words) if text.isascii() else words_of(each)
        for text, each in zip(texts, folded, strict=True)
    ]


def _folded(joined: str) -> str:
    """In lower case, and one space wherever there are some, none at the ends of a text."""
    said = joined.lower().encode().translate(_SPACES)
    while b"  " in said:
        said = said.replace(b"  ", b" ")
    return said.replace(b" \0", b"\0").replace(b"\0 ", b"\0").strip(b" ").decode()


def _words(folded: str) -> list[list[str]]:
    pieces = folded.encode().translate(_ONLY_WORDS).decode().split(_JOINT)
    return list(map(str.split, pieces))
