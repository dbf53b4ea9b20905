"""Is this memory known already? Lexical, exact, and without losing a word.

Equal after folding means the same memory; a text that holds every sentence of another
extends it; a text that shares most words with another is a neighbour worth a link.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from math import ceil, floor
from typing import Final, Literal, NamedTuple

from remem.text.words import fold, words, words_of

Relation = Literal["same", "extends", "similar", "different"]
SIMILAR: Final = 0.8

_ROUNDING: Final = 1e-6
_WORDS_PER_DIFFERENCE: Final = round((1 + SIMILAR) / (1 - SIMILAR))
_SENTENCE_END: Final = re.compile(r"[.!?。！？\n](?:(?<=[。！？\n])|(?=\s))")
_ENDS: Final = ".!?。！？\n"
_WORDS_KEPT: Final = 1 << 16


class Fingerprint(NamedTuple):
    """What a store needs to look up the entries that could be like a text.

    `same` is equal for texts that fold alike. `longest` is the longest sentence: whoever
    extends a text contains it, and few others do. `sentences` are all of them. `parts` are
    its words, cut into more parts than similar texts can differ in: of two texts with a
    Jaccard index of at least `SIMILAR`, one's `sought` holds a part of the other. `size` and
    `sketch`, a bit for each word, tell most of those apart that share no more than that.
    """

    same: int
    longest: int
    sentences: tuple[int, ...]
    parts: tuple[int, ...]
    sought: tuple[int, ...]
    size: int
    sketch: int

    def may_be_similar(self, size: int, sketch: int) -> bool:
        """False only for a text that is not: each bit in which the sketches differ is a word
        that one text has and the other has not, and similar texts have few of those."""
        return bool(self.perhaps_similar([(0, size, sketch)]))

    def perhaps_similar(self, others: Iterable[tuple[int, int, int]]) -> list[int]:
        """The rows of those among others, each with its size and sketch, that may be similar:
        hundreds are asked about for each new text."""
        size, sketch = self.size, self.sketch
        return [
            row
            for row, other_size, other_sketch in others
            if _WORDS_PER_DIFFERENCE * (sketch ^ other_sketch).bit_count() <= size + other_size
        ]


def fingerprint(text: str) -> Fingerprint:
    folded = fold(text)  # once: it takes as long as all the hashing
    said = {part: text_number(part) for part in sentences(text)}
    numbers = list(map(word_number, set(words_of(folded))))
    own, sought = size_class(len(numbers)), list[int]()
    parts: list[int] = []
    for most in sizes_sought(len(numbers)):
        found = _parts(numbers, most)
        sought += found
        if most == own:
            parts = found
    return Fingerprint(
        text_number(folded),
        longest_of(said),
        tuple(said.values()),
        tuple(parts),
        tuple(sought),
        len(numbers),
        _sketch(numbers),
    )


def folded_number(text: str) -> int:
    """Equal for texts that fold alike."""
    return text_number(fold(text))


def relation(new: str, old: str) -> Relation:
    """How a new text stands to one that is known."""
    if fold(new) == fold(old):
        return "same"
    old_sentences = sentences(old)
    if old_sentences and set(old_sentences) <= set(sentences(new)):
        return "extends"
    return "similar" if jaccard(new, old) >= SIMILAR else "different"


def jaccard(a: str, b: str) -> float:
    return overlap(set(words(a)), set(words(b)))


def overlap(left: Set[str], right: Set[str]) -> float:
    """The share of all words that both have."""
    both = len(left & right)
    return both / (len(left) + len(right) - both) if both else 0.0


def sentences(text: str) -> list[str]:
    if not any(map(text.__contains__, _ENDS)):  # much quicker than an expression
        return [part] if (part := text.strip()) else []
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    pieces = [text[start:end] for start, end in pairwise([0, *ends, len(text)])]
    return [part for piece in pieces if (part := piece.strip())]


def longest_of(said: Mapping[str, int]) -> int:
    """The number of the longest sentence."""
    if not said:
        return text_number("")
    return said[max(said, key=lambda part: (len(part), part))]


def _parts(numbers: Iterable[int], most: int) -> list[int]:
    """The words of a text in parts, a number for each part.

    A text of at most so many words and one that is similar to it differ in a quarter of that
    many words at most. So there is one part more than that, and one in which they are equal.
    """
    count = most // 4 + 1
    parts = list(range(most << 20, (most << 20) + count))  # so that an empty part has a number
    for number in numbers:
        parts[number % count] ^= number
    return parts


@lru_cache(maxsize=1024)
def sizes_sought(size: int) -> tuple[int, ...]:
    """The classes of size in which there may be a text that is similar to one of this size."""
    if not size:
        return ()
    least = ceil(size * SIMILAR - _ROUNDING)
    largest = floor(size / SIMILAR + _ROUNDING)
    return _SIZES[bisect_left(_SIZES, least) : bisect_left(_SIZES, largest) + 1]


@lru_cache(maxsize=1024)
def size_class(size: int) -> int:
    return _SIZES[bisect_left(_SIZES, size)]


def _growing(last: int) -> tuple[int, ...]:
    """Each a quarter more than the one before: texts of one class have about as many parts."""
    sizes = [1]
    while sizes[-1] < last:
        sizes.append(max(sizes[-1] + 1, sizes[-1] * 5 // 4))
    return tuple(sizes)


_SIZES: Final = _growing(1 << 40)


def _sketch(numbers: Iterable[int]) -> int:
    """Sixty-three bits, so that the number fits a column."""
    bits = 0
    for number in numbers:
        bits |= 1 << number % 63
    return bits


class _WordNumbers(dict[str, int]):
    """The same words come again and again."""

    def __missing__(self, word: str) -> int:
        """Never negative, so that numbers can be mixed."""
        if len(self) >= _WORDS_KEPT:
            self.clear()
        number = self[word] = text_number(word) & ((1 << 63) - 1)
        return number


word_number: Final = _WordNumbers().__getitem__


def text_number(text: str) -> int:
    """A 64-bit signed hash: equal on every machine, so that it can be stored."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
