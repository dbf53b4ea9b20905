"""Cases of which the quick run takes some, and `make test-all` takes all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first_quick(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """The cases for `parametrize`: the first ones as they are, the rest marked `slow`."""
    return [
        case if number < count else pytest.param(case, marks=pytest.mark.slow)
        for number, case in enumerate(cases)
    ]
