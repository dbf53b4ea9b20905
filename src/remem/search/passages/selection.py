"""Choose the results of a search: each statement once, in files that a person can open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from typing import Final

from remem.model.arguments import DEFAULT_RESULTS
from remem.model.passage import Passage
from remem.search.rank.ranking import Ranked
from remem.search.rank.relevance import MIN_RELEVANCE, Found, Relevance, worth_showing
from remem.text.words import words

_NEARLY_EQUAL: Final = 0.9
_MAX_PASSAGES: Final = 20
_NUMBER: Final = re.compile(r"\d+")


def choose(results: Sequence[Found], limit: int) -> list[Found]:
    """Return the first results, at most `limit`.

    At most half of them are from transcripts if there are hits in files, and passages that overlap
    or repeat a better one are skipped. Skipped passages are used only if there are too few others,
    but never those that repeat another.
    """
    in_files = any(not found.ranked.passage.is_talk for found in results)
    quota = ceil(limit / 2) if in_files else limit
    chosen: list[int] = []
    skipped: list[int] = []
    talks = 0
    for i, found in enumerate(results):
        if len(chosen) == limit:
            break
        passage = found.ranked.passage
        others = [results[j].ranked.passage for j in chosen]
        if any(repeats(passage, other) for other in others):
            continue
        if (passage.is_talk and talks >= quota) or any(overlaps(passage, o) for o in others):
            skipped.append(i)
            continue
        talks += passage.is_talk
        chosen.append(i)
    return [results[i] for i in sorted([*chosen, *skipped[: limit - len(chosen)]])]


def passages_for_recall(ranked: Sequence[Ranked], relevance: Relevance) -> list[Ranked]:
    """Return the passages for a recall: the first results of a search, and other relevant ones."""
    found = [relevance.found(result) for result in ranked if isinstance(result.item, Passage)]
    shown = worth_showing(found)
    first = choose(shown, DEFAULT_RESULTS)
    close = [result for result in shown[:_MAX_PASSAGES] if result.relevance >= MIN_RELEVANCE]
    numbers = {result.ranked.candidate.number for result in (*first, *close)}
    return [result.ranked for result in shown if result.ranked.candidate.number in numbers]


def overlaps(one: Passage, other: Passage) -> bool:
    """Return whether two passages of a file share at least half of the shorter one's lines."""
    if one.path != other.path or one.start == one.end == other.start == other.end:
        return False  # different files, or pieces of one long line
    shared = min(one.end, other.end) - max(one.start, other.start) + 1
    return shared * 2 >= min(one.end - one.start, other.end - other.start) + 1


def repeats(one: Passage, other: Passage) -> bool:
    """Return whether two passages say the same; texts that differ in a number do not."""
    if one.text == other.text:
        return True
    first, second = _words(one.text), _words(other.text)
    if not first or not second or len(first ^ second) > len(first | second) / 5:
        return False
    return len(first & second) >= _NEARLY_EQUAL * len(first | second) and _NUMBER.findall(
        one.text
    ) == _NUMBER.findall(other.text)


@lru_cache(maxsize=2_048)
def _words(text: str) -> frozenset[str]:
    return frozenset(words(text))
