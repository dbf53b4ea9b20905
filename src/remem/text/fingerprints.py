"""Compute the words and fingerprints of many texts at once.

One call for all letters is far faster than thousands of calls for a few letters each, so ASCII
texts are folded and split as one long text; any other text is folded by itself. Fingerprints are
computed with arrays and equal those of `fingerprint_of`, which is faster for a few texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final

from remem.text.similarity import (
    Fingerprint,
    fingerprint_of,
    longest_sentence_hash,
    matching_size_classes,
    sentences,
    size_class,
    text_hash,
    word_hash,
)
from remem.text.words import fold, words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Int64Array = NDArray[np.int64]

_SEPARATOR: Final = "\0"
_MIN_TEXTS: Final = 100
"""For fewer texts, importing numpy is not worth it."""
_SPACES: Final = bytes(32 if chr(code).isspace() else code for code in range(128)) + bytes(128)
_WORD_BYTES: Final = bytes(
    code if chr(code).isalnum() or not code else 32 for code in range(128)
) + bytes(128)


def folded_words(texts: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return each text folded, and its words, as `fold` and `words` do."""
    plain = [text for text in texts if text.isascii()]
    joined = _SEPARATOR.join(plain)
    if joined.count(_SEPARATOR) != len(plain) - 1:  # in a text too, or no plain text at all
        folded = list(map(fold, texts))
        return folded, list(map(words_of, folded))
    joined_folded = _folded(joined)
    if len(plain) == len(texts):
        return joined_folded.split(_SEPARATOR), _words(joined_folded)
    texts_folded, texts_words = iter(joined_folded.split(_SEPARATOR)), iter(_words(joined_folded))
    folded = [next(texts_folded) if text.isascii() else fold(text) for text in texts]
    return folded, [
        next(texts_words) if text.isascii() else words_of(folded_text)
        for text, folded_text in zip(texts, folded, strict=True)
    ]


def _folded(joined: str) -> str:
    """Convert to lower case, with single spaces, and none at the ends of a text."""
    data = joined.lower().encode().translate(_SPACES)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \0", b"\0").replace(b"\0 ", b"\0").strip(b" ").decode()


def _words(folded: str) -> list[list[str]]:
    pieces = folded.encode().translate(_WORD_BYTES).decode().split(_SEPARATOR)
    return list(map(str.split, pieces))


def fingerprints(texts: Sequence[str]) -> list[Fingerprint]:
    """Return the fingerprint of each text."""
    if len(texts) < _MIN_TEXTS:
        return list(map(fingerprint_of, texts))
    folded, words = folded_words(texts)
    distinct = list(map(set, words))
    sizes = list(map(len, distinct))
    sought, ends, sketches = _parts_and_sketches(
        list(map(word_hash, chain.from_iterable(distinct))),
        sizes,
    )
    results, start = list[Fingerprint](), 0
    for text, same, size, sketch, end in zip(texts, folded, sizes, sketches, ends, strict=True):
        parts_sought = tuple(sought[start:end])
        results.append(
            Fingerprint(
                *_text_hashes(text, same),
                parts_sought[_own_parts(size)],
                parts_sought,
                size,
                sketch,
            )
        )
        start = end
    return results


def _text_hashes(text: str, folded: str) -> tuple[int, int, tuple[int, ...]]:
    """Return the hashes of a text, of its longest sentence, and of all its sentences."""
    same, text_sentences = text_hash(folded), sentences(text)
    if len(text_sentences) == 1:
        sentence_hash = same if text_sentences[0] == folded else text_hash(text_sentences[0])
        return same, sentence_hash, (sentence_hash,)
    sentence_hashes = {sentence: text_hash(sentence) for sentence in text_sentences}
    return same, longest_sentence_hash(sentence_hashes), tuple(sentence_hashes.values())


@lru_cache(maxsize=1024)
def _own_parts(size: int) -> slice:
    """Return where a text's own parts are among the parts that it searches for."""
    start = 0
    for class_size in matching_size_classes(size):
        end = start + _part_count(class_size)
        if class_size == size_class(size):
            return slice(start, end)
        start = end
    return slice(0)


def _part_count(class_size: int) -> int:
    return class_size // 4 + 1


def _parts_and_sketches(
    numbers: list[int], sizes: list[int]
) -> tuple[list[int], list[int], list[int]]:
    """Return the parts that all texts search for, where those of each text end, and the sketches.

    `sizes` is the number of word hashes in `numbers` that belong to each text.
    """
    import numpy as np

    word, size = np.array(numbers, np.int64), np.array(sizes, np.int64)
    owner = np.repeat(np.arange(len(sizes)), size)
    counts, firsts = _classes(sizes)
    ends = counts[:, size].sum(axis=0).cumsum()
    parts = np.zeros(ends[-1], np.int64)
    starts = np.concatenate([[0], ends[:-1]])
    for count, first in zip(counts[:, size], firsts[:, size], strict=True):
        places = np.repeat(starts, count)
        within = np.arange(len(places)) - np.repeat(count.cumsum() - count, count)
        parts[places + within] = np.repeat(first, count) + within
        cut = count[owner]
        used = cut > 0
        hashes = word[used]
        np.bitwise_xor.at(parts, starts[owner[used]] + hashes % cut[used], hashes)
        starts = starts + count
    sketch = np.zeros(len(sizes), np.int64)
    np.bitwise_or.at(sketch, owner, np.int64(1) << word % 63)
    return parts.tolist(), ends.tolist(), sketch.tolist()


def _classes(sizes: list[int]) -> tuple[Int64Array, Int64Array]:
    """Return, by size, the part counts and the hashes of the first empty part.

    There is a row for each size class in which a text of that size searches.
    """
    import numpy as np

    sought = {size: matching_size_classes(size) for size in set(sizes)}
    shape = (max(map(len, sought.values())), max(sought) + 1)
    counts, firsts = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for size, classes in sought.items():
        for rank, class_size in enumerate(classes):
            counts[rank, size] = _part_count(class_size)
            firsts[rank, size] = class_size << 20
    return counts, firsts
