"""Confidence intervals of means: percentile bootstrap over questions, with a fixed seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

RESAMPLES: Final = 1_000
SEED: Final = 20_240_601
_BOUNDS: Final = (2.5, 97.5)

Interval = tuple[float, float]


def interval(values: Sequence[float]) -> Interval:
    """The 95 % confidence interval of the mean."""
    return _bounds(_means(np.asarray(values, np.float64)))


def macro_interval(by_category: Mapping[str, Sequence[float]]) -> Interval:
    """The same for the mean of the categories' means; resampled within every category."""
    parts = [
        _means(np.asarray(values, np.float64), i) for i, values in enumerate(by_category.values())
    ]
    return _bounds(np.mean(parts, axis=0))


def paired(ours: Mapping[str, float], theirs: Mapping[str, float]) -> tuple[float, Interval]:
    """The mean difference on the questions that both answered, and its interval."""
    both = [key for key in ours if key in theirs]
    differences = [ours[key] - theirs[key] for key in both]
    if not differences:
        return 0.0, (0.0, 0.0)
    return float(np.mean(differences)), interval(differences)


def verdict(bounds: Interval) -> str:
    """What a paired interval shows."""
    if bounds[0] > 0:
        return "gain"
    return "loss" if bounds[1] < 0 else "no difference shown"


def _means(values: NDArray[np.float64], stream: int = 0) -> NDArray[np.float64]:
    random = np.random.default_rng(SEED + stream)
    picked = random.integers(0, len(values), (RESAMPLES, len(values)))
    means: NDArray[np.float64] = values[picked].mean(axis=1)
    return means


def _bounds(means: NDArray[np.float64]) -> Interval:
    low, high = np.percentile(means, _BOUNDS)
    return float(low), float(high)
