"""Find passages of files that no entry covers yet.

A line is covered if an entry names it as its origin and contains at least half of its words, or if
an entry of the answer contains all of them: two lines may differ only in a number. An origin alone
proves nothing, because the file may have been edited since.

A passage that lost lines is no longer the text that was ranked, so it loses part of its score: as
much as the remaining lines cover less of the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import fsum
from typing import TYPE_CHECKING, Final

from remem.fast_dataclass import dataclass
from remem.model.entry import Category, Entry
from remem.model.passage import Passage
from remem.ports.entries import Snapshot
from remem.ports.records import Where
from remem.search.query.terms import coverage_among
from remem.search.rank.ranking import RankedCandidate, squash
from remem.text.line_status import without_annotations
from remem.text.markdown import front_matter_size
from remem.text.words import fold, words

if TYPE_CHECKING:
    from remem.model.fact import Fact


_MIN_OVERLAP: Final = 0.5
_MIN_WORDS: Final = 3
_MAX_HEADING_LENGTH: Final = 200
_LOST_LINES: Final = 2.0
"""The penalty of a passage whose remaining lines cover nothing of the question."""


@dataclass(frozen=True, slots=True)
class Extract:
    """A passage or the uncovered part of it; `cut` says that lines are missing.

    If `fact` is set, it is shown instead of the passage, with `category`.
    """

    passage: Passage
    score: float
    cut: bool = False
    fact: Fact | None = None
    category: Category | None = None
    why: Mapping[str, float] = field(default_factory=dict)
    earlier: bool = False

    @property
    def total(self) -> float:
        """The sum of the signals, from which the score follows."""
        return fsum(self.why.values())


def not_in_entries(
    snapshot: Snapshot,
    extracts: Sequence[Extract],
    ranked: Sequence[RankedCandidate],
    terms: Sequence[str],
) -> list[Extract]:
    """Return what no entry covers yet, without duplicates."""
    if not extracts:
        return []
    lines = tuple(source_lines(extract.passage for extract in extracts))
    origins = snapshot.select(Where(state="any", from_lines=lines))
    migrated = migrated_text(origins, [result.entry for result in ranked])
    return list(unmigrated(extracts, migrated, terms))


def extract_of(ranked: RankedCandidate) -> Extract:
    """Return a ranked passage as a part of an answer."""
    return Extract(ranked.passage, ranked.score, why=ranked.why, earlier=ranked.earlier)


@dataclass(frozen=True, slots=True)
class MigratedText:
    """The words of entries, by the line that they come from, and of the entries in the answer."""

    by_line: Mapping[tuple[str, int], Sequence[frozenset[str]]]
    in_answer: Sequence[frozenset[str]]

    def has(self, path: str, line: int, text: str) -> bool:
        line_words = frozenset(words(without_annotations(text)))
        if not line_words:
            return False
        origins = self.by_line.get((path, line), ())
        if any(_share(line_words, origin) >= _MIN_OVERLAP for origin in origins):
            return True
        few = len(line_words) < _MIN_WORDS  # a long entry may contain a few words by chance
        return not few and any(line_words <= entry for entry in self.in_answer)


def migrated_text(entries: Iterable[Entry], in_answer: Iterable[Entry]) -> MigratedText:
    """Collect the words of `entries`, by their origins, and of the entries `in_answer`."""
    by_line: dict[tuple[str, int], list[frozenset[str]]] = {}
    for entry in entries:
        entry_words = frozenset(words(entry.content))
        for origin in entry.origins:
            if origin.position is not None:
                by_line.setdefault((origin.source, origin.position), []).append(entry_words)
    return MigratedText(by_line, [frozenset(words(entry.content)) for entry in in_answer])


def source_lines(passages: Iterable[Passage]) -> list[tuple[str, int]]:
    """Return every line of the passages."""
    return [
        (passage.path, line)
        for passage in passages
        for line in range(passage.start, passage.end + 1)
    ]


def unmigrated(
    extracts: Iterable[Extract], migrated_text: MigratedText, terms: Sequence[str]
) -> Iterator[Extract]:
    """Yield the uncovered part of each passage, without duplicate lines.

    Front matter alone is not shown: it describes the lines that are covered.
    """
    seen_lines: set[str] = set()
    for extract in extracts:
        passage = extract.passage
        statements = list(_statements(passage))
        remaining = [
            text
            for line, text in statements
            if not migrated_text.has(passage.path, line, text) and fold(text) not in seen_lines
        ]
        is_cut = len(remaining) < len(statements)
        content = remaining[front_matter_size(remaining) :] if is_cut else remaining
        if not any(map(words, content)):
            continue
        seen_lines.update(fold(text) for text in remaining if words(text))
        text = "\n".join(remaining)
        yield extract if text == passage.text else _cut(extract, text, terms)


def _cut(extract: Extract, text: str, terms: Sequence[str]) -> Extract:
    """Return an extract with the remaining text, and the score that this text deserves."""
    passage = replace(extract.passage, text=text)
    whole, rest = coverage_among(terms, [extract.passage, passage])
    lost = 1 - rest / whole if whole else 1 - len(text) / len(extract.passage.text)
    why = {**extract.why, "cut": -_LOST_LINES * lost}
    return replace(extract, passage=passage, cut=True, why=why, score=squash(fsum(why.values())))


def is_later(passage: Passage, as_of: str | None) -> bool:
    """Return whether a passage is from a later day than the one asked about."""
    return bool(as_of and passage.day and passage.day > as_of[:10])


def shown_text(passage: Passage) -> str:
    """Return the text of a passage below its headings."""
    above = " › ".join((*passage.headings, *passage.within))
    text = without_annotations(passage.text)
    return f"{above[:_MAX_HEADING_LENGTH]}\n{text}" if above else text


def _statements(passage: Passage) -> Iterator[tuple[int, str]]:
    """Yield the statements of a passage, each with the number of its first line.

    A curated passage is one statement; in others, a statement is a line with its continuations.
    """
    if passage.curated:
        yield passage.start, passage.text
        return
    lines = passage.text.split("\n")
    start = 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and _is_continuation(lines[end]):
            end += 1
        yield passage.start + start, "\n".join(lines[start:end])
        start = end


def _is_continuation(line: str) -> bool:
    """Return whether a line continues the statement above it."""
    return line[:1] in (" ", "\t") and line.strip()[:2] not in ("- ", "* ", "+ ", "")


def _share(words_of_line: frozenset[str], words_of_entry: frozenset[str]) -> float:
    return len(words_of_line & words_of_entry) / len(words_of_line)
