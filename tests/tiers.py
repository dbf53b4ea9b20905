"""Cases of which the quick run takes some, and `make test-all` takes all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final

import pytest

EVERYTHING: Final = os.environ.get("REMEM_EXAMPLES") == "all"
_QUICK_SHARE: Final = 5


def examples(count: int) -> int:
    """How many examples Hypothesis draws: a fifth of them in the quick run."""
    return count if EVERYTHING else max(count // _QUICK_SHARE, 5)


def first_quick(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """The cases for `parametrize`: the first ones as they are, the rest marked `slow`."""
    return [
        case if number < count else pytest.param(case, marks=pytest.mark.slow)
        for number, case in enumerate(cases)
    ]
