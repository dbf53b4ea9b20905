"""Find entries, facts and passages by their ids, for a question that consists of nothing else.

They are returned complete. Unknown ids are listed in the notes instead of being searched for as
words, and untrusted content is returned only on request.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Final

from remem.model.passage import Passage
from remem.ports.entries import Snapshot
from remem.ports.passages import PassageReader
from remem.search.answer.present import mark_outdated
from remem.search.answer.unmigrated import Extract
from remem.search.passages.search import OpenPassages
from remem.search.query.question import LineRange, Question
from remem.search.rank.ranking import Candidate, RankedCandidate

if TYPE_CHECKING:
    from remem.files.facts import KnownFacts

NO_ENTRY: Final = "no entry here has"
_MAX_LISTED_IDS: Final = 5


def find_by_id(
    question: Question,
    entries: Snapshot,
    passages: OpenPassages,
    known_facts: KnownFacts | None,
    *,
    untrusted: bool,
) -> tuple[list[RankedCandidate | Extract], list[str]] | None:
    """Return the results, and notes about ids that were not found.

    The result is None if the question has other words too, so that it has to be searched.
    """
    facts: list[Extract] = []
    if known_facts is not None:
        from remem.search.answer.facts import facts_by_ids  # lazy: most memories have no facts

        facts = facts_by_ids(question.text, known_facts)
    if not (question.ids or question.lines or facts):
        return None
    by_id = entries.find(question.ids)
    found = [by_id[id_] for id_ in question.ids if id_ in by_id]
    extracts, missing = passages.read(lambda reader: _passages_at(reader, question.lines))
    if not (found or extracts or facts or question.ids):
        return None
    trusted = [entry for entry in found if untrusted or entry.trust != "untrusted"]
    readable = [extract for extract in extracts if untrusted or not extract.passage.is_talk]
    notes = unknown_notes(question.ids, {entry.id for entry in found}, missing)
    if withheld := len(found) - len(trusted) + len(extracts) - len(readable):
        notes.append(f"{withheld} of the ids are untrusted (hint: set include_untrusted)")
    ranked = (RankedCandidate(Candidate(entry), 1.0, {"id": 1.0}) for entry in trusted)
    return [
        *mark_outdated(ranked, entries),
        *readable,
        *facts,
    ], notes


def _passages_at(reader: PassageReader, ranges: Sequence[LineRange]) -> tuple[list[Extract], int]:
    """Return the passages in these ranges, and the number of ranges without any."""
    passages: dict[int, Passage] = {}
    missing = 0
    for lines in ranges:
        here = {
            number: passage
            for number, passage in reader.of_file(lines.path)
            if passage.start <= lines.end and lines.start <= passage.end
        }
        exact = {n: p for n, p in here.items() if (p.start, p.end) == (lines.start, lines.end)}
        passages |= exact or here
        missing += not here
    return [Extract(value, 1.0) for value in passages.values()], missing


def unknown_notes(ids: Sequence[str], found_ids: Set[str], missing_passages: int) -> list[str]:
    """Return notes about unknown ids and passages."""
    missing = [id_ for id_ in ids if id_ not in found_ids]
    notes = []
    if missing and len(ids) == 1:
        notes.append(f"{NO_ENTRY} this id")
    elif missing:
        rest = len(missing) - _MAX_LISTED_IDS
        more = f" and {rest} more" if rest > 0 else ""
        notes.append(f"{NO_ENTRY} the id {', '.join(missing[:_MAX_LISTED_IDS])}{more}")
    if missing_passages:
        notes.append(f"{missing_passages} of the passages were not found")
    return notes
