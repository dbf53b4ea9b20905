"""How does a question become an answer? Understand, gather, rank, fill the budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from remem.core.moments import day
from remem.errors import EmbedderError, StoreError
from remem.ports import Clock, Snapshot, Store, TokenCounter, Transaction
from remem.recall.answer import Answer, pack
from remem.recall.beside import Extract, places_of, taken, untold
from remem.recall.meaning import with_meaning
from remem.recall.present import PASSAGE, Manner, present, present_passage
from remem.recall.question import Question, understand
from remem.recall.ranking import Candidate, Ranked, rank
from remem.recall.request import Request
from remem.recall.search import PassageSearch
from remem.recall.sensing import Model, Sense
from remem.recall.together import together

_KEYWORD_DEPTH: Final = 100
_MEANING_DEPTH: Final = 60
_NAMED_DEPTH: Final = 40
_LITTLE: Final = 3
_LEAST_MEANING: Final = 0.2
"""A cosine below this says nothing; such entries are no match."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What may be told, best first; `matched` counts what there is, told or not."""

    best_first: Iterable[Ranked | Extract]
    matched: int


@dataclass(frozen=True, slots=True)
class Recall:
    """Answers questions from one scope's store, and from its files what no entry says yet."""

    store: Store
    files: PassageSearch
    counter: TokenCounter
    model: Model
    random_bytes: Callable[[int], bytes]
    clock: Clock

    def __call__(self, request: Request, now: str, stale: str | None = None) -> Answer:
        """`stale` says why the files may say something else by now."""
        question = understand(request.query, day(now))
        if (question.ids or question.places) and (found := self._read_by_id(question, request)):
            return found
        notes = [f"the files may say more: {stale}"] if stale else []
        sense = self._sense(question, notes)
        with self.store.read() as snapshot:
            candidates, matched = _gather(snapshot, question, request, sense)
            waiting = snapshot.pending_count() if self.model.embedders else 0
        if waiting:
            notes.append(f"{waiting} entries have no vector yet; keywords find them")
        ranked = rank(candidates, question, now)
        beside = [] if request.where.narrow else self._beside(question, ranked, sense, now, notes)
        told = _Told(together(ranked, beside, question.terms), matched + len(beside))
        answer = self._answer(told, question, request, notes)
        self._remark(answer, used=False)
        return answer

    def _read_by_id(self, question: Question, request: Request) -> Answer | None:
        """A question of nothing but ids reads those entries and passages whole: that is use."""
        with self.store.read() as snapshot:
            found = snapshot.find(question.ids)
        passages, nowhere = self.files.at(question.places)
        if not found and not passages:
            return None
        untrusted = request.where.include_untrusted
        entries = [each for each in found if untrusted or each.trust != "untrusted"]
        notes = []
        if missing := len(question.ids) - len(found) + nowhere:
            notes.append(f"{missing} of the ids are unknown here")
        if held_back := len(found) - len(entries):
            notes.append(f"{held_back} of the ids are untrusted; include_untrusted shows them")
        ranked = [Ranked(entry, 1.0, {"id": 1.0}) for entry in entries]
        whole = replace(request, format="detailed")
        told = _Told([*ranked, *passages], len(ranked) + len(passages))
        answer = self._answer(told, question, whole, notes)
        self._remark(answer, used=True)
        return answer

    def _sense(self, question: Question, notes: list[str]) -> Sense | None:
        """The question's vectors, or a note that says why there are none."""
        if not question.text:
            return None
        with self.store.read() as snapshot:
            covered = Counter(snapshot.covered())
        with suppress(StoreError):  # which the search of the files will tell
            covered += Counter(self.files.covered())
        try:
            sense = self.model.sense(question.text, covered)
        except EmbedderError as error:
            sense = str(error)
        if isinstance(sense, str):
            notes.append(f"keyword only: {sense}")
            return None
        return sense

    def _beside(
        self,
        question: Question,
        ranked: Sequence[Ranked],
        sense: Sense | None,
        now: str,
        notes: list[str],
    ) -> list[Extract]:
        """Passages of what is not migrated yet, each fact once."""
        if not question.text:
            return []
        try:
            found = self.files.worth_telling(question.text, day(now), sense)
        except StoreError as error:
            notes.append(f"the files were not searched: {error}")
            return []
        if not found:
            return []
        with self.store.read() as snapshot:
            origins = snapshot.taken_from(places_of(each.passage for each in found))
        return list(untold(found, taken(origins, [each.entry for each in ranked])))

    def _answer(
        self,
        told: _Told,
        question: Question,
        request: Request,
        notes: Sequence[str],
    ) -> Answer:
        brief = request.format == "brief"
        how = Manner(
            counter=self.counter,
            longest=request.token_budget // 4 if brief else None,
            include_context=request.include_context,
            detailed=not brief,
            why=request.why,
            nonce=self.random_bytes(6).hex(),
        )
        if not self.store.writable:
            notes = [*notes, "read-only: nothing can be stored here at present"]
        return pack(
            (
                present(each, question, how)
                if isinstance(each, Ranked)
                else present_passage(each, question, how)
                for each in told.best_first
            ),
            request.token_budget,
            self.counter,
            most=request.limit,
            matched=told.matched,
            notes=notes,
        )

    def _remark(self, answer: Answer, *, used: bool) -> None:
        """Remember that it was asked; nobody waits for this."""
        ids = [each.id for each in answer.entries if each.category != PASSAGE]
        now = self.clock()

        def operation(tx: Transaction) -> None:
            tx.shown(ids, now, used=used)
            tx.keep_note("last_recall", now)

        self.store.write_later(operation)


def _gather(
    snapshot: Snapshot,
    question: Question,
    request: Request,
    sense: Sense | None,
) -> tuple[list[Candidate], int]:
    """Every entry that a leg proposes, with the scores of all legs."""
    terms = list(question.terms)
    for term in question.terms:
        if (known := snapshot.spelling(term)) and known not in terms:
            terms.append(known)
    depth = max(_KEYWORD_DEPTH, request.limit or 0)
    found = snapshot.keyword(terms, request.where, depth)
    keyword = dict(found.rows)
    near: list[int] = []
    if sense is not None:
        identity = sense.embedder.identity
        hits = snapshot.nearest(
            identity, sense.query.pooled, request.where, max(_MEANING_DEPTH, request.limit or 0)
        )
        near = [row for row, cosine in hits if cosine >= _LEAST_MEANING]
    named = _named(snapshot, question, request, found=len({*keyword, *near}))
    rows = list(dict.fromkeys([*keyword, *near, *named]))
    entries = snapshot.locate(rows)
    candidates = [
        Candidate(row, entries[row], keyword.get(row, 0.0))
        for row in rows
        if row in entries and request.where.admits(entries[row])
    ]
    if sense is not None and candidates:
        candidates = with_meaning(snapshot, sense, candidates)
    beside = len({*near, *named} - set(keyword))
    return candidates, found.total + beside


def _named(snapshot: Snapshot, question: Question, request: Request, found: int) -> list[int]:
    """Entries of the days that the question names; and where words find little, of the
    category that it names, or whatever the filter admits."""
    rows: list[int] = []
    for window in question.windows:
        span = (f"{window.first}T00:00:00Z", f"{window.last}T23:59:59Z")
        rows += snapshot.newest(request.where, span, _NAMED_DEPTH)
    if found + len(rows) >= _LITTLE:
        return rows
    if question.categories and not request.where.categories:
        where = replace(request.where, categories=tuple(sorted(question.categories)))
        rows += snapshot.newest(where, None, _NAMED_DEPTH)
    if request.where.narrow:
        rows += snapshot.newest(request.where, None, max(_NAMED_DEPTH, request.limit or 0))
    return rows
