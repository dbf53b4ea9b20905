"""Result types of an audit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Risk = Literal["low", "medium", "high"]
DuplicateKind = Literal["exact", "near", "paraphrased"]
NoiseKind = Literal["promoted", "status", "stale"]
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
    "review_lines",
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
    """Two statements that say the same thing; `sources` names the file and line of each."""

    content_a: str
    content_b: str
    similarity: float
    sources: tuple[str, ...]
    kind: DuplicateKind


@dataclass(frozen=True, slots=True)
class Analysis:
    """The cost of all sources, and the duplicates in them."""

    total_tokens: int
    breakdown: tuple[Cost, ...]
    duplicates: tuple[Duplicate, ...]


@dataclass(frozen=True, slots=True)
class Headline:
    """The cost of every conversation before its first word.

    `memory_tokens` is the part of it that is memory. `sufficient_tokens` would be enough for that
    part: the start text, and the lines of MEMORY.md that no entry contains. If there are too many
    such lines, `measured` is false, and `sufficient_tokens` is the limit of the start text.
    `cut_tokens` is the size of the parts of files that a host drops because of its size limit.
    `net_tokens` is how much more (or less, if negative) a conversation costs if it starts with the
    start text and the `tool_tokens` of remem's tools instead of MEMORY.md.
    """

    text: str
    every_conversation_tokens: int
    memory_tokens: int
    sufficient_tokens: int
    measured: bool
    cut_tokens: int
    tool_tokens: int = 0
    net_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ContradictoryStatements:
    """Two statements that cannot both be true.

    `rule` says why they contradict each other, and `verdict` which one is later, if that is known.
    """

    content_a: str
    content_b: str
    sources: tuple[str, ...]
    rule: str
    verdict: str


@dataclass(frozen=True, slots=True)
class StaleEntries:
    """The entries of a domain file that nobody has seen for a month: their number and tokens."""

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
    """One recommended step.

    If `applies` is true, `remem audit --apply <number>` carries it out, and the saving is exact;
    otherwise, the saving is an estimate. `at_start` is the part of it that every conversation
    saves.
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
    """The result of an audit.

    `left_out` counts the omitted items of each list; `notes` say what could not be checked.
    """

    analysis: Analysis
    headline: Headline | None = None
    contradictions: tuple[ContradictoryStatements, ...] = ()
    stale: tuple[StaleEntries, ...] = ()
    noise: tuple[NoiseLine, ...] = ()
    left_out: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    recommendations: tuple[Recommendation, ...] | None = None
