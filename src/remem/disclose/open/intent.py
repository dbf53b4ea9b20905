"""Which route does a message take? Matched by words and, where a model is there, by meaning.

Among routes that fit equally well the lower tier wins. A message that fits none takes none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from remem.core.gate_file import Route
from remem.core.tiers import TIERS, tier_of
from remem.core.words import has_grams
from remem.disclosure.open.cues import CUES
from remem.disclosure.open.wording import Telling, stem, telling

Sense = Callable[[str, Sequence[str]], Sequence[float] | str]
"""How near a message is in meaning to each of some phrases; or why nobody can tell."""

_PHRASES: Final = re.compile(r"[,;:，；：、。/|()（）\n]+|\s+(?:or|and|oder|und)\s+")
_CUE: Final = 0.5
_NEAR: Final = 0.38
"""A likeness of meaning from which on it counts by itself."""
_WEIGHT: Final = 2.0
_ALIKE: Final = 0.15
"""Scores that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class Match:
    route: Route
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Intent:
    """The routes that fit, the best first; `without` says why meaning was not asked."""

    matches: tuple[Match, ...]
    without: str | None = None


def intent_of(message: str, routes: Sequence[Route], sense: Sense) -> Intent:
    asked = telling(message)
    shared = [_own_words(route, asked) for route in routes]
    often = {word: sum(word in words for words in shared) for words in shared for word in words}
    near, without = _nearness(message, routes, sense)
    found = []
    for place, route in enumerate(routes):
        by_words = sum(1 / often[word] for word in shared[place])
        by_cues = _CUE * len(_cues(route.file) & _looked_for(asked) - shared[place])
        meant = near[place] if near[place] >= _NEAR else 0.0
        score = by_words + min(by_cues, 1.0) + _WEIGHT * max(0.0, meant - _NEAR / 2)
        if by_words or by_cues or meant:
            found.append(Match(route, score, _reason(shared[place], by_cues, meant)))
    return Intent(tuple(_ordered(found)), without)


def _ordered(found: list[Match]) -> list[Match]:
    """Best first; what is about as good as the best comes in the order of tiers."""
    found = sorted(found, key=lambda match: (-match.score, _rank(match)))
    ordered: list[Match] = []
    while found:
        alike = [each for each in found if each.score >= found[0].score - _ALIKE]
        chosen = min(alike, key=lambda match: (_rank(match), -match.score))
        ordered.append(chosen)
        found.remove(chosen)
    return ordered


def _rank(match: Match) -> int:
    return TIERS.index(tier_of(match.route.file.rpartition("/")[2], match.route.tier))


def _own_words(route: Route, asked: Telling) -> frozenset[str]:
    """The words that a message has in common with a route's trigger or its file's name."""
    name = route.file.removesuffix(".md").rpartition("/")[2].replace("-", " ")
    held = telling(f"{route.trigger} {name}").words
    whole = {each for each in _phrases(route.trigger) if has_grams(each) and each in asked.text}
    return (held & asked.words) | whole


def _looked_for(asked: Telling) -> frozenset[str]:
    return asked.words | {each for each in _single_signs() if each in asked.text}


@lru_cache(maxsize=1)
def _single_signs() -> frozenset[str]:
    """Cues of one sign, which no pair of signs can match."""
    return frozenset(each for some in CUES.values() for each in some.split() if len(each) == 1)


@lru_cache(maxsize=64)
def _cues(file: str) -> frozenset[str]:
    said = CUES.get(file.rpartition("/")[2].lower(), "").split()
    return frozenset(word for each in said for word in (stem(each), *telling(each).words))


def _nearness(
    message: str, routes: Sequence[Route], sense: Sense
) -> tuple[list[float], str | None]:
    """How near each route is: its nearest phrase counts."""
    some = [list(dict.fromkeys([route.trigger, *_phrases(route.trigger)])) for route in routes]
    phrases = [each for group in some for each in group if each]
    told = sense(message, phrases) if phrases else ()
    if isinstance(told, str):
        return [0.0] * len(routes), told
    values = iter(told)
    return [max((next(values) for each in group if each), default=0.0) for group in some], None


def _phrases(trigger: str) -> list[str]:
    return [each.strip() for each in _PHRASES.split(trigger.casefold()) if each.strip()]


def _reason(words: frozenset[str], cues: float, meant: float) -> str:
    told = [
        f"words: {', '.join(sorted(words)[:5])}" if words else "",
        "words of its kind" if cues and not words else "",
        f"meaning {meant:.2f}" if meant else "",
    ]
    return "; ".join(each for each in told if each)
