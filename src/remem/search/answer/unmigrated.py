"""What do the files say that no entry says yet? Their passages, without what was taken over.

A line is taken over if an entry names it as its origin and says most of its words, or if an
entry of the answer says every one of them: one word may be the number that tells two lines apart.
An origin alone proves nothing: the file may have been edited since.

In which order are entries and passages told? Each kind keeps its own; between the two
decides how much of the question each of them says. A passage of which lines were left out is no
longer what was ranked: it stands where the rest of it belongs.

The scores of the two rankings cannot be compared: each is relative to its own candidates. How
many of the question's words a text holds, and how near it lies in meaning, can.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from typing import TYPE_CHECKING, Final

from remem.model.entry import Category, Entry
from remem.model.passage import Passage
from remem.search.query.terms import coverage_among
from remem.search.rank.ranking import Ranked
from remem.text.line_status import without_annotations
from remem.text.words import fold, words

if TYPE_CHECKING:
    from remem.model.fact import Fact


_NAMED: Final = 0.5
_FEW: Final = 3
_CONTEXT: Final = 200


@dataclass(frozen=True, slots=True)
class Extract:
    """A passage, or what is left of it; `cut` says that something is missing.

    If it is a `fact`, that is what is told, under its `category`.
    """

    passage: Passage
    score: float
    cut: bool = False
    cosine: float | None = None
    fact: Fact | None = None
    category: Category | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """The words of the entries that came from a line, and of those that the answer tells."""

    by_place: Mapping[tuple[str, int], Sequence[frozenset[str]]]
    told: Sequence[frozenset[str]]

    def has(self, path: str, line: int, text: str) -> bool:
        spoken = frozenset(words(without_annotations(text)))
        if not spoken:
            return False
        origins = self.by_place.get((path, line), ())
        if any(_share(spoken, origin) >= _NAMED for origin in origins):
            return True
        few = len(spoken) < _FEW  # which a long entry may hold by chance
        return not few and any(spoken <= each for each in self.told)


def taken(entries: Iterable[Entry], told: Iterable[Entry]) -> Taken:
    """`entries` are those that name a line as their origin; `told` those of the answer."""
    by_place: dict[tuple[str, int], list[frozenset[str]]] = {}
    for entry in entries:
        spoken = frozenset(words(entry.content))
        for origin in entry.origins:
            if origin.position is not None:
                by_place.setdefault((origin.source, origin.position), []).append(spoken)
    return Taken(by_place, [frozenset(words(entry.content)) for entry in told])


def places_of(passages: Iterable[Passage]) -> list[tuple[str, int]]:
    """Every line from which an entry may have come."""
    return [
        (passage.path, line)
        for passage in passages
        for line in range(passage.start, passage.end + 1)
    ]


def untold(found: Iterable[Extract], known: Taken) -> Iterator[Extract]:
    """What is left of each passage; each line once."""
    seen: set[str] = set()
    for extract in found:
        passage = extract.passage
        kept = [
            text
            for line, text in _statements(passage)
            if not known.has(passage.path, line, text) and fold(text) not in seen
        ]
        if not any(words(text) for text in kept):
            continue
        seen.update(fold(text) for text in kept if words(text))
        text = "\n".join(kept)
        yield replace(extract, passage=replace(passage, text=text), cut=text != passage.text)


def is_later(passage: Passage, as_of: str | None) -> bool:
    """Whether a passage tells of a day after the one that is asked about."""
    return bool(as_of and passage.day and passage.day > as_of[:10])


def shown_text(passage: Passage) -> str:
    """What the passage says, under what it stands under."""
    above = " › ".join((*passage.headings, *passage.within))
    text = without_annotations(passage.text)
    return f"{above[:_CONTEXT]}\n{text}" if above else text


def _statements(passage: Passage) -> Iterator[tuple[int, str]]:
    """What the passage says, each with its first line.

    A curated passage is one statement; in another it is a line with those that go on with it.
    """
    if passage.curated:
        yield passage.start, passage.text
        return
    lines = passage.text.split("\n")
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and _goes_on(lines[end]):
            end += 1
        yield passage.start + at, "\n".join(lines[at:end])
        at = end


def _goes_on(line: str) -> bool:
    """Whether a line belongs to the statement above it."""
    return line[:1] in (" ", "\t") and line.strip()[:2] not in ("- ", "* ", "+ ", "")


def _share(spoken: frozenset[str], said: frozenset[str]) -> float:
    return len(spoken & said) / len(spoken)


_VERY_NEAR: Final = 0.7
_LOOKED_AT: Final = 60
"""What stands behind so many entries finds no room in any budget that is asked for."""


def together(
    entries: Sequence[Ranked], passages: Sequence[Extract], terms: Sequence[str]
) -> Iterator[Ranked | Extract]:
    """Best first; of equals, the entry."""
    if not passages:
        yield from entries
        return
    first, behind = entries[:_LOOKED_AT], entries[_LOOKED_AT:]
    texts = [*map(_as_passage, first), *(passage.passage for passage in passages)]
    items: list[Ranked | Extract] = [*first, *passages]
    said = zip(coverage_among(terms, texts), items, strict=True)
    near = [(_nearness(share, item.cosine), item) for share, item in said]
    of_files = near[len(first) :]
    legs = (
        _falling(near[: len(first)]),
        _falling([file for file in of_files if not _is_cut(file[1])]),
        sorted((file for file in of_files if _is_cut(file[1])), key=_order),
    )
    for _, item in merge(*legs, key=_order):
        yield item
    yield from behind


def _is_cut(item: Ranked | Extract) -> bool:
    return isinstance(item, Extract) and item.cut


def _falling(
    near: Sequence[tuple[float, Ranked | Extract]],
) -> Iterator[tuple[float, Ranked | Extract]]:
    """Each item with the least nearness so far, so that the order of its kind is kept."""
    least = 1.0
    for nearness, item in near:
        least = min(least, nearness)
        yield least, item


def _order(item: tuple[float, Ranked | Extract]) -> float:
    return -item[0]


def _nearness(share: float, cosine: float | None) -> float:
    """From 0 to 1; comparable between any two texts that were asked the same."""
    if cosine is None:
        return share
    return (share + min(1.0, max(0.0, cosine) / _VERY_NEAR)) / 2


def _as_passage(ranked: Ranked) -> Passage:
    entry = ranked.entry
    return Passage("", 1, 1, " ".join((entry.content, entry.context or "", *entry.tags)))
