"""An embedder for tests: hashed words and their trigrams, the same on every machine.

Texts that share words, or parts of words, are near. It refuses to work inside a transaction of a
store: a model is slow, and everyone else would wait for the lock.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from remem.ports.models import Embedding, Floats, ModelIdentity, QueryEmbedding
from remem.store.sqlite.connection import inside_transaction
from remem.text.language import FULL_SUPPORT

IDENTITY: Final = ModelIdentity("deterministic", 64, "words+trigrams-128x1bit")
_AXES: Final = 128
_MAX_CHARACTERS: Final = 25_000  # of a text
_MAX_WORDS: Final = 254  # as many as the local model keeps tokens
_WORD: Final = re.compile(r"\w{1,40}")


class Deterministic:
    """An embedder for tests of everything except meaning."""

    @property
    def identity(self) -> ModelIdentity:
        return IDENTITY

    def language_support(self, text: str) -> int:
        return FULL_SUPPORT

    def knows(self, word: str) -> bool:
        return False

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        _refuse_inside_transaction()
        texts_words = [_words(text) for text in texts]
        return [
            Embedding(_pooled(words), np.packbits(_rows(words) >= 0, axis=1))
            for words in texts_words
        ]

    def embed_quickly(self, texts: Sequence[str]) -> None:
        """There are no quick vectors."""

    def embed_query(self, text: str) -> QueryEmbedding:
        _refuse_inside_transaction()
        words = _words(text)
        return QueryEmbedding(_pooled(words), _rows(words), np.ones(len(words), np.float32))

    def close(self) -> None:
        """Nothing is open."""


def _refuse_inside_transaction() -> None:
    if inside_transaction():
        raise RuntimeError("an embedder was called inside a transaction of a store")


def _words(text: str) -> list[str]:
    return _WORD.findall(text[:_MAX_CHARACTERS].casefold())[:_MAX_WORDS]


def _rows(words: Sequence[str]) -> Floats:
    return np.array([_vector(word) for word in words], np.float32).reshape(-1, _AXES)


def _pooled(words: Sequence[str]) -> Floats:
    """Sum the words' vectors by length; a text without words is like an empty one."""
    lengths = np.array([len(word) for word in words or [" "]], np.float32)
    total = (lengths @ _rows(words or [""]))[: IDENTITY.dimension]
    unit: Floats = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


@lru_cache(maxsize=20_000)
def _vector(word: str) -> Floats:
    """Sum the word's own signs twice and those of each trigram once, as a unit vector."""
    marked = f"^{word}$"
    grams = [marked, marked, *(marked[i : i + 3] for i in range(len(marked) - 2))]
    total = np.sum([_signs(gram) for gram in grams], axis=0)
    unit: Floats = (total / np.linalg.norm(total)).astype(np.float32)
    unit.flags.writeable = False
    return unit


def _signs(gram: str) -> Floats:
    digest = hashlib.blake2b(gram.encode(), digest_size=_AXES // 8).digest()
    return np.unpackbits(np.frombuffer(digest, np.uint8)).astype(np.float32) * 2 - 1
