"""Merge the answers of several shared spaces into one, within one token budget.

Every space is ranked separately, by its own statistics, so that the content of one space cannot
change the order of another. The answers are then merged by score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from remem.search.answer.answer import Answer, EntryOffer, Recalled, pack
from remem.search.answer.by_id import NO_ENTRY, unknown_notes
from remem.search.query.question import ids_and_lines
from remem.search.rank.clarity import NO_CLEAR_MATCH

if TYPE_CHECKING:
    from remem.ports.models import TokenCounter


@dataclass(frozen=True, slots=True)
class SharedRecalled(Recalled):
    """One entry of an answer from shared spaces: where it is, and who stored it there."""

    space: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class SharedAnswer:
    """The result of a recall from shared spaces, with the space and the author of every entry."""

    entries: tuple[SharedRecalled, ...]
    token_count: int
    budget_remaining: int
    total_entries_matched: int
    left_out: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerOfSpace:
    """The answer of one space, with the authors of its entries by id."""

    space: str
    answer: Answer
    authors: Mapping[str, str]

    def entries(self) -> Iterator[SharedRecalled]:
        for recalled in self.answer.entries:
            values = {field.name: getattr(recalled, field.name) for field in fields(Recalled)}
            author = self.authors.get(recalled.id, "file")
            yield SharedRecalled(**values, space=self.space, author=author)


def merge_answers(
    answers: Sequence[AnswerOfSpace],
    query: str,
    budget: int,
    counter: TokenCounter,
    *,
    limit: int | None = None,
    notes: Sequence[str] = (),
) -> SharedAnswer:
    """Return the best entries of all spaces that fit the budget, best first."""
    entries_of_all = (entry for answer in answers for entry in answer.entries())
    ordered = sorted(entries_of_all, key=lambda entry: -entry.score)
    all_notes = [*notes, *(note for part in answers for note in part.answer.notes)]
    if any(part.answer.entries and NO_CLEAR_MATCH not in part.answer.notes for part in answers):
        all_notes = [note for note in all_notes if note != NO_CLEAR_MATCH]
    merged = pack(
        [_offer(entry) for entry in ordered],
        budget,
        counter,
        limit=limit,
        match_count=sum(part.answer.total_entries_matched for part in answers),
        notes=_notes(all_notes, query, {entry.id for entry in ordered}),
    )
    entries = tuple(entry for entry in merged.entries if isinstance(entry, SharedRecalled))
    return SharedAnswer(
        entries=entries,
        token_count=merged.token_count,
        budget_remaining=merged.budget_remaining,
        total_entries_matched=merged.total_entries_matched,
        left_out=merged.left_out,
        notes=merged.notes,
    )


def _offer(entry: SharedRecalled) -> EntryOffer:
    return EntryOffer(0, lambda: entry)


def _notes(notes: Sequence[str], query: str, found_ids: set[str]) -> list[str]:
    """Return each note once; an id is unknown only if no space has it."""
    ids, _ = ids_and_lines(query)
    other_notes = [note for note in dict.fromkeys(notes) if not note.startswith(NO_ENTRY)]
    return [*other_notes, *unknown_notes(ids, found_ids, 0)]
