"""How does a question become an answer? Understand, gather, rank, fill the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.core.moments import day
from remem.errors import EmbedderError
from remem.ports import Clock, Embedder, QueryEmbedding, Snapshot, Store, TokenCounter, Transaction
from remem.recall.answer import Answer, pack
from remem.recall.comparable import require_comparable
from remem.recall.present import Manner, present
from remem.recall.question import Question, understand
from remem.recall.ranking import Candidate, Ranked, rank
from remem.recall.request import Request

_KEYWORD_DEPTH: Final = 100
_MEANING_DEPTH: Final = 60
_NAMED_DEPTH: Final = 40
_LITTLE: Final = 3
_LEAST_MEANING: Final = 0.2
"""A cosine below this says nothing; such entries are no match."""


@dataclass(frozen=True, slots=True)
class _Sense:
    """The question as a model sees it, and whose vectors it may be compared with."""

    embedder: Embedder
    query: QueryEmbedding


@dataclass(frozen=True, slots=True)
class Recall:
    """Answers questions from one scope's store.

    `embedders` names the wanted model first, then those whose vectors may still serve
    while the wanted one's are being made.
    """

    store: Store
    counter: TokenCounter
    embedders: Sequence[Embedder]
    without_model: str | None
    random_bytes: Callable[[int], bytes]
    clock: Clock

    def __call__(self, request: Request, now: str) -> Answer:
        question = understand(request.query, day(now))
        if question.ids and (found := self._read_by_id(question, request)):
            return found
        notes: list[str] = []
        sense = self._sense(question, notes)
        with self.store.read() as snapshot:
            candidates, matched = _gather(snapshot, question, request, sense)
            waiting = snapshot.pending_count() if self.embedders else 0
        if waiting:
            notes.append(f"{waiting} entries have no vector yet; keywords find them")
        ranked = rank(candidates, question, now)
        answer = self._answer(ranked, question, request, matched, notes)
        self._remark(answer, used=False)
        return answer

    def _read_by_id(self, question: Question, request: Request) -> Answer | None:
        """A question of nothing but ids reads those entries whole: that is use."""
        with self.store.read() as snapshot:
            found = snapshot.find(question.ids)
        if not found:
            return None
        untrusted = request.where.include_untrusted
        entries = [each for each in found if untrusted or each.trust != "untrusted"]
        notes = []
        if missing := len(question.ids) - len(found):
            notes.append(f"{missing} of the ids are unknown here")
        if held_back := len(found) - len(entries):
            notes.append(f"{held_back} of the ids are untrusted; include_untrusted shows them")
        ranked = [Ranked(entry, 1.0, {"id": 1.0}) for entry in entries]
        whole = replace(request, format="detailed")
        answer = self._answer(ranked, question, whole, len(entries), notes)
        self._remark(answer, used=True)
        return answer

    def _sense(self, question: Question, notes: list[str]) -> _Sense | None:
        """The question's vectors, from the model that most entries have vectors of."""
        if not question.text:
            return None
        if not self.embedders:
            notes.append(f"keyword only: {self.without_model or 'no model is configured'}")
            return None
        try:
            embedder = self._most_covered()
            if embedder is None:
                return None
            if not embedder.reads(question.text):
                notes.append("keyword only: the model does not read this script")
                return None
            return _Sense(embedder, _asked(embedder, question.text))
        except EmbedderError as error:
            notes.append(f"keyword only: {error}")
            return None

    def _most_covered(self) -> Embedder | None:
        """One that cannot even name itself does not stand in the way of the others."""
        with self.store.read() as snapshot:
            covered = snapshot.covered()
        counts: dict[Embedder, int] = {}
        unavailable: EmbedderError | None = None
        for each in self.embedders:
            try:
                counts[each] = covered.get(each.identity, 0)
            except EmbedderError as error:
                unavailable = error
        best = max(counts, key=lambda each: counts[each], default=None)
        if best is not None and counts[best]:
            return best
        if unavailable is not None:
            raise unavailable
        return None

    def _answer(
        self,
        ranked: Sequence[Ranked],
        question: Question,
        request: Request,
        matched: int,
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
        shown = (present(each, question, how) for each in ranked)
        return pack(
            shown,
            request.token_budget,
            self.counter,
            most=request.limit,
            matched=matched,
            notes=notes,
        )

    def _remark(self, answer: Answer, *, used: bool) -> None:
        """Remember that it was asked; nobody waits for this."""
        ids, now = [each.id for each in answer.entries], self.clock()

        def operation(tx: Transaction) -> None:
            tx.shown(ids, now, used=used)
            tx.keep_note("last_recall", now)

        self.store.write_later(operation)


def _asked(embedder: Embedder, text: str) -> QueryEmbedding:
    """The question's vectors, if they can be compared with those that are stored."""
    query = embedder.embed_query(text)
    require_comparable(query.pooled, embedder.identity)
    return query


def _gather(
    snapshot: Snapshot,
    question: Question,
    request: Request,
    sense: _Sense | None,
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
        candidates = _with_meaning(snapshot, sense, candidates)
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


def _with_meaning(
    snapshot: Snapshot, sense: _Sense, candidates: Sequence[Candidate]
) -> list[Candidate]:
    """Fill in both model legs, also for what only the keywords found."""
    from remem.recall.late import interaction  # numpy, which a keyword search does not need

    vectors = snapshot.vectors_of(sense.embedder.identity, [each.row for each in candidates])
    memories = [vectors[each.row].tokens if each.row in vectors else None for each in candidates]
    late = interaction(sense.query, memories)
    return [
        replace(
            each,
            meaning=float(vectors[each.row].pooled @ sense.query.pooled)
            if each.row in vectors
            else None,
            tokens=float(late[i]) if late is not None and memories[i] is not None else None,
        )
        for i, each in enumerate(candidates)
    ]
