"""Find candidates for a question about the past: entries as they were worded at that time.

The full-text index contains only the present wording. Entries that have been reworded since are
compared one by one, because the question may match their earlier wording.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Final

from remem.model.entry import Entry, Filter, Version
from remem.ports.entries import Snapshot
from remem.ports.records import Where
from remem.search.query.embedding import QuestionVectors
from remem.search.query.question import Question, Request
from remem.search.rank.candidates import EntryHits, gather_entries
from remem.search.rank.ranking import Candidate
from remem.text.words import fold, same_stem, search_terms

_MAX_REWORDED: Final = 1_000
"""Only the most recently changed entries are compared, because each is read with its history."""
_MAX_TERMS: Final = 2_000


def candidates_as_of(
    snapshot: Snapshot,
    question: Question,
    request: Request,
    embedded: Callable[[], QuestionVectors | None],
) -> EntryHits:
    """Return candidates as they were then, without those stored later or already superseded."""
    assert request.as_of is not None
    when, where = request.as_of, replace(request.where, include_archived=True)
    hits = gather_entries(snapshot, question, replace(request, where=where), embedded)
    candidates = []
    for candidate in hits.candidates:
        past = _version_at(snapshot, candidate.entry, when)
        if past is not None:
            candidates.append(candidate._replace(item=past))
    ids = {candidate.entry.id for candidate in candidates}
    strongest = max((candidate.keyword for candidate in candidates), default=0.0) or 1.0
    for reworded in _reworded_matches(snapshot, question, when, request.where):
        if reworded.entry.id not in ids:
            candidates.append(reworded._replace(keyword=strongest * reworded.keyword))
    return EntryHits(candidates, hits.context, len(candidates))


def _reworded_matches(
    snapshot: Snapshot, question: Question, as_of: str, where: Filter
) -> Iterator[Candidate]:
    """Yield entries whose earlier wording matches.

    `keyword` is the share of the question's terms that match.
    """
    terms = {fold(term) for term in question.terms}
    revised = Where(state="any", revised_after=as_of)
    for entry in snapshot.select(revised, "latest", _MAX_REWORDED) if terms else ():
        past = _version_at(snapshot, entry, as_of)
        if past is None or past.content == entry.content or not where.admits(past):
            continue
        share = _share(terms, {fold(term) for term in search_terms(past.content, limit=_MAX_TERMS)})
        if share:
            yield Candidate(past, share)


def _share(terms: Set[str], words: Set[str]) -> float:
    """Return the share of the terms that occur among the words, ignoring endings."""
    return sum(any(same_stem(term, word) for word in words) for term in terms) / len(terms)


def _version_at(snapshot: Snapshot, entry: Entry, time: str) -> Entry | None:
    """Return an entry as it was at a time; None if it was not valid then."""
    versions = snapshot.history(entry.id)
    if entry.created_at > time or not versions:
        return None
    if entry.superseded_by and _existed(snapshot, entry.superseded_by, time):
        return None  # its successor was already valid then, though it was stored later
    # The first version of an imported entry may be stored later than the entry was created.
    known = [version for version in versions if version.at <= time] or versions[:1]
    past = known[-1].entry
    if past.superseded_by and not _existed(snapshot, past.superseded_by, time):
        past = _last_unsuperseded(versions, past)
    if past.superseded_by or past.archived or past.trust == "untrusted":
        return None
    return past


def _existed(snapshot: Snapshot, id_: str, time: str) -> bool:
    successor = snapshot.find([id_]).get(id_)
    return successor is None or successor.created_at <= time


def _last_unsuperseded(versions: Sequence[Version], past: Entry) -> Entry:
    """Return the last version before the entry was superseded."""
    earlier = [version.entry for version in versions if version.entry.superseded_by is None]
    return earlier[-1] if earlier else past
