"""A fingerprint with as many parts as words may differ, so that each part may hold a difference."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from remem.text import similarity


def too_few_parts(patch: pytest.MonkeyPatch) -> None:
    def too_few(numbers: Iterable[int], most: int) -> list[int]:
        parts = [most] * max(1, most // 4)
        for number in numbers:
            parts[number % len(parts)] ^= number
        return parts

    patch.setattr(similarity, "_parts", too_few)
