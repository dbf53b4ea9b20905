"""Which words do many texts hold? Plain ones are folded and cut as one long text.

Thousands of calls for a few letters each cost far more than one for all the letters. A text beyond
ASCII, where folding is more than lower case, is folded by itself.

What are the fingerprints of many texts? Made together, with arrays.

They are those that `fingerprint` makes of each; of few texts it makes them sooner.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final

from remem.text.similarity import (
    Fingerprint,
    fingerprint,
    longest_of,
    sentences,
    size_class,
    sizes_sought,
    text_number,
    word_number,
)
from remem.text.words import fold, words_of

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


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

_MANY: Final = 100
"""Who stores fewer does not wait until arrays are loaded."""


def fingerprints(texts: Sequence[str]) -> list[Fingerprint]:
    """One for each text."""
    if len(texts) < _MANY:
        return list(map(fingerprint, texts))
    folded, words = folded_words(texts)
    distinct = list(map(set, words))
    sizes = list(map(len, distinct))
    sought, ends, sketches = _mixed(
        list(map(word_number, chain.from_iterable(distinct))),
        sizes,
    )
    prints, start = list[Fingerprint](), 0
    for text, same, size, sketch, end in zip(texts, folded, sizes, sketches, ends, strict=True):
        mine = tuple(sought[start:end])
        prints.append(
            Fingerprint(*_wordings(text, same), mine[_own_parts(size)], mine, size, sketch)
        )
        start = end
    return prints


def _wordings(text: str, folded: str) -> tuple[int, int, tuple[int, ...]]:
    """The number of the whole text, of its longest sentence, and of all of them."""
    same, said = text_number(folded), sentences(text)
    if len(said) == 1:
        only = same if said[0] == folded else text_number(said[0])
        return same, only, (only,)
    numbers = {sentence: text_number(sentence) for sentence in said}
    return same, longest_of(numbers), tuple(numbers.values())


@lru_cache(maxsize=1024)
def _own_parts(size: int) -> slice:
    """Where among the parts that a text of so many words looks for its own ones are."""
    start = 0
    for most in sizes_sought(size):
        end = start + _count(most)
        if most == size_class(size):
            return slice(start, end)
        start = end
    return slice(0)


def _count(most: int) -> int:
    return most // 4 + 1


def _mixed(numbers: list[int], sizes: list[int]) -> tuple[list[int], list[int], list[int]]:
    """The parts that all texts look for, one text after the other; where those of each end; and
    the sketch of each. `sizes` says how many of the words' `numbers` belong to each text."""
    import numpy as np

    word, size = np.array(numbers, np.int64), np.array(sizes, np.int64)
    owner = np.repeat(np.arange(len(sizes)), size)
    counts, firsts = _classes(sizes)
    ends = counts[:, size].sum(axis=0).cumsum()
    parts = np.zeros(ends[-1], np.int64)
    begin = np.concatenate([[0], ends[:-1]])
    for count, first in zip(counts[:, size], firsts[:, size], strict=True):
        places = np.repeat(begin, count)
        within = np.arange(len(places)) - np.repeat(count.cumsum() - count, count)
        parts[places + within] = np.repeat(first, count) + within
        cut = count[owner]
        having = cut > 0
        mine = word[having]
        np.bitwise_xor.at(parts, begin[owner[having]] + mine % cut[having], mine)
        begin = begin + count
    sketch = np.zeros(len(sizes), np.int64)
    np.bitwise_or.at(sketch, owner, np.int64(1) << word % 63)
    return parts.tolist(), ends.tolist(), sketch.tolist()


def _classes(sizes: list[int]) -> tuple[Numbers, Numbers]:
    """For each size, the classes of size that it looks into, one in each row: into how many parts
    they are cut, and the number of the first part while it is empty."""
    import numpy as np

    sought = {size: sizes_sought(size) for size in set(sizes)}
    shape = (max(map(len, sought.values())), max(sought) + 1)
    counts, firsts = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for size, classes in sought.items():
        for rank, most in enumerate(classes):
            counts[rank, size] = _count(most)
            firsts[rank, size] = most << 20
    return counts, firsts
