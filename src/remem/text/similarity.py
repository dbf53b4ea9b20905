"""Lexical similarity of texts: the same, an extension, or similar.

Texts that are equal after folding are the same; a text that has every sentence of another extends
it; a text that shares most words with another is similar.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from math import ceil, floor
from typing import Final, Literal, NamedTuple

from remem.text.words import fold, words, words_of

Relation = Literal["same", "extends", "similar", "different"]
SIMILAR: Final = 0.8
"""The least Jaccard index of the words of two similar texts."""

_ROUNDING: Final = 1e-6
_WORDS_PER_DIFFERENCE: Final = round((1 + SIMILAR) / (1 - SIMILAR))
"""How many words two similar texts have together, at least, for each word that only one has."""
_SENTENCE_END: Final = re.compile(r"[.!?。！？\n](?:(?<=[。！？\n])|(?=\s))")
_ENDS: Final = ".!?。！？\n"


class Fingerprint(NamedTuple):
    """Hashes with which a store looks up the entries that could be similar to a text.

    `same` is the hash of the folded text. `longest` is the hash of the longest sentence, which a
    text that extends this one contains, as few other texts do. `sentences` are the hashes of all
    sentences. `parts` are hashes of the words, divided into more parts than similar texts can
    differ in: if two texts are similar, the `lookup_parts` of one contain a part of the other.
    `size`, the number of words, and `sketch`, one bit for each, rule out most texts that only have
    a part in common.
    """

    same: int
    longest: int
    sentences: tuple[int, ...]
    parts: tuple[int, ...]
    lookup_parts: tuple[int, ...]
    size: int
    sketch: int

    def may_be_similar(self, size: int, sketch: int) -> bool:
        """Return whether a text may be similar; if False, it certainly is not.

        Each bit in which the sketches differ is a word that only one of the texts has, and
        similar texts have few of those.
        """
        differences = (self.sketch ^ sketch).bit_count()
        return _WORDS_PER_DIFFERENCE * differences <= self.size + size


def fingerprint_of(text: str) -> Fingerprint:
    """Return the fingerprint of a text."""
    folded = fold(text)  # only once, because this takes as long as all the hashing
    sentence_hashes = {part: text_hash(part) for part in sentences(text)}
    longest = max(sentence_hashes, key=lambda part: (len(part), part), default=None)
    hashes = list(map(_word_hash, set(words_of(folded))))
    own_class, lookup_parts = _size_class(len(hashes)), list[int]()
    parts: list[int] = []
    for class_size in _matching_size_classes(len(hashes)):
        parts_of_class = _parts(hashes, class_size)
        lookup_parts += parts_of_class
        if class_size == own_class:
            parts = parts_of_class
    return Fingerprint(
        text_hash(folded),
        sentence_hashes[longest] if longest else text_hash(""),
        tuple(sentence_hashes.values()),
        tuple(parts),
        tuple(lookup_parts),
        len(hashes),
        _sketch(hashes),
    )


def folded_hash(text: str) -> int:
    """Return a hash that is equal for texts that are equal after folding."""
    return text_hash(fold(text))


def relation(new: str, old: str) -> Relation:
    """Return how a new text is related to an old one: it may extend it, but not the reverse."""
    if fold(new) == fold(old):
        return "same"
    old_sentences = sentences(old)
    if old_sentences and set(old_sentences) <= set(sentences(new)):
        return "extends"
    return "similar" if jaccard(new, old) >= SIMILAR else "different"


def jaccard(a: str, b: str) -> float:
    """Return the Jaccard index of the words of two texts."""
    return overlap(set(words(a)), set(words(b)))


def overlap(left: Set[str], right: Set[str]) -> float:
    """Return the Jaccard index of two sets of words: the share of all words that both have."""
    common = len(left & right)
    return common / (len(left) + len(right) - common) if common else 0.0


def group_similar(
    word_sets: Sequence[Set[str]], min_overlap: float, same: Callable[[int, int], bool]
) -> list[list[int]]:
    """Group similar texts, given by their words; return the positions of the texts in each group.

    A text joins the group whose first text is most similar to it, if the two have enough words in
    common and `same`, called with their positions, returns True. Otherwise it begins a new group.
    Only groups that have one of the text's rarest words are compared, because similar texts always
    have one in common.
    """
    frequencies = Counter(word for word_set in word_sets for word in word_set)
    groups: dict[int, list[int]] = {}
    by_word: dict[str, list[int]] = defaultdict(list)
    for at, own in enumerate(word_sets):
        order = sorted(own, key=lambda word: (frequencies[word], word))
        rarest = order[: len(order) - ceil(min_overlap * len(order) - _ROUNDING) + 1]
        scores = {
            first: overlap(own, word_sets[first]) for word in rarest for first in by_word[word]
        }
        nearest = sorted(scores, key=lambda first: (-scores[first], first))
        similar = (first for first in nearest if scores[first] >= min_overlap and same(first, at))
        leader = next(similar, at)
        groups.setdefault(leader, []).append(at)
        if leader == at:
            for word in rarest:
                by_word[word].append(at)
    return list(groups.values())


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text, without white space around them."""
    if not any(map(text.__contains__, _ENDS)):  # much faster than a regular expression
        return [part] if (part := text.strip()) else []
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    pieces = [text[start:end] for start, end in pairwise([0, *ends, len(text)])]
    return [part for piece in pieces if (part := piece.strip())]


def _parts(hashes: Iterable[int], class_size: int) -> list[int]:
    """Divide the words of a text into parts, and return a hash of each part.

    A text of at most `class_size` words differs from a similar one in at most a quarter of that
    many words. With one more part than that, at least one part is equal.
    """
    count = class_size // 4 + 1
    first = class_size << 20
    parts = list(range(first, first + count))  # an empty part has a hash too
    for hash_ in hashes:
        parts[hash_ % count] ^= hash_
    return parts


@lru_cache(maxsize=1024)
def _matching_size_classes(size: int) -> tuple[int, ...]:
    """Return the size classes in which a text can be similar to one of this size."""
    if not size:
        return ()
    least = ceil(size * SIMILAR - _ROUNDING)
    largest = floor(size / SIMILAR + _ROUNDING)
    return _SIZE_CLASSES[
        bisect_left(_SIZE_CLASSES, least) : bisect_left(_SIZE_CLASSES, largest) + 1
    ]


@lru_cache(maxsize=1024)
def _size_class(size: int) -> int:
    return _SIZE_CLASSES[bisect_left(_SIZE_CLASSES, size)]


def _size_classes(last: int) -> tuple[int, ...]:
    """Return class sizes that grow by a quarter, so that texts of a class have similar sizes."""
    sizes = [1]
    while sizes[-1] < last:
        sizes.append(max(sizes[-1] + 1, sizes[-1] * 5 // 4))
    return tuple(sizes)


_SIZE_CLASSES: Final = _size_classes(1 << 40)


def _sketch(hashes: Iterable[int]) -> int:
    """Return one bit per word, in 63 bits, so that the number fits into a column."""
    bits = 0
    for hash_ in hashes:
        bits |= 1 << hash_ % 63
    return bits


@lru_cache(maxsize=1 << 16)
def _word_hash(word: str) -> int:
    """Hash a word; never negative, so that hashes can be combined."""
    return text_hash(word) & ((1 << 63) - 1)


def text_hash(text: str) -> int:
    """Return a signed 64-bit hash that is equal on every machine, so that it can be stored."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
