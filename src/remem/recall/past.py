"""What was known at a time? Entries in the words that they had then, if they stood then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from remem.core.entry import Entry, Version
from remem.ports import Snapshot
from remem.recall.gather import gather
from remem.recall.question import Question
from remem.recall.ranking import Candidate
from remem.recall.request import Request
from remem.recall.sensing import Sense


def known_then(
    snapshot: Snapshot, question: Question, request: Request, sense: Sense | None
) -> list[Candidate]:
    """Candidates as they were; what came later, or was replaced by then, is left out."""
    assert request.as_of is not None
    when, where = request.as_of, replace(request.where, include_archived=True)
    found = []
    for each in gather(snapshot, question, replace(request, where=where), sense)[0]:
        past = _then(snapshot, each.entry, when)
        if past is not None:
            found.append(replace(each, entry=past))
    return found


def _then(snapshot: Snapshot, entry: Entry, when: str) -> Entry | None:
    versions = snapshot.history(entry.id)
    if entry.created_at > when or not versions:
        return None
    if entry.superseded_by and _had_begun(snapshot, entry.superseded_by, when):
        return None  # replaced by what was already so, though it was written down later
    # What came from elsewhere was written down later than it was known.
    known = [each for each in versions if each.at <= when] or versions[:1]
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
    standing = [each.entry for each in versions if each.entry.superseded_by is None]
    return standing[-1] if standing else past
