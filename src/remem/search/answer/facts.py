"""Show facts in search results and answers.

In a recall, passages of a fact file or an entity summary are replaced by the facts themselves. A
superseded fact is omitted, unless the question is about a time when it was valid. In a search of
the files, each fact is shown once, by the line of the summary, because a person can read it there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from remem.files.facts import KnownFacts
from remem.model.entity import category_of
from remem.model.entry import Entry
from remem.model.fact import Fact, in_order, valid_at
from remem.model.passage import Passage
from remem.search.answer.unmigrated import Extract, is_later
from remem.search.passages.selection import ScoredResult
from remem.search.query.question import Request
from remem.search.rank.ranking import Candidate
from remem.text.marked_line import read_mark
from remem.text.words import fold

_RECORD: Final = ".json"
_SUMMARY: Final = "summary.md"
_MAX_IDS: Final = 50


def with_facts(
    extracts: Sequence[Extract], known_facts: KnownFacts, request: Request
) -> list[Extract]:
    """Replace passages that consist of facts with the facts, without duplicates."""
    paths = (extract.passage.path for extract in extracts)
    folders = {PurePosixPath(path).parent for path in paths if path.endswith((_RECORD, _SUMMARY))}
    visible = _visible_facts(known_facts, request, folders)
    shown_facts: set[tuple[str, int]] = set()
    results: list[Extract] = []
    for extract in extracts:
        facts = _facts_of(extract.passage, visible)
        for fact in facts:
            if (fact.path, fact.number) not in shown_facts:
                shown_facts.add((fact.path, fact.number))
                results.append(_extract_of(fact, known_facts, extract))
        if not (facts or request.where.is_selective or _is_hidden(extract.passage, request)):
            results.append(extract)
    return results


def without_hidden(
    candidates: Sequence[Candidate], known_facts: KnownFacts, request: Request
) -> list[Candidate]:
    """Leave out passages that cannot be in the answer, so that nothing is compared with them."""
    folders = {PurePosixPath(file.path).parent for file in known_facts.files}
    visible = _visible_facts(known_facts, request, folders)
    return [
        candidate
        for candidate in candidates
        if _facts_of(candidate.passage, visible) or not _is_hidden(candidate.passage, request)
    ]


def list_facts(known_facts: KnownFacts, request: Request) -> list[Extract]:
    """Return the facts that a filter without a question admits, latest first."""
    folders = {PurePosixPath(file.path).parent for file in known_facts.files}
    facts = [
        fact
        for facts_of_file in _visible_facts(known_facts, request, folders).values()
        for fact in facts_of_file
    ]
    return [_extract_of(fact, known_facts) for fact in reversed(in_order(facts))]


def facts_by_ids(text: str, known_facts: KnownFacts) -> list[Extract]:
    """Return the facts of a question that consists of nothing but fact ids."""
    words = list(dict.fromkeys(text.replace(",", " ").split()))
    if not known_facts.files or len(words) > _MAX_IDS:
        return []
    by_id: dict[str, list[Fact]] = defaultdict(list)
    for fact in known_facts.facts:
        by_id[fact.id].append(fact)
    if not all(word in by_id for word in words):
        return []
    return [_extract_of(fact, known_facts) for word in words for fact in by_id[word]]


def _visible_facts(
    known_facts: KnownFacts, request: Request, folders: Container[PurePosixPath]
) -> dict[str, list[Fact]]:
    """Return the facts of these folders that the request admits, by file."""
    visible: dict[str, list[Fact]] = {}
    for file in known_facts.files:
        if PurePosixPath(file.path).parent not in folders:
            continue
        moment = request.as_of
        facts = valid_at(file.facts, moment, file.tombstones) if moment else list(file.facts)
        admitted = [
            fact for fact in facts if request.where.admits(_as_entry(fact, known_facts, request))
        ]
        if admitted:
            visible[file.path] = admitted
    return visible


def _as_entry(fact: Fact, known_facts: KnownFacts, request: Request) -> Entry:
    """Return a fact as an entry, so that a filter can be applied to it."""
    entity = known_facts.root(fact.entity)
    since = fact.since or ""
    ended = None if request.as_of else fact.superseded_by or ("?" if fact.superseded else None)
    return Entry(
        id=fact.id,
        category=category_of(fact, entity.kind),
        content=fact.fact,
        created_at=since,
        updated_at=since,
        tags=(entity.name, *entity.aliases),
        superseded_by=ended,
    )


def _facts_of(passage: Passage, visible: dict[str, list[Fact]]) -> list[Fact]:
    """Return the fact that a passage consists of, or those that a summary line names."""
    if passage.path.endswith(_RECORD):
        lines = (passage.start, passage.end)
        return [f for f in visible.get(passage.path, ()) if (f.start, f.end) == lines]
    if not passage.path.endswith(_SUMMARY):
        return []
    ids = set(_cited_ids(passage.text))
    folder = PurePosixPath(passage.path).parent
    siblings = (facts for path, facts in visible.items() if PurePosixPath(path).parent == folder)
    return [fact for facts in siblings for fact in facts if fact.id in ids]


def _cited_ids(text: str) -> Iterator[str]:
    """Yield the ids of the facts that the lines of a summary cite."""
    for line in text.split("\n"):
        if mark := read_mark(line):
            yield from mark.sources


def _is_hidden(passage: Passage, request: Request) -> bool:
    """Return whether a passage is from a later time, or has only facts that are not visible."""
    if passage.path.endswith(_RECORD):
        return True
    if passage.path.endswith(_SUMMARY):
        return request.as_of is not None or bool(list(_cited_ids(passage.text)))
    return is_later(passage, request.as_of)


def _extract_of(fact: Fact, known_facts: KnownFacts, replaced: Extract | None = None) -> Extract:
    """Return a fact as part of an answer, with the score of the passage that it replaces."""
    entity = known_facts.root(fact.entity)
    passage = Passage(
        path=fact.path,
        start=fact.start,
        end=fact.end,
        text=fact.fact,
        headings=(entity.name,),
        curated=True,
        day=fact.day,
    )
    category = category_of(fact, entity.kind)
    base = replaced or Extract(passage, 1.0)
    return replace(base, passage=passage, cut=False, fact=fact, category=category)


def dedupe_facts(results: Sequence[ScoredResult]) -> list[ScoredResult]:
    """Keep each fact once: as its summary line if there is one, at the better of the two ranks."""
    lines = [result for result in results if result.ranked.passage.path.endswith(_SUMMARY)]
    shown_results: dict[str, ScoredResult] = {}
    for result in results:
        line = next((line for line in lines if _states_fact(line, result)), result)
        here, there = result.ranked.passage.citation, line.ranked.passage.citation
        if here not in shown_results and there not in shown_results:
            candidate = result.ranked.candidate._replace(item=line.ranked.passage)
            shown_results[there] = replace(
                result, ranked=result.ranked._replace(candidate=candidate)
            )
    return list(shown_results.values())


def _states_fact(line: ScoredResult, fact: ScoredResult) -> bool:
    """Return whether a summary passage states the fact of another passage."""
    passage, fact_passage = line.ranked.passage, fact.ranked.passage
    summary, record = PurePosixPath(passage.path), PurePosixPath(fact_passage.path)
    if record.suffix != _RECORD or summary.parent != record.parent:
        return False
    id_, colon, rest = fact_passage.text.partition(": ")
    marks = (read_mark(part) for part in passage.text.split("\n"))
    if colon and any(mark and id_ in mark.sources for mark in marks):
        return True
    statement = fold(rest.rpartition(" (")[0] or rest)
    return bool(statement) and statement in fold(passage.text)
