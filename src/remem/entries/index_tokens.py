"""Count the tokens of the index so that it fits whichever way a host counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from remem.ports.models import TokenCounter

_CHARACTERS: Final = 4
"""Hosts without a tokenizer estimate one token for this many characters."""


class CautiousCounter:
    """Counts like another counter, but at least one token for every four characters."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter

    @property
    def name(self) -> str:
        return self._counter.name

    def count(self, text: str) -> int:
        return max(self._counter.count(text), -(-len(text) // _CHARACTERS))
