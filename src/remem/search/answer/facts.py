"""Is this fact told already? It stands in its record and, where there is one, in a summary.

Of the two the line of the summary is shown, in the place of whichever comes first: a person
can read it where it stands.

Which facts answer? What is found of their files, told by the fact itself: its id and words.

A fact that was superseded is left out, unless the question is about a time when it still stood.
Where the summary of an entity tells a fact too, the fact is told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from remem.files.facts import Known
from remem.model.entity import category_of
from remem.model.entry import Entry
from remem.model.fact import Fact, in_order, valid_at
from remem.model.passage import Passage
from remem.search.answer.unmigrated import Extract, is_later
from remem.search.passages.ranking import Scored
from remem.search.query.question import Request
from remem.text.marked_line import read_mark
from remem.text.words import fold

_RECORD: Final = ".json"
_SUMMARY: Final = "summary.md"
_MOST_IDS: Final = 50


def with_facts(found: Iterable[Extract], known: Known, request: Request) -> list[Extract]:
    """What was found of the files, with facts in the place of their passages, each once."""
    found = list(found)
    folders = {
        PurePosixPath(extract.passage.path).parent for extract in found if _may_tell(extract)
    }
    standing = _standing(known, request, folders)
    told: dict[tuple[str, int], Extract] = {}
    rest: list[Extract | tuple[str, int]] = []
    for extract in found:
        passage = extract.passage
        facts = _facts_of(passage, standing)
        for fact in facts:
            place = (fact.path, fact.number)
            if place not in told:
                told[place] = _extract(fact, known, extract)
                rest.append(place)
        if not facts and not _is_of_facts(passage, request) and not request.where.narrow:
            rest.append(extract)
    return [told[extract] if isinstance(extract, tuple) else extract for extract in rest]


def listed(known: Known, request: Request) -> list[Extract]:
    """What a filter without a question admits, the latest first."""
    every = {PurePosixPath(file.path).parent for file in known.files}
    facts = [fact for some in _standing(known, request, every).values() for fact in some]
    return [_extract(fact, known) for fact in reversed(in_order(facts))]


def by_ids(text: str, known: Known) -> list[Extract]:
    """The facts that a question of nothing but their ids names; none if it says anything else."""
    words = list(dict.fromkeys(text.replace(",", " ").split()))
    if not known.files or len(words) > _MOST_IDS:
        return []
    named: dict[str, list[Fact]] = defaultdict(list)
    for fact in known.facts:
        named[fact.id].append(fact)
    if not all(word in named for word in words):
        return []
    return [_extract(fact, known) for word in words for fact in named[word]]


def _may_tell(extract: Extract) -> bool:
    return extract.passage.path.endswith((_RECORD, _SUMMARY))


def _standing(
    known: Known, request: Request, folders: Container[PurePosixPath]
) -> dict[str, list[Fact]]:
    """The facts of these folders that may be told, by their files."""
    found: dict[str, list[Fact]] = {}
    for file in known.files:
        if PurePosixPath(file.path).parent not in folders:
            continue
        then = request.as_of
        facts = valid_at(file.facts, then, file.gone) if then else list(file.facts)
        kept = [fact for fact in facts if request.where.admits(_as_entry(fact, known, request))]
        if kept:
            found[file.path] = kept
    return found


def _as_entry(fact: Fact, known: Known, request: Request) -> Entry:
    """What a filter looks at."""
    entity = known.root(fact.entity)
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


def _facts_of(passage: Passage, standing: dict[str, list[Fact]]) -> list[Fact]:
    """The fact that a passage is, or those that a line of a summary names."""
    if passage.path.endswith(_RECORD):
        lines = (passage.start, passage.end)
        return [f for f in standing.get(passage.path, ()) if (f.start, f.end) == lines]
    if not passage.path.endswith(_SUMMARY):
        return []
    ids = set(_named_in(passage.text))
    folder = PurePosixPath(passage.path).parent
    beside = (some for path, some in standing.items() if PurePosixPath(path).parent == folder)
    return [fact for some in beside for fact in some if fact.id in ids]


def _named_in(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if mark := read_mark(line):
            yield from mark.sources


def _is_of_facts(passage: Passage, request: Request) -> bool:
    """Whether a passage only tells facts, none of which may be told; or tells of a later time."""
    if passage.path.endswith(_RECORD):
        return True
    if passage.path.endswith(_SUMMARY):
        return request.as_of is not None or bool(list(_named_in(passage.text)))
    return is_later(passage, request.as_of)


def _extract(fact: Fact, known: Known, found: Extract | None = None) -> Extract:
    entity = known.root(fact.entity)
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
    new = found or Extract(passage, 1.0)
    return replace(new, passage=passage, cut=False, fact=fact, category=category)


_ONCE_SUMMARY: Final = "summary.md"
_ONCE_RECORD: Final = ".json"


def once(ranked: Sequence[Scored]) -> list[Scored]:
    """The passages in their order, each fact in one of them."""
    lines = [scored for scored in ranked if scored.passage.path.endswith(_ONCE_SUMMARY)]
    if not lines:
        return list(ranked)
    return list(_told(ranked, lines))


def _told(ranked: Sequence[Scored], lines: Sequence[Scored]) -> Iterator[Scored]:
    shown: set[int] = set()
    for scored in ranked:
        if scored.row in shown:
            continue
        line = next((line for line in lines if _tells(line, scored)), None)
        if line is None:
            shown.add(scored.row)
            yield scored
        elif line.row not in shown:
            shown.add(line.row)
            yield replace(scored, row=line.row, passage=line.passage)


def _tells(line: Scored, fact: Scored) -> bool:
    """Whether a passage of a summary tells the fact that another passage is."""
    here, there = PurePosixPath(line.passage.path), PurePosixPath(fact.passage.path)
    if there.suffix != _ONCE_RECORD or here.parent != there.parent:
        return False
    id_, colon, rest = fact.passage.text.partition(": ")
    marks = (read_mark(part) for part in line.passage.text.split("\n"))
    if colon and any(mark and id_ in mark.sources for mark in marks):
        return True
    said = fold(rest.rpartition(" (")[0] or rest)
    return bool(said) and said in fold(line.passage.text)
