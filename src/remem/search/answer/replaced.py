"""Answer questions about the past, and about changes, with what was replaced too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from remem.model.entry import Entry
from remem.ports.entries import Snapshot
from remem.search.query.embedding import QuestionVectors
from remem.search.query.question import Question, Request
from remem.search.rank.candidates import EntryHits, gather_entries


def gather_with_replaced(
    snapshot: Snapshot,
    question: Question,
    request: Request,
    embedded: Callable[[], QuestionVectors | None],
) -> tuple[Request, EntryHits]:
    """Return the entries found, replaced ones included, and the request that admits those.

    What was forgotten or has expired is left out, even if something has replaced it.
    """
    request = replace(request, where=replace(request.where, include_archived=True))
    hits = gather_entries(snapshot, question, request, embedded)
    kept = [candidate for candidate in hits.candidates if not _is_forgotten(candidate.entry)]
    matched = hits.matched - len(hits.candidates) + len(kept)
    return request, replace(hits, candidates=kept, matched=matched)


def _is_forgotten(entry: Entry) -> bool:
    return entry.archived and entry.archive_reason != "faded"
