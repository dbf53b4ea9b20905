"""Generated memories with the word statistics of ordinary text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, product
from random import Random
from time import perf_counter
from typing import Final

import numpy as np

from bench.models import MeasuredModel
from remem.ports.models import Embedder, Embedding

_ONSETS: Final = "b br c cl d dr f g gr h j k l m n p pr qu r s st t tr v w z".split()
_VOWELS: Final = "a e i o u ai ea ou".split()
_CODAS: Final = "n r s t l m nd st ck".split()
_COMMON: Final = "the of and to in is was for on with at by we it from that".split()
COMMON: Final = "what was that with the one we had on it"
"""A question that consists of the most common words."""
VOCABULARY: Final = 20_000
_NOISES: Final = 1_009  # prime, so that a text gets different noise on every reuse


@dataclass(frozen=True)
class Workload:
    """Texts of 8 to 24 words; a word's frequency falls with its rank, as in any language."""

    seed: int = 11

    def texts(self, count: int) -> list[str]:
        return list(islice(self.stream(), count))

    def stream(self) -> Iterator[str]:
        """The same texts, without an end."""
        random = Random(self.seed)
        words = _vocabulary(random)
        weights = list(accumulate(1 / (rank + 8) for rank in range(len(words))))
        while True:
            yield " ".join(random.choices(words, cum_weights=weights, k=random.randint(8, 24)))

    def questions(self, texts: Sequence[str], count: int) -> list[str]:
        """Questions made from some words of a stored text."""
        random = Random(self.seed + 1)
        found = []
        for _ in range(count):
            content = [word for word in random.choice(texts).split() if word not in _COMMON]
            picked = random.sample(content, min(4, len(content)))
            found.append(f"what was it about {' '.join(picked)}")
        return found


def _vocabulary(random: Random) -> list[str]:
    syllables = ["".join(parts) for parts in product(_ONSETS, _VOWELS, _CODAS)]
    words = dict.fromkeys(_COMMON)
    while len(words) < VOCABULARY:
        words.setdefault("".join(random.sample(syllables, random.randint(1, 3))))
    return list(words)


class Tiled(MeasuredModel):
    """An embedder that reuses the vectors of some known texts for all others.

    Encoding 100,000 texts takes minutes and shows nothing about recall; the vectors of a few
    thousand, reused in turn, fill a store with real ones. Quick vectors are computed for every
    text. `reading_since` is the time of the first full embedding.
    """

    def __init__(self, real: Embedder, known: Sequence[Embedding]) -> None:
        super().__init__(real)
        self._known = known
        self._next = 0
        self.reading_since: float | None = None
        width = len(known[0].pooled) if known else 0
        self._noise = np.random.default_rng(7).normal(0, 0.02, (_NOISES, width)).astype(np.float32)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        if self.reading_since is None:
            self.reading_since = perf_counter()
        start = self._next
        self._next += len(texts)
        return [self._shifted(start + i) for i in range(len(texts))]

    def _shifted(self, number: int) -> Embedding:
        """A known vector with a little noise, so that no two entries are alike."""
        known = self._known[number % len(self._known)]
        pooled = known.pooled + self._noise[number % _NOISES]
        return Embedding(pooled / np.linalg.norm(pooled), known.tokens)
