"""The rules of full-text search that all stores share: stems, weights, BM25 and typos.

Words are stemmed by the tokenizer of SQLite's full text. PostgreSQL and the store in memory use it
too, so that all stores find the same entries.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import log
from typing import Final

import apsw

from remem.model.entry import Entry
from remem.text.words import is_gram, search_text

TOKENIZER: Final = "porter unicode61 remove_diacritics 2"
Phrase = tuple[str, ...]
"""The stems of a term of one or more words."""

COLUMN_WEIGHTS: Final = (1.0, 0.6, 0.8)
"""What a word counts in the content, the context and the tags of an entry."""
BM25_K1: Final = 1.2
BM25_B: Final = 0.75
_MIN_IDF: Final = 1e-6

_TYPO_LENGTHS: Final = range(4, 41)
"""Words of these lengths can be recognised as misspelled."""
_local: Final = threading.local()  # a connection belongs to one thread


def stems(text: str) -> Phrase:
    """Return the stems of the words of a text, in their order."""
    tokens = _tokenizer()(
        text.encode(),
        apsw.FTS5_TOKENIZE_DOCUMENT,
        None,
        include_offsets=False,
        include_colocated=False,
    )
    return tuple(map(str, tokens))


@lru_cache(maxsize=10_000)
def stems_of_term(term: str) -> Phrase:
    """Return the stems of the words of a search term."""
    return stems(term.replace("\0", " "))


def stems_by_column(entry: Entry) -> tuple[Phrase, ...]:
    """Return the stems of an entry's content, context and tags."""
    return tuple(map(_indexed_stems, (entry.content, entry.context or "", " ".join(entry.tags))))


@lru_cache(maxsize=10_000)
def _indexed_stems(text: str) -> Phrase:
    return stems(search_text(text)) if text else ()


def inverse_frequency(entries: int, with_term: int) -> float:
    """Return the weight that BM25 gives to a term.

    It depends on the number of entries, and on the number of those that contain the term.
    """
    return max(_MIN_IDF, log((entries - with_term + 0.5) / (with_term + 0.5)))


def can_be_misspelled(term: str) -> bool:
    """Return whether corrections of a term are looked up.

    Numbers, n-grams, and words that are too short or too long are not corrected.
    """
    folded = term.casefold()
    return len(folded) in _TYPO_LENGTHS and folded.isalpha() and not is_gram(term)


@lru_cache(maxsize=64)  # a question looks up the same words among entries and passages
def corrections(term: str) -> Mapping[str, str]:
    """Return the words one typo away from a term, more likely ones first, and the stem of each.

    Return nothing if the tokenizer does not know one of the letters.
    """
    from remem.text.typos import single_typos  # lazy: most words are spelled correctly

    words = single_typos(term.casefold())
    word_stems = stems(" ".join(words))
    if len(word_stems) != len(words):
        return {}
    return dict(zip(words, word_stems, strict=True))


def _tokenizer() -> Callable[..., list[str]]:
    tokenizer: Callable[..., list[str]] | None = getattr(_local, "tokenizer", None)
    if tokenizer is None:
        name, *options = TOKENIZER.split()
        _local.connection = apsw.Connection(":memory:")
        tokenizer = _local.tokenizer = _local.connection.fts5_tokenizer(name, options)
    return tokenizer
