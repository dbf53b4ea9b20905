"""Which memories fill a budget that has no room for all? Those worth most for what they cost.

Of two that are as likely to answer, the shorter one leaves room for a third. The order of
filling decides only what is told; it is told best first.
"""

from __future__ import annotations

from math import fsum, log2
from typing import Final

from remem.core.entry import Entry
from remem.recall.ranking import Ranked

_FIELDS: Final = 50
"""What an entry costs beside its content, in tokens: its id, category, score, time and tags."""
_BARE: Final = 40
"""What the fields cost at least."""
_DEAR: Final = 0.2
"""What twice the price weighs beside the signals; chosen on three sets (decision 0028)."""


def order_of_filling(
    ranked: list[Ranked], budget: int, longest: int | None, most: int | None
) -> list[Ranked]:
    """Best first where so many fit; else the best for its price. Of an entry `longest` tokens
    are shown, and of all entries `most`."""
    if sum(_price(each.entry, longest) for each in ranked[:most]) <= budget:
        return ranked
    # What is cut pays for all of its tokens: a part of it is worth less, too.
    values = [worth(fsum(each.why.values()), _price(each.entry, None)) for each in ranked]
    return [ranked[i] for i in sorted(range(len(ranked)), key=values.__getitem__, reverse=True)]


def worth(total: float, price: float) -> float:
    """What the signals say of a memory, less what its tokens take from the others."""
    return total - _DEAR * log2(price)


def least_cost(entry: Entry, longest: int | None) -> int:
    """What an entry takes of a budget at least. Its tokens may have been counted otherwise when it
    was stored; and of one that is cut, a short sentence may be left."""
    cut = longest is not None and entry.token_estimate > longest
    return _BARE + (0 if cut else entry.token_estimate * 9 // 10)


def _price(entry: Entry, longest: int | None) -> int:
    shown = entry.token_estimate
    return _FIELDS + (shown if longest is None else min(shown, longest))
