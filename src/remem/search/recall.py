"""How does a question become an answer? Understand, gather, rank, fill the budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final

from remem.errors import EmbedderError, StoreError
from remem.model.entry import is_entry_id
from remem.model.passage import Source
from remem.model.recovery import RECOVERY_NOTE, recovery_from
from remem.ports.entries import Snapshot, Store
from remem.ports.models import TokenCounter
from remem.search.answer.answer import Answer, Offer, pack
from remem.search.answer.as_of import known_then
from remem.search.answer.present import (
    Manner,
    least_cost,
    order_of_filling,
    present,
    present_passage,
)
from remem.search.answer.unmigrated import Extract, is_later, places_of, taken, together, untold
from remem.search.passages.search import PassageSearch
from remem.search.query.embedding import Begun, Model, Sense, who_waits
from remem.search.query.question import Question, Request, understand
from remem.search.rank.candidates import gather, mended
from remem.search.rank.ranking import Ranked, rank
from remem.search.usage_log import Remarks
from remem.text.timestamps import day

if TYPE_CHECKING:
    from remem.files.facts import Known

_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class _Told:
    """What may be told, best first; `matched` counts what there is, told or not."""

    best_first: Iterable[Ranked | Extract]
    matched: int


@dataclass(frozen=True, slots=True)
class _Looking:
    """What the search of the files goes by; it adds to the notes what it could not do."""

    known: Known | None
    sense: Sense | None
    now: str
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Recall:
    """Answers questions from one scope's store, and from its files what no entry says yet.

    Without `remarks`, nobody remembers that it was asked.
    """

    store: Store
    files: PassageSearch
    counter: TokenCounter
    model: Model
    random_bytes: Callable[[int], bytes]
    remarks: Remarks | None
    without: frozenset[str] = frozenset()
    facts: Callable[[], Known | None] | None = None
    transcripts: bool = False

    def __call__(
        self, request: Request, now: str, prepare: Callable[[], str | None] = lambda: None
    ) -> Answer:
        """`prepare` brings the memory up to date, while a model begins to read the question; it
        returns why the files may say something else by now."""
        question = understand(request.query, day(now))
        early = None if question.ids or question.places else self._begun(question)
        stale = prepare()
        known = self.facts() if self.facts else None
        if found := self._read_by_id(question, request, known, now):
            return found
        notes = [f"the files may say more: {stale}"] if stale else []
        with self.store.read() as snapshot:
            question = mended(snapshot, question, self.model.knows)
        sensed = self._sensing(question, notes, early)
        with self.store.read() as snapshot:
            if request.as_of:
                candidates = known_then(snapshot, question, request, sensed)
                matched = len(candidates)
            else:
                candidates, matched = gather(snapshot, question, request, sensed)
            if models := [embedder.identity for embedder in self.model.embedders]:
                notes += who_waits(snapshot, models)
            notes += _recovered(snapshot, now)
        ranked = rank(candidates, question, now, self.without)
        looking = _Looking(known, sensed(), now, notes)
        beside = self._beside(question, request, ranked, looking)
        if question.text:
            room, longest = request.token_budget, _longest(request)
            ranked = order_of_filling(ranked, room, longest, request.limit)
        told = _Told(together(ranked, beside, question.terms), matched + len(beside))
        answer = self._answer(told, question, request, notes)
        if self.remarks is not None:
            self.remarks.listed(_entries_of(answer))
        return answer

    def _read_by_id(
        self, question: Question, request: Request, known: Known | None, now: str
    ) -> Answer | None:
        """A question of nothing but ids reads those entries, facts and passages whole: that is
        use. An id that is unknown is named in the notes, not searched for as if it were words.
        What anybody may have said is read only by who asks for it."""
        facts = _named_facts(question.text, known)
        if not (question.ids or question.places or facts):
            return None
        with self.store.read() as snapshot:
            found = snapshot.find(question.ids)
            notes = _recovered(snapshot, now)
        (passages, nowhere), _ = self.files.on_sound_passages(
            lambda: self.files.at(question.places)
        )
        if not (found or passages or facts or question.ids):
            return None
        untrusted = request.where.include_untrusted
        entries = [entry for entry in found if untrusted or entry.trust != "untrusted"]
        readable = [passage for passage in passages if untrusted or not passage.passage.is_talk]
        notes += _unknown(question.ids, {entry.id for entry in found}, nowhere)
        if held_back := len(found) - len(entries) + len(passages) - len(readable):
            notes.append(f"{held_back} of the ids are untrusted; include_untrusted shows them")
        ranked = [Ranked(entry, 1.0, {"id": 1.0}) for entry in entries]
        whole = replace(request, format="detailed")
        told = _Told([*ranked, *readable, *facts], len(ranked) + len(readable) + len(facts))
        answer = self._answer(told, question, whole, notes)
        if self.remarks is not None:
            self.remarks.used(_entries_of(answer))
        return answer

    def _begun(self, question: Question, early: Begun | None = None) -> Begun | None:
        """A model that reads the question; the one that began early, if nothing has changed."""
        if not question.text:
            return None
        with self.store.read() as snapshot:
            covered = Counter(snapshot.covered())
        with suppress(StoreError):  # which the search of the files will tell
            covered += Counter(self.files.covered())
        if early is not None and early.serves(question.as_spelled, covered):
            return early
        return self.model.begin(question.as_spelled, covered)

    def _sensing(
        self, question: Question, notes: list[str], early: Begun | None
    ) -> Callable[[], Sense | None]:
        """The question's vectors, or a note that says why there are none; the first who asks for
        them waits."""
        begun = self._begun(question, early)

        @cache
        def sensed() -> Sense | None:
            try:
                sense = begun.wait() if begun else None
            except EmbedderError as error:
                sense = str(error)
            if isinstance(sense, str):
                notes.append(f"keyword only: {sense}")
                return None
            return sense

        return sensed

    def _beside(
        self, question: Question, request: Request, ranked: Sequence[Ranked], how: _Looking
    ) -> list[Extract]:
        """Facts, and passages of what is not migrated yet; each of them once."""
        if not question.text:
            return _listed_facts(how.known, request)
        if request.where.narrow and how.known is None:
            return []
        try:
            today, sources = day(how.now), self._sources(request)
            found, damage = self.files.on_sound_passages(
                lambda: self.files.worth_telling(question.text, sources, today, how.sense)
            )
        except StoreError as error:
            how.notes.append(f"the files were not searched: {error}")
            return []
        if damage:
            how.notes.append(f"the files may say more: {damage}")
        found = _with_facts(found, how.known, request)
        if not found:
            return []
        with self.store.read() as snapshot:
            origins = snapshot.taken_from(places_of(extract.passage for extract in found))
        return list(untold(found, taken(origins, [each.entry for each in ranked])))

    def _sources(self, request: Request) -> tuple[Source, ...]:
        """In a transcript anybody may have spoken: it is looked at for who asks for that."""
        both = self.transcripts and request.where.include_untrusted
        return ("memory", "sessions") if both else ("memory",)

    def _answer(
        self,
        told: _Told,
        question: Question,
        request: Request,
        notes: Sequence[str],
    ) -> Answer:
        how = Manner(
            counter=self.counter,
            longest=_longest(request),
            include_context=request.include_context,
            detailed=request.format != "brief",
            why=request.why,
            nonce=self.random_bytes(6).hex(),
        )
        if not self.store.writable:
            notes = [*notes, "read-only: nothing can be stored here at present"]
        return pack(
            (_offer(each, question, how) for each in told.best_first),
            request.token_budget,
            self.counter,
            most=request.limit,
            matched=told.matched,
            notes=notes,
        )


def _unknown(ids: Sequence[str], found: Set[str], places: int) -> list[str]:
    """Notes on the ids that name nothing here, and on how many passages do not exist."""
    missing = [each for each in ids if each not in found]
    notes = []
    if missing and len(ids) == 1:
        notes.append("no memory here has this id")
    elif missing:
        more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
        notes.append(f"no memory here has the id {', '.join(missing[:_MOST_NAMED])}{more}")
    if places:
        notes.append(f"{places} of the passages are unknown here")
    return notes


def _recovered(snapshot: Snapshot, now: str) -> list[str]:
    """What the store had lost, as long as that is news."""
    found = recovery_from(snapshot.note(RECOVERY_NOTE))
    return found.sentences if found is not None and found.is_news(now) else []


def _entries_of(answer: Answer) -> list[str]:
    return [entry.id for entry in answer.entries if is_entry_id(entry.id)]


def _offer(each: Ranked | Extract, question: Question, how: Manner) -> Offer:
    if isinstance(each, Ranked):
        return Offer(least_cost(each.entry, how.longest), lambda: present(each, question, how))
    return Offer(0, lambda: present_passage(each, question, how))


def _longest(request: Request) -> int | None:
    """How many tokens of one text a brief answer shows."""
    return request.token_budget // 4 if request.format == "brief" else None


# Most memories have no facts: who asks them does not wait until what facts need is loaded.


def _named_facts(text: str, known: Known | None) -> list[Extract]:
    if known is None:
        return []
    from remem.search.answer.facts import by_ids

    return by_ids(text, known)


def _listed_facts(known: Known | None, request: Request) -> list[Extract]:
    if known is None:
        return []
    from remem.search.answer.facts import listed

    return listed(known, request)


def _with_facts(found: list[Extract], known: Known | None, request: Request) -> list[Extract]:
    """Facts in the place of their passages; and of the past no later note."""
    if known is None:
        return [extract for extract in found if not is_later(extract.passage, request.as_of)]
    from remem.search.answer.facts import with_facts

    return with_facts(found, known, request)
