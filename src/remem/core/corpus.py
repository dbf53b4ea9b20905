"""Where may a host look? The corpora of its contract; one that is unknown is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from remem.errors import InvalidInput

Corpus = Literal["memory", "wiki", "all", "sessions"]
SEARCHED: Final[tuple[Corpus, ...]] = ("memory", "wiki", "all", "sessions")
READ: Final[tuple[Corpus, ...]] = ("memory", "wiki", "all")
LINES: Final = 120
"""So many lines of a file are read where nobody says how many."""
MOST_RESULTS: Final = 6
LEAST_SCORE: Final = 0.35
"""So many passages, and none that is less like the question, where nobody says otherwise."""

NO_WIKI: Final = "No wiki is registered with this memory."
"""remem has no wiki; it says so instead of searching something else."""

Outcome = Literal["ok", "partial", "unavailable", "not-registered"]


@dataclass(frozen=True, slots=True)
class CorpusOutcome:
    """How the look into one corpus ended."""

    corpus: Corpus
    outcome: Outcome
    error: str | None = None


WIKI: Final = CorpusOutcome("wiki", "not-registered")


def checked_corpus(value: Any, allowed: Sequence[Corpus]) -> Corpus | None:
    if value is None:
        return None
    for each in allowed:
        if value == each:
            return each
    raise InvalidInput(f"corpus must be one of: {', '.join(allowed)}")


def positive(value: Any, name: str) -> int:
    """A number of lines or results, in the words of the contract."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInput(f"{name} must be a positive integer")
    return value
