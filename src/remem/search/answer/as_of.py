"""What was known at a time? Entries in the words that they had then, if they stood then.

Full text knows the words of today. What has been reworded since is looked at by itself: its words
of then may be the ones that are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Final

from remem.model.entry import Entry, Filter, Version
from remem.ports.entries import Snapshot
from remem.search.query.embedding import Sense
from remem.search.query.question import Question, Request
from remem.search.rank.candidates import gather
from remem.search.rank.ranking import Candidate
from remem.text.words import fold, is_gram, search_terms

_MOST_REWORDED: Final = 1_000
"""So many are looked at, those that were changed last: each is read with its history."""
_LONG: Final = 2_000
_STEM: Final = 4


def known_then(
    snapshot: Snapshot, question: Question, request: Request, sensed: Callable[[], Sense | None]
) -> list[Candidate]:
    """Candidates as they were; what came later, or was replaced by then, is left out."""
    assert request.as_of is not None
    when, where = request.as_of, replace(request.where, include_archived=True)
    found = []
    for candidate in gather(snapshot, question, replace(request, where=where), sensed)[0]:
        past = _then(snapshot, candidate.entry, when)
        if past is not None:
            found.append(candidate._replace(entry=past))
    rows = {candidate.row for candidate in found}
    best = max((candidate.keyword for candidate in found), default=0.0) or 1.0
    for reworded in _by_old_words(snapshot, question, when, request.where):
        if reworded.row not in rows:
            found.append(reworded._replace(keyword=best * reworded.keyword))
    return found


def _by_old_words(
    snapshot: Snapshot, question: Question, when: str, where: Filter
) -> Iterator[Candidate]:
    """What said something of the question then; `keyword` is how much of it."""
    asked = {fold(term) for term in question.terms}
    for located in snapshot.reworded_since(when, _MOST_REWORDED) if asked else ():
        past = _then(snapshot, located.entry, when)
        if past is None or past.content == located.entry.content or not where.admits(past):
            continue
        share = _share(asked, {fold(term) for term in search_terms(past.content, limit=_LONG)})
        if share:
            yield Candidate(located.row, past, share)


def _share(asked: Set[str], said: Set[str]) -> float:
    """How many of the words were said, endings aside."""
    return sum(any(_akin(one, other) for other in said) for one in asked) / len(asked)


def _akin(one: str, other: str) -> bool:
    if one == other or is_gram(one) or is_gram(other):
        return one == other
    shorter = min(len(one), len(other))
    stem = max(_STEM, shorter - 2)
    return shorter >= _STEM and one[:stem] == other[:stem]


def _then(snapshot: Snapshot, entry: Entry, when: str) -> Entry | None:
    versions = snapshot.history(entry.id)
    if entry.created_at > when or not versions:
        return None
    if entry.superseded_by and _had_begun(snapshot, entry.superseded_by, when):
        return None  # replaced by what was already so, though it was written down later
    # What came from elsewhere was written down later than it was known.
    known = [version for version in versions if version.at <= when] or versions[:1]
    past = known[-1].entry
    if past.superseded_by and not _had_begun(snapshot, past.superseded_by, when):
        past = _before_its_end(versions, past)
    if past.superseded_by or past.archived or past.trust == "untrusted":
        return None
    return past


def _had_begun(snapshot: Snapshot, id_: str, when: str) -> bool:
    successor = snapshot.find([id_])
    return not successor or successor[0].created_at <= when


def _before_its_end(versions: Sequence[Version], past: Entry) -> Entry:
    """The last wording before it was replaced."""
    standing = [version.entry for version in versions if version.entry.superseded_by is None]
    return standing[-1] if standing else past
