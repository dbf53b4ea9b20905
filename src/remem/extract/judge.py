"""Chooses the category of a statement by its words, its label, its headings and its file.

Every vote has a weight and a reason. The category with the heaviest votes wins, and the reason of
its heaviest vote is shown. A label in front ("Decision: …") weighs most, then words that are
typical of a category; a weak cue decides only if there is nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from remem.extract.headings import announced_kind, topic_of
from remem.model.entry import Category
from remem.text.pattern_file import pattern_file

LABEL_WEIGHT: Final = 6.0
STRONG_WEIGHT: Final = 3.0
_HEADING_WEIGHT: Final[dict[Category, float]] = {
    "preference": 4.5,
    "decision": 4.5,
    "insight": 4.5,
    "instruction": 4.0,
    "person": 2.5,
    "project": 2.5,
    "fact": 2.5,
}
_HEADING_DECAY: Final = 0.55
_PATH_WEIGHT: Final = 1.5
_PATHS: Final[dict[Category, str]] = {
    "preference": r"preferences?",
    "decision": r"decisions?|adrs?",
    "insight": r"lessons?|learnings?|errors?|insights?|mistakes",
    "person": r"people|persons?|contacts?|clients?|team|crm",
    "project": r"projects?|tasks?|goals?|plans?|roadmaps?",
    "instruction": r"rules?|instructions?|procedures?|workflows?|conventions?",
    "fact": r"reference|tools?|setup|infra\w*|schedules?|config",
}
_LABEL: Final = r"^\W{{0,4}}(?:(?:{0})\W{{0,4}}[:：]|[\[【](?:{0})[\]】])"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A category and the reason for it.

    `own_weight` is the heaviest vote for it that comes from the statement's own words.
    """

    category: Category
    why: str
    own_weight: float = 0.0


@dataclass(frozen=True, slots=True)
class _Vote:
    category: Category
    weight: float
    why: str
    from_words: bool = False


@dataclass(frozen=True, slots=True)
class _Cue:
    category: Category
    weight: float
    pattern: re.Pattern[str]


@cache
def _cues(table: str) -> tuple[_Cue, ...]:
    patterns = pattern_file("extract/patterns/cues")
    if table == "labels":
        labels: dict[Category, str] = patterns["labels"]
        return tuple(
            _Cue(category, LABEL_WEIGHT, patterns.compile(_LABEL.format(words)))
            for category, words in labels.items()
        )
    return tuple(
        _Cue(cue["category"], cue["weight"], patterns.compile(cue["pattern"]))
        for cue in patterns[table]
    )


def judge(
    text: str, labels: Sequence[str], headings: Sequence[str], path: str, *, transient: bool
) -> Verdict:
    """Choose a category; `transient` means that the text reads like an event or a status."""
    votes = [*_votes_of_words(text), *_votes_of_headings(labels, headings)]
    if category := _category_of_path(path):
        votes.append(_Vote(category, _PATH_WEIGHT, f"is in {path}"))
    in_log = bool(headings) and announced_kind(headings[-1]) == "log"
    if transient or in_log:
        weight = 1.0 * transient + 1.0 * in_log
        votes.append(_Vote("project", weight, "reads like a step of ongoing work"))
    if not votes:
        return Verdict("fact", "nothing suggests a different category")
    totals: dict[Category, float] = {}
    for vote in votes:
        totals[vote.category] = totals.get(vote.category, 0.0) + vote.weight
    best = max(totals, key=lambda name: totals[name])
    winners = [vote for vote in votes if vote.category == best]
    return Verdict(
        best,
        max(winners, key=lambda vote: vote.weight).why,
        max((vote.weight for vote in winners if vote.from_words), default=0.0),
    )


def _votes_of_words(text: str) -> Iterator[_Vote]:
    """Yield a vote for each category: its heaviest cue counts in full, any others a little."""
    best: dict[Category, tuple[float, str]] = {}
    additional: dict[Category, float] = {}
    for cue, words in _cues_in(text):
        weight, _ = best.get(cue.category, (0.0, ""))
        additional[cue.category] = additional.get(cue.category, 0.0) + 0.25 * min(
            weight, cue.weight
        )
        if cue.weight > weight:
            best[cue.category] = cue.weight, words
    for category, (weight, words) in best.items():
        yield _Vote(
            category, weight + additional[category], f"says “{words[:40]}”", from_words=True
        )


def _cues_in(text: str) -> Iterator[tuple[_Cue, str]]:
    """Yield every cue in a text with the words that match it.

    Cues of other languages are tried only if the text is not plainly English, because some of them
    are also English words with a different meaning.
    """
    other_language = pattern_file("extract/patterns/cues").regex("other_language")
    cues = [*_cues("labels"), *_cues("english")]
    if not text.isascii() or other_language.search(text):
        cues += _cues("other")
    for cue in cues:
        if match := cue.pattern.search(text):
            yield cue, match[0].strip()


def _votes_of_headings(labels: Sequence[str], headings: Sequence[str]) -> Iterator[_Vote]:
    """Yield the votes of headings: the nearest counts in full, those further up count less."""
    nearness = 1.0
    for title in [*reversed(labels), *reversed(headings)]:
        kind = announced_kind(title)
        if kind is not None and kind != "log":
            topic = 0.5 if topic_of(title) else 1.0  # a topic says less about the kind
            yield _Vote(kind, _HEADING_WEIGHT[kind] * nearness * topic, f"is under “{title[:60]}”")
        nearness *= _HEADING_DECAY


@lru_cache(maxsize=64)
def _category_of_path(path: str) -> Category | None:
    folders = re.split(r"[/.]", path.casefold())
    for category, pattern in _PATHS.items():
        if any(re.fullmatch(pattern, folder) for folder in folders):
            return category
    return "preference" if path == "USER.md" else None
