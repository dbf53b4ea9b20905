"""Choose the weights that make the evidence of the questions most likely.

A question is taken to pick one of its candidates, the likelier the higher its sum of signals.
The weights under which evidence is picked most often are one point, found in a few steps; a
search over settings finds another one each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
_MOST_STEPS: Final = 30
_SHORTEST: Final = 1 / 1024
_ENOUGH: Final = 1e-7
RESERVE: Final = 0.001
"""How dear a large weight is: what a few questions alone speak for stays small."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What each signal gave to the candidates of one question, a row for each of them; and
    which of them are evidence."""

    given: Numbers
    evidence: NDArray[np.bool_]


def likeliest(choices: Sequence[Choice], reserve: float = RESERVE) -> Numbers:
    """A factor for each signal; a question of whose evidence nothing was found tells nothing."""
    telling = [choice for choice in choices if choice.evidence.any()]
    factors = np.zeros(choices[0].given.shape[1] if choices else 0)
    if not telling:
        return factors
    cost = _cost(telling, factors, reserve)
    for _ in range(_MOST_STEPS):
        step, length = _step(telling, factors, reserve), 1.0
        while (ahead := _cost(telling, factors - length * step, reserve)) > cost:
            length /= 2
            if length < _SHORTEST:
                return factors
        factors, gained, cost = factors - length * step, cost - ahead, ahead
        if gained < _ENOUGH:
            break
    return factors


def _shares(choice: Choice, factors: Numbers) -> Numbers:
    """How likely each candidate is picked."""
    sums = choice.given @ factors
    weights = np.exp(sums - sums.max())
    shares: Numbers = weights / weights.sum()
    return shares


def _cost(choices: Sequence[Choice], factors: Numbers, reserve: float) -> float:
    surprise = sum(
        -float(np.log(_shares(choice, factors)[choice.evidence].clip(1e-300)).mean())
        for choice in choices
    )
    return surprise / len(choices) + reserve * float(factors @ factors) / 2


def _step(choices: Sequence[Choice], factors: Numbers, reserve: float) -> Numbers:
    """Newton's: where the cost would be least if it were as curved as here."""
    slope, bend = np.zeros_like(factors), np.zeros((len(factors), len(factors)))
    for choice in choices:
        shares = _shares(choice, factors)
        mean = shares @ choice.given
        slope += mean - choice.given[choice.evidence].mean(axis=0)
        bend += (choice.given * shares[:, None]).T @ choice.given - np.outer(mean, mean)
    slope = slope / len(choices) + reserve * factors
    bend = bend / len(choices) + reserve * np.eye(len(factors))
    return np.linalg.solve(bend, slope).astype(np.float64)
