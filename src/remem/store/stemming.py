"""The stems of words, made by the tokenizer of SQLite's full text.

Stores that have no full text of their own use it too, so that all stores find the same entries.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import apsw

from remem.model.entry import Entry
from remem.text.words import search_text

TOKENIZER: Final = "porter unicode61 remove_diacritics 2"
Phrase = tuple[str, ...]
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
def phrase_of(term: str) -> Phrase:
    """Return the stems of the words of a term."""
    return stems(term.replace("\0", " "))


def columns_of(entry: Entry) -> tuple[Phrase, ...]:
    """Return the stems of the content, the context and the tags."""
    return tuple(map(_indexed, (entry.content, entry.context or "", " ".join(entry.tags))))


@lru_cache(maxsize=10_000)
def _indexed(text: str) -> Phrase:
    return stems(search_text(text)) if text else ()


def _tokenizer() -> Callable[..., list[str]]:
    tokenizer: Callable[..., list[str]] | None = getattr(_local, "tokenizer", None)
    if tokenizer is None:
        name, *options = TOKENIZER.split()
        _local.connection = apsw.Connection(":memory:")
        tokenizer = _local.tokenizer = _local.connection.fts5_tokenizer(name, options)
    return tokenizer
