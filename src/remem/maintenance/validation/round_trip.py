"""Is what is stored found again? Tried on the entries that are there, without storing any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from remem.core.entry import Entry
from remem.core.words import words
from remem.maintenance.validation.result import Check, Tried, judged
from remem.recall.answer import Answer

STORED: Final = "What is stored is recalled"
_SAMPLE: Final = 10
_LONGEST: Final = 400
_FEWEST: Final = 3
_LARGEST: Final = 2000
"""An entry of more tokens does not fit whole into an ordinary answer."""
_ONE_OF: Final = 10


def stored_is_recalled(
    tried: Sequence[Tried], sample: Sequence[Entry], recall: Callable[[str], Answer]
) -> Check:
    """Check 4: the self-test stored and recalled; here entries are asked for by their ids, and
    in their own words, where one of ten may lose against others that say nearly the same."""
    reasons = [
        f"in a workspace of its own: {each.tool}: {each.reason}"
        for each in tried
        if each.reason and each.tool in ("memory_store", "memory_recall")
    ]
    unread = [each for each in sample if not _is_in(each, recall(each.id))]
    reasons += [f"{each.id} cannot be read by its id" for each in unread]
    lost = [each for each in sample if not _is_in(each, recall(each.content[:_LONGEST]))]
    if len(lost) * _ONE_OF > len(sample):
        reasons += [f"{each.id} is not in the answer to its own words" for each in lost]
    asked = f"{len(sample)} entries of this memory" if sample else "none of this memory yet"
    return judged(4, STORED, f"a new entry in a workspace of its own; {asked}", reasons)


def sample_of(entries: Sequence[Entry]) -> list[Entry]:
    """Some entries that can be asked for, evenly spread; the same ones each time."""
    usable = [
        each
        for each in entries
        if each.token_estimate <= _LARGEST and len(set(words(each.content))) >= _FEWEST
    ]
    if len(usable) <= _SAMPLE:
        return usable
    return [usable[i * len(usable) // _SAMPLE] for i in range(_SAMPLE)]


def _is_in(entry: Entry, answer: Answer) -> bool:
    return any(each.id == entry.id for each in answer.entries)
