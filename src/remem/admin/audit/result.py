"""What does an audit answer? The contract's fields, and what is told beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Risk = Literal["low", "medium", "high"]
Likeness = Literal["exact", "near", "paraphrased"]
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
    """What one source costs; `category` says what it is and when it is loaded."""

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
    kind: Likeness


@dataclass(frozen=True, slots=True)
class Analysis:
    total_tokens: int
    breakdown: tuple[Cost, ...]
    duplicates: tuple[Duplicate, ...]


@dataclass(frozen=True, slots=True)
class Headline:
    """What every conversation pays before its first word.

    `memory_tokens` is the part of it that is memory, `would_do` what would serve instead:
    the text of `remem start` and the few lines of MEMORY.md that no entry has. As long as
    there are many of those, `measured` is false, and `would_do` is the limit of a start.
    `cut_tokens` stand in files that a host loads and are cut away by its limits.
    """

    text: str
    every_conversation_tokens: int
    memory_tokens: int
    would_do: int
    measured: bool
    cut_tokens: int


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements that cannot both hold; `rule` says why, `verdict` which one stands."""

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
    """A line that says nothing lasting, and how that was seen."""

    content: str
    source: str
    kind: NoiseKind
    reason: str


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One thing to do. `applies`: `remem audit --apply <number>` does it, and then the saving
    is exact; what is left to a person is an estimate. `at_start` is the part of the saving
    that every conversation feels."""

    action: Action
    description: str
    estimated_savings_tokens: int
    risk: Risk
    number: int
    applies: bool
    at_start: int


@dataclass(frozen=True, slots=True)
class Audit:
    """`left_out` says how many more of each list there are; `notes` what could not be done."""

    analysis: Analysis
    headline: Headline | None = None
    contradictions: tuple[Contradiction, ...] = ()
    stale: tuple[Stale, ...] = ()
    noise: tuple[NoiseLine, ...] = ()
    left_out: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    recommendations: tuple[Recommendation, ...] | None = None
