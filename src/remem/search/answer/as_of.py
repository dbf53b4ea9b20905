"""Candidates for a question about the past: entries as they were worded at that time.

The full-text index only has the present words. Entries that were reworded since are compared one by
one, because their earlier words may be the ones asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Final

from remem.model.entry import Entry, Filter, Version
from remem.ports.entries import Snapshot
from remem.search.query.embedding import EmbeddedQuery
from remem.search.query.question import Question, Request
from remem.search.rank.candidates import gather
from remem.search.rank.ranking import Candidate
from remem.text.words import fold, same_stem, search_terms

_MAX_REWORDED: Final = 1_000
"""Only the most recently changed ones are compared: each is read with its history."""
_MAX_TERMS: Final = 2_000


def candidates_as_of(
    snapshot: Snapshot,
    question: Question,
    request: Request,
    embedded: Callable[[], EmbeddedQuery | None],
) -> list[Candidate]:
    """Return candidates as they were then, without those that came later or were superseded."""
    assert request.as_of is not None
    when, where = request.as_of, replace(request.where, include_archived=True)
    candidates = []
    for candidate in gather(snapshot, question, replace(request, where=where), embedded)[0]:
        past = _version_at(snapshot, candidate.entry, when)
        if past is not None:
            candidates.append(candidate._replace(entry=past))
    rows = {candidate.row for candidate in candidates}
    strongest = max((candidate.keyword for candidate in candidates), default=0.0) or 1.0
    for reworded in _reworded_matches(snapshot, question, when, request.where):
        if reworded.row not in rows:
            candidates.append(reworded._replace(keyword=strongest * reworded.keyword))
    return candidates


def _reworded_matches(
    snapshot: Snapshot, question: Question, when: str, where: Filter
) -> Iterator[Candidate]:
    """Return entries whose earlier wording matches; `keyword` is the share of the question."""
    terms = {fold(term) for term in question.terms}
    for located in snapshot.revised_since(when, _MAX_REWORDED) if terms else ():
        past = _version_at(snapshot, located.entry, when)
        if past is None or past.content == located.entry.content or not where.admits(past):
            continue
        share = _share(terms, {fold(term) for term in search_terms(past.content, limit=_MAX_TERMS)})
        if share:
            yield Candidate(located.row, past, share)


def _share(terms: Set[str], words: Set[str]) -> float:
    """Return the share of the words that occur, ignoring endings."""
    return sum(any(same_stem(one, other) for other in words) for one in terms) / len(terms)


def _version_at(snapshot: Snapshot, entry: Entry, when: str) -> Entry | None:
    versions = snapshot.history(entry.id)
    if entry.created_at > when or not versions:
        return None
    if entry.superseded_by and _existed(snapshot, entry.superseded_by, when):
        return None  # superseded by something that was already true, though stored later
    # Imported entries were stored later than they were known.
    known = [version for version in versions if version.at <= when] or versions[:1]
    past = known[-1].entry
    if past.superseded_by and not _existed(snapshot, past.superseded_by, when):
        past = _last_unsuperseded(versions, past)
    if past.superseded_by or past.archived or past.trust == "untrusted":
        return None
    return past


def _existed(snapshot: Snapshot, id_: str, when: str) -> bool:
    successor = snapshot.find([id_])
    return not successor or successor[0].created_at <= when


def _last_unsuperseded(versions: Sequence[Version], past: Entry) -> Entry:
    """Return the last wording before it was superseded."""
    earlier = [version.entry for version in versions if version.entry.superseded_by is None]
    return earlier[-1] if earlier else past
