"""Which of many texts may hold a secret? All are searched at once, as one long text.

Every secret has a sign that a plain search finds: a long word, a word for a password or a key, a
mark of an address. A search through thousands of texts joined together takes a fraction of as
many searches. Who has a sign is looked through by itself; who has none holds no secret.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, TypeVar

from remem.core.secret_fields import PLACE_SIGNS, lowered
from remem.core.secret_patterns import LONG_WORD, long_words
from remem.core.secret_said import CODE_WORDS, has_digit
from remem.core.secret_words import ALONE

Text = TypeVar("Text", str, bytes)

_JOINT: Final = "\0"  # stands in no sign, ends every word, and changes no letter beside it
_STEMS: Final = ("pass", "key")  # few words that they stand in are no sign


def suspects(texts: Sequence[str]) -> list[int]:
    """The numbers of all texts that may hold a secret, in order, and of some that hold none."""
    joined = _JOINT.join(texts)
    starts = _starts(map(len, texts))
    folded, plain = lowered(joined), joined.isascii()
    found = set(_with_long_word(joined, starts if plain else _starts(map(_bytes_of, texts))))
    for sign in _ASCII_SIGNS if plain else _SIGNS:
        found.update(_holders(sign, folded, starts))
    coded = {number for word in CODE_WORDS for number in _holders(word, folded, starts)}
    found.update(number for number in coded - found if has_digit(texts[number]))
    return sorted(found)


def _with_long_word(joined: str, starts: Sequence[int]) -> Iterator[int]:
    return _holders(LONG_WORD, long_words(joined), starts)


def _holders(sign: Text, joined: Text, starts: Sequence[int]) -> Iterator[int]:
    """The numbers of the texts in which it stands; each begins at its start."""
    at = joined.find(sign)
    while at >= 0:
        number = bisect_right(starts, at) - 1
        yield number
        at = joined.find(sign, starts[number + 1])


def _starts(lengths: Iterable[int]) -> list[int]:
    """Where each text begins in the joined one, and where a further one would."""
    return list(accumulate((length + len(_JOINT) for length in lengths), initial=0))


def _bytes_of(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _shortest(signs: Iterable[str]) -> tuple[str, ...]:
    """Those that hold no other one: where that one is missing, they are too."""
    chosen: list[str] = []
    for sign in sorted(signs, key=len):
        if not any(each in sign for each in chosen):
            chosen.append(sign)
    return tuple(chosen)


_SIGNS: Final = _shortest((*_STEMS, *ALONE, *PLACE_SIGNS))
_ASCII_SIGNS: Final = tuple(filter(str.isascii, _SIGNS))
