"""Plain BM25 as a baseline, which also shows whether the measurement itself is right.

Lower case, words without stop words, Snowball stems, single characters and pairs where a script
has no spaces; one document per turn; k1 1.2, b 0.75; the sum over the question's terms.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from math import log
from typing import Final

import numpy as np

from bench.conversations import Conversation, Question

_K1: Final = 1.2
_B: Final = 0.75
_WORD: Final = re.compile(r"[a-z0-9]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_STOP_WORDS: Final = frozenset(
    """a about above after again against all am an and any are as at be because been before
    being below between both but by can cannot could d did do does doing down during each few
    for from further had has have having he her here hers him his how i if in into is it its
    just ll m me more most my no nor not now o of off on once only or other our ours out over
    own re s same she should so some such t than that the their theirs them then there these
    they this those through to too under until up ve very was we were what when where which
    while who whom why will with would y you your yours""".split()
)


class PlainBM25:
    """An index of one conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._ids = [turn.id for turn in conversation.turns]
        texts = [Counter(terms(turn.content)) for turn in conversation.turns]
        self._lengths = np.array([text.total() for text in texts], np.float64)
        self._holders: dict[str, list[tuple[int, int]]] = {}
        for i, text in enumerate(texts):
            for term, count in text.items():
                self._holders.setdefault(term, []).append((i, count))

    def __call__(self, asked: Question, limit: int) -> list[str]:
        scores = np.zeros(len(self._ids))
        norm = _K1 * (1 - _B + _B * self._lengths / max(self._lengths.mean(), 1e-9))
        for term in dict.fromkeys(terms(asked.query)):
            holders = self._holders.get(term, [])
            if not holders:
                continue
            rarity = log(1 + (len(self._ids) - len(holders) + 0.5) / (len(holders) + 0.5))
            places = [i for i, _ in holders]
            counts = np.array([count for _, count in holders], np.float64)
            scores[places] += rarity * counts * (_K1 + 1) / (counts + norm[places])
        best = np.argsort(-scores, kind="stable")[:limit]
        return [self._ids[i] for i in best if scores[i] > 0]


def terms(text: str) -> list[str]:
    found: list[str] = []
    for piece in _WORD.findall(re.sub(r"['’]s\b", "", text.lower())):
        if piece[0].isascii():
            if piece not in _STOP_WORDS:
                found.append(_stem()(piece))
        else:
            found += [*piece, *_pairs(piece)]
    return found


def _pairs(run: Sequence[str]) -> list[str]:
    return [f"{run[i]}{run[i + 1]}" for i in range(len(run) - 1)]


@cache
def _stem() -> Callable[[str], str]:
    from Stemmer import Stemmer  # imported late: only this baseline needs it

    stemmer = Stemmer("english", 0)
    return cache(lambda word: str(stemmer.stemWord(word)))
