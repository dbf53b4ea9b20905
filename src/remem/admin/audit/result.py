"""The answer of an audit: the fields of the contract, and additional ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Risk = Literal["low", "medium", "high"]
DuplicateKind = Literal["exact", "near", "paraphrased"]
NoiseKind = Literal["promoted", "status"]
Action = Literal[
    "remove_duplicates",
    "remove_near_duplicates",
    "remove_promoted_noise",
    "remove_status_lines",
    "point_to_entries",
    "migrate",
    "shorten",
    "merge_by_hand",
    "resolve_contradictions",
    "review_stale",
]


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one source; `category` says what it is and when it is loaded."""

    source: str
    tokens: int
    percentage: float
    category: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two places that say the same; `sources` names file and line of each."""

    content_a: str
    content_b: str
    similarity: float
    sources: tuple[str, ...]
    kind: DuplicateKind


@dataclass(frozen=True, slots=True)
class Analysis:
    total_tokens: int
    breakdown: tuple[Cost, ...]
    duplicates: tuple[Duplicate, ...]


@dataclass(frozen=True, slots=True)
class Headline:
    """The cost of every conversation before its first word.

    `memory_tokens` is the part of it that is memory. `would_do` is what would be enough: the
    text of `remem start` and the few lines of MEMORY.md that no entry has. As long as there are
    many such lines, `measured` is false and `would_do` is the limit of the start text.
    `cut_tokens` are in files that a host loads, but dropped because of its size limit.
    """

    text: str
    every_conversation_tokens: int
    memory_tokens: int
    would_do: int
    measured: bool
    cut_tokens: int


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements that cannot both hold; `rule` says why, `verdict` which one does."""

    content_a: str
    content_b: str
    sources: tuple[str, ...]
    rule: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Stale:
    """Entries of a domain that nobody has seen for a month."""

    domain: str
    entries: int
    tokens: int
    last_access: str


@dataclass(frozen=True, slots=True)
class NoiseLine:
    """A line without lasting content, and the reason."""

    content: str
    source: str
    kind: NoiseKind
    reason: str


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One thing to do.

    `applies`: `remem audit --apply <number>` does it, and the saving is exact; otherwise the
    saving is an estimate. `at_start` is the part of it that every conversation saves.
    """

    action: Action
    description: str
    estimated_savings_tokens: int
    risk: Risk
    number: int
    applies: bool
    at_start: int


@dataclass(frozen=True, slots=True)
class Audit:
    """`left_out` counts the omitted items of each list; `notes` name what could not be done."""

    analysis: Analysis
    headline: Headline | None = None
    contradictions: tuple[Contradiction, ...] = ()
    stale: tuple[Stale, ...] = ()
    noise: tuple[NoiseLine, ...] = ()
    left_out: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    recommendations: tuple[Recommendation, ...] | None = None
