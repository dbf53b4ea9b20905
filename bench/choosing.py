"""Choose the weights that make the evidence of the questions most likely.

The model: a question picks one of its candidates, with a probability that grows with the sum of
its signals. The weights that make the evidence most likely are a unique optimum, which Newton's
method finds in a few steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
_MAX_STEPS: Final = 30
_MIN_STEP_LENGTH: Final = 1 / 1024
_MIN_GAIN: Final = 1e-7
REGULARISATION: Final = 0.001
"""Strength of the L2 regularisation, which keeps weights small that few questions support."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The signals of the candidates of one question, and which candidates are evidence.

    The signals have one row per candidate.
    """

    given: Numbers
    evidence: NDArray[np.bool_]


def likeliest(choices: Sequence[Choice], regularisation: float = REGULARISATION) -> Numbers:
    """Return a factor for each signal; questions whose evidence is no candidate are ignored."""
    usable = [choice for choice in choices if choice.evidence.any()]
    factors = np.zeros(choices[0].given.shape[1] if choices else 0)
    if not usable:
        return factors
    cost = _cost(usable, factors, regularisation)
    for _ in range(_MAX_STEPS):
        step, length = _step(usable, factors, regularisation), 1.0
        while (ahead := _cost(usable, factors - length * step, regularisation)) > cost:
            length /= 2
            if length < _MIN_STEP_LENGTH:
                return factors
        factors, gained, cost = factors - length * step, cost - ahead, ahead
        if gained < _MIN_GAIN:
            break
    return factors


def _shares(choice: Choice, factors: Numbers) -> Numbers:
    """The probability of every candidate."""
    sums = choice.given @ factors
    weights = np.exp(sums - sums.max())
    shares: Numbers = weights / weights.sum()
    return shares


def _cost(choices: Sequence[Choice], factors: Numbers, regularisation: float) -> float:
    surprise = sum(
        -float(np.log(_shares(choice, factors)[choice.evidence].clip(1e-300)).mean())
        for choice in choices
    )
    return surprise / len(choices) + regularisation * float(factors @ factors) / 2


def _step(choices: Sequence[Choice], factors: Numbers, regularisation: float) -> Numbers:
    """The step of Newton's method."""
    gradient, hessian = np.zeros_like(factors), np.zeros((len(factors), len(factors)))
    for choice in choices:
        shares = _shares(choice, factors)
        mean = shares @ choice.given
        gradient += mean - choice.given[choice.evidence].mean(axis=0)
        hessian += (choice.given * shares[:, None]).T @ choice.given - np.outer(mean, mean)
    gradient = gradient / len(choices) + regularisation * factors
    hessian = hessian / len(choices) + regularisation * np.eye(len(factors))
    return np.linalg.solve(hessian, gradient).astype(np.float64)
