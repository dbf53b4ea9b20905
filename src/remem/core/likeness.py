"""Is this memory known already? Lexical, exact, and without losing a word.

Equal after folding means the same memory; a text that holds every sentence of another
extends it; a text that shares most words with another is a neighbour worth a link.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from hashlib import blake2b
from math import ceil
from typing import Final, Literal
from zlib import crc32

from remem.core.words import fold, words

Relation = Literal["same", "extends", "similar", "different"]
SIMILAR: Final = 0.8

_ROUNDING: Final = 1e-6
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n+")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a store needs to look up the entries that could be like a text.

    `same` is equal for texts that fold alike. `longest` is the longest sentence: whoever
    extends a text contains it, and few others do. `sentences` are all of them. `rare` is a
    prefix of its words in a fixed order: two texts with a Jaccard index of at least
    `SIMILAR` share at least one of them. `size` and `sketch`, a bit for each word, tell
    most of those apart that share no more than that.
    """

    same: int
    longest: int
    sentences: tuple[int, ...]
    rare: tuple[int, ...]
    size: int
    sketch: int

    def may_be_similar(self, size: int, sketch: int) -> bool:
        """False only for a text that is not: each bit in which the sketches differ is a word
        that one text has and the other has not, and similar texts have few of those."""
        differing = (self.sketch ^ sketch).bit_count()
        return differing * (1 + SIMILAR) <= (self.size + size) * (1 - SIMILAR) + _ROUNDING


def fingerprint(text: str) -> Fingerprint:
    parts = sentences(text)
    vocabulary = set(words(text))
    # Long words are rare words, mostly; any fixed order is correct, this one is fast.
    order = sorted(sorted(vocabulary), key=len, reverse=True)
    prefix = order[: len(order) - ceil(SIMILAR * len(order)) + 1]
    return Fingerprint(
        same=wording(text),
        longest=_number(max(parts, key=lambda part: (len(part), part), default="")),
        sentences=tuple(dict.fromkeys(map(_number, parts))),
        rare=tuple(_number(word) for word in prefix),
        size=len(vocabulary),
        sketch=_sketch(vocabulary),
    )


def wording(text: str) -> int:
    """Equal for texts that fold alike."""
    return _number(fold(text))


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
    return [part for piece in _SENTENCE_END.split(text) if (part := piece.strip())]


def _sketch(vocabulary: set[str]) -> int:
    """Sixty-three bits, so that the number fits a column; checksums are quick and even."""
    bits = 0
    for word in vocabulary:
        bits |= 1 << crc32(word.encode("utf-8", "surrogatepass")) % 63
    return bits


def _number(text: str) -> int:
    """A 64-bit signed hash: equal on every machine, so that it can be stored."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
