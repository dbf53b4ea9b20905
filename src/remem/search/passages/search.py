"""How is a passage found? Keywords always answer; a model joins in where it can, in time.

No answer waits for a model beyond its time, none is replayed from an earlier failure, and
each that had to do without something says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePosixPath
from typing import Final, TypeVar

from remem.errors import EmbedderError, EmbedderLate, StoreDamaged, WordsDamaged
from remem.model.arguments import MOST_RESULTS
from remem.model.passage import Passage, Source
from remem.ports.models import ModelIdentity
from remem.ports.passages import PassageReading, PassageStore
from remem.search.answer.unmigrated import Extract
from remem.search.passages.ranking import Asked, Candidate, Scored, choose, rank
from remem.search.query.embedding import Model, Patience, Sense
from remem.search.query.question import Place
from remem.search.query.terms import terms_of, to_look_for
from remem.search.rank.semantic import with_meaning
from remem.text.dates import windows
from remem.text.words import fold

T = TypeVar("T")
PATIENCE: Final = 5.0

_DEPTH: Final = 100
_MEANING_DEPTH: Final = 60
_LEAST_MEANING: Final = 0.2
_LEAST_LIKE: Final = 0.4
"""What is found by likeness alone is told from here on: of 0.7, the most that it can reach."""
_TOLD: Final = 20
_FEW_DAYS: Final = 31
_SHORT: Final = 4
"""So many words may be the name of a file."""


@dataclass(frozen=True, slots=True)
class Legs:
    """What was gathered, and what had to be done without; `late` says that a model was slow,
    `damage` why the passages had to be read again first."""

    asked: Asked
    candidates: tuple[Candidate, ...]
    model: str | None = None
    without: str | None = None
    failed: str | None = None
    late: bool = False
    damage: str | None = None

    def ranked(self, least: float | None) -> list[Scored]:
        """Best first. The default threshold is for likeness alone: words that were found stay."""
        if least is not None:
            return rank(self.candidates, self.asked, least)
        found = rank(self.candidates, self.asked, None)
        return [scored for scored in found if scored.by_keyword or scored.relevance >= _LEAST_LIKE]


@dataclass(frozen=True, slots=True)
class PassageSearch:
    """Gathers candidates from one scope's passages; `refill` reads the memory files again after
    the passages were found damaged, and returns why."""

    store: PassageStore
    model: Model
    patience: Patience
    refill: Callable[[], str | None] = lambda: None

    def on_sound_passages(self, work: Callable[[], T]) -> tuple[T, str | None]:
        """The result of `work`, and why the passages had to be read again for it, if so."""
        try:
            return work(), None
        except (StoreDamaged, WordsDamaged) as damage:
            # The store has set the damaged file aside, and begins a new one when it is next used.
            reason = self.refill() or str(damage.args[0])
            return work(), reason

    def __call__(
        self,
        query: str,
        sources: Sequence[Source],
        today: date,
        most: int,
    ) -> Legs:
        """What all legs find, within the model's time."""
        legs, damage = self.on_sound_passages(lambda: self._legs(query, sources, today, most))
        return replace(legs, damage=damage)

    def _legs(self, query: str, sources: Sequence[Source], today: date, most: int) -> Legs:
        covered = self.covered()
        sense: Sense | str | None = None
        failed: EmbedderError | None = None
        try:
            sense = self.patience(lambda: self.model.sense(query, covered))
        except EmbedderError as error:
            failed = error
        vectors = sense if isinstance(sense, Sense) else None
        asked, found = self._gathered(query, sources, today, max(_DEPTH, 2 * most), vectors)
        return Legs(
            asked,
            tuple(found),
            model=str(vectors.embedder.identity) if vectors else None,
            without=sense if isinstance(sense, str) else None,
            failed=str(failed) if failed else None,
            late=isinstance(failed, EmbedderLate),
        )

    def worth_telling(
        self, query: str, sources: Sequence[Source], today: date, sense: Sense | None
    ) -> list[Extract]:
        """Passages for who asks for memories: what a search would show first, and whatever
        else is near. The caller has the question's vectors, if there are any."""
        asked, found = self._gathered(query, sources, today, _DEPTH, sense)
        ranked = Legs(asked, tuple(found)).ranked(None)
        first = choose(ranked, MOST_RESULTS)
        near = [scored for scored in ranked[:_TOLD] if scored.relevance >= _LEAST_LIKE]
        rows = dict.fromkeys([*first, *near])
        return [Extract(row.passage, row.score, cosine=row.vector) for row in rows]

    def at(self, places: Sequence[Place]) -> tuple[list[Extract], int]:
        """The passages that stand at these places, and how many places hold none."""
        found: dict[int, Passage] = {}
        nowhere = 0
        with self.store.read() as reading:
            for place in places:
                here = {
                    row: each
                    for row, each in reading.of_file(place.path)
                    if each.start <= place.end and place.start <= each.end
                }
                exact = {
                    r: p for r, p in here.items() if (p.start, p.end) == (place.start, place.end)
                }
                found |= exact or here
                nowhere += not here
        return [Extract(value, 1.0) for value in found.values()], nowhere

    def covered(self) -> dict[ModelIdentity, int]:
        with self.store.read() as reading:
            return reading.covered()

    def _gathered(
        self, query: str, sources: Sequence[Source], today: date, depth: int, sense: Sense | None
    ) -> tuple[Asked, list[Candidate]]:
        with self.store.read() as reading:
            if not reading.counts()[1]:
                return Asked(query, (), (), {}, today), []
            asked = self._asked(reading, query, sources, today)
            return asked, _gather(reading, asked, sources, sense, depth)

    def _asked(
        self, reading: PassageReading, query: str, sources: Sequence[Source], today: date
    ) -> Asked:
        def spelling(word: str) -> str | None:
            return None if self.model.knows(word) else reading.spelling(word)

        def holders(spellings: Sequence[str]) -> int:
            return reading.keyword(spellings, sources, 1).total

        return Asked(
            query=query,
            terms=terms_of(query, spelling, holders, among=reading.counts()[1]),
            windows=tuple(windows(query, today)),
            named=_named_files(reading, query),
            today=today,
        )


def _gather(
    reading: PassageReading,
    asked: Asked,
    sources: Sequence[Source],
    sense: Sense | None,
    depth: int,
) -> list[Candidate]:
    """Every passage that a leg proposes, with the scores of all legs."""
    keyword = dict(reading.keyword(to_look_for(asked.terms), sources, depth).rows)
    if days := _days(asked):
        keyword = {**dict(reading.keyword(days, sources, depth).rows), **keyword}
    rows = dict.fromkeys(keyword)
    passages: dict[int, Passage] = {}
    for path in asked.named:
        passages |= {row: p for row, p in reading.of_file(path) if p.source in sources}
    if sense is not None:
        identity = sense.embedder.identity
        near = reading.nearest(identity, sense.query.pooled, sources, _MEANING_DEPTH)
        rows |= dict.fromkeys(row for row, cosine in near if cosine >= _LEAST_MEANING)
    passages |= reading.passages(row for row in rows if row not in passages)
    found = [Candidate(row, passages[row], keyword.get(row, 0.0)) for row in passages]
    return with_meaning(reading, sense, found) if sense is not None and found else found


def _days(asked: Asked) -> list[str]:
    """The days that a question means, as the names of notes spell them."""
    days = [
        date.fromordinal(number).isoformat()
        for window in asked.windows
        if (window.last - window.first).days < _FEW_DAYS
        for number in range(window.first.toordinal(), window.last.toordinal() + 1)
    ]
    return days[:_FEW_DAYS]


def _named_files(reading: PassageReading, query: str) -> dict[str, str]:
    """Files that the question names: by path, by name, or, where it says little else, by stem."""
    pieces = [piece.strip("\"'`,;:()[]?!").removeprefix("./") for piece in query.split()]
    whole = fold(query.strip().strip("\"'`"))
    pathlike = {fold(piece) for piece in pieces if "/" in piece or piece.endswith(".md")}
    if not pathlike and len(pieces) > _SHORT:
        return {}
    named: dict[str, str] = {}
    for path in reading.files():
        place = PurePosixPath(path)
        if fold(path) in pathlike:
            named[path] = "path"
        elif fold(place.name) in pathlike:
            named[path] = "name"
        elif fold(place.stem) == whole:
            named[path] = "stem"
    return named
