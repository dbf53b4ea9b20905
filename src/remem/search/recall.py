"""Answer a recall: parse the question, gather candidates, rank them, fill the token budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from remem.entries.sync import Sync
from remem.errors import StoreError
from remem.fast_dataclass import dataclass
from remem.model.entry import Entry, is_entry_id
from remem.model.passage import Source
from remem.ports.entries import Snapshot, Store
from remem.ports.models import ModelIdentity, TokenCounter
from remem.ports.state import RECOVERY
from remem.search.answer.answer import Answer, pack
from remem.search.answer.present import AnswerStyle, fill_order, mark_outdated, offer
from remem.search.answer.unmigrated import Extract, extract_of, is_later, not_in_entries
from remem.search.passages.search import OpenPassages, ScopeSearch, score_together, with_coverage
from remem.search.passages.selection import Relevance, passages_for_recall
from remem.search.query.embedding import (
    PendingQuery,
    QueryEmbedder,
    QuestionVectors,
    pending_vector_notes,
    vectors_when_ready,
)
from remem.search.query.intent import asks_for_replaced
from remem.search.query.question import Question, Request, parse_question
from remem.search.query.terms import Term
from remem.search.rank.candidates import EntryHits, correct_spelling, gather_entries
from remem.search.rank.currency import prefer_current
from remem.search.rank.passages import PassageHits, gather_passages
from remem.search.rank.ranking import Candidate, RankedCandidate, rank
from remem.search.usage_log import UsageLog
from remem.text.timestamps import local_day

if TYPE_CHECKING:
    from remem.files.facts import KnownFacts
    from remem.ports.passages import PassageReader

_MANY_MISSING: Final = 20
_WARM_UP_TEXT: Final = "mem-"
"""Counting its tokens makes the tokenizer build its tables while the question is embedded."""


@dataclass(slots=True)
class _State:
    """The entries, passages and facts that an answer is computed from, and its notes so far."""

    now: str
    entries: Snapshot
    passages: OpenPassages
    facts: KnownFacts | None = None
    notes: list[str] = field(default_factory=list)
    clarity_notes: tuple[str, ...] = ()
    """A note if nothing clearly matches the question."""

    def missing_vectors(self) -> str | None:
        """Return a note if many texts have no vector yet, as right after a migration."""
        states = [self.entries.vector_state()]
        with suppress(StoreError):  # reported when the files are searched
            states.append(self.passages.read(lambda reader: reader.vector_state()))
        missing = sum(counts.pending for counts in states)
        if missing < _MANY_MISSING or missing * 10 < sum(
            sum(counts.vectors.values()) for counts in states
        ):
            return None
        quick = any(any(counts.quick.values()) for counts in states)
        until_then = "have approximate vectors" if quick else "are found by words only"
        return f"{missing:,} texts are not embedded yet and {until_then}"

    def vector_counts(self) -> Counter[ModelIdentity]:
        """Return the number of vectors of each model."""
        counts = Counter(self.entries.vector_state().vectors)
        with suppress(StoreError):  # reported when the files are searched
            counts += Counter(self.passages.read(lambda reader: reader.vector_state().vectors))
        return counts


@dataclass(frozen=True, slots=True)
class Recall:
    """Answers questions from the entries of one scope, and from passages that no entry covers yet.

    Without `sync`, entries are not brought up to date first; without a `usage_log`, their use is
    not recorded. `excluded_signals` are ignored in ranking, for measurements. Entries of `project`,
    the current one, are preferred.
    """

    store: Store
    sync: Sync | None
    files: ScopeSearch
    counter: TokenCounter
    model: QueryEmbedder
    random_bytes: Callable[[int], bytes]
    usage_log: UsageLog | None
    excluded_signals: frozenset[str] = frozenset()
    facts: Callable[[], KnownFacts | None] | None = None
    transcripts: bool = False
    project: str | None = None

    def __call__(self, request: Request, now: str) -> Answer:
        """Answer a request.

        If entries or files have changed, they are brought up to date while a model is already
        embedding the question.
        """
        zone = self.files.zone
        question = parse_question(request.query, local_day(now, zone), zone)
        with ExitStack() as stack:
            state = self._open(stack, now)
            begun_query = None if question.ids or question.lines else self._begin(question, state)
            if self.sync is not None and self.sync.is_due(state.entries, question.ids):
                damage = state.passages.damage
                stack.close()
                self.sync.before_recall(question.ids, question.text)
                state = self._open(stack, now)
                state.passages.damage = damage
            stale = state.passages.bring_up_to_date(question.text)
            stale = stale or (self.sync.behind if self.sync else None)
            state.facts = self.facts() if self.facts else None
            answer = self._read_by_id(question, request, state)
            if answer is not None:
                return answer
            if stale:
                state.notes.append(f"results may be out of date: {stale}")
            return self._search(question, request, state, begun_query)

    def _open(self, stack: ExitStack, now: str) -> _State:
        entries = stack.enter_context(self.store.read())
        return _State(now, entries, stack.enter_context(self.files.open()))

    def _search(
        self, question: Question, request: Request, state: _State, begun_query: PendingQuery | None
    ) -> Answer:
        notes = state.notes
        find_spellings = state.entries.stored_spelling, state.passages.stored_spelling
        question = correct_spelling(question, self.model.knows, *find_spellings)
        embedded = vectors_when_ready(self._begin(question, state, begun_query), notes)
        self.counter.count(_WARM_UP_TEXT)
        if request.as_of:
            from remem.search.answer.as_of import candidates_as_of  # lazy: rarely asked for

            entries = candidates_as_of(state.entries, question, request, embedded)
        elif asks_for_replaced(question.text) and not request.where.include_archived:
            from remem.search.answer.replaced import gather_with_replaced  # lazy, as above

            request, entries = gather_with_replaced(state.entries, question, request, embedded)
        else:
            entries = gather_entries(state.entries, question, request, embedded)
        if models := [embedder.identity for embedder in self.model.embedders]:
            notes += pending_vector_notes(state.entries, models)
        notes += _recovery_notes(state)
        ranked, extracts = self._rank(entries, question, request, state, embedded())
        if question.text and self.model.embedders and (missing := state.missing_vectors()):
            notes.append(missing)
        if question.text:
            extracts = not_in_entries(state.entries, extracts, ranked, question.terms)
        results: list[RankedCandidate | Extract] = [
            *mark_outdated(ranked, state.entries),
            *extracts,
        ]
        if question.text:
            results = fill_order(results, request.token_budget, _max_tokens(request), request.limit)
        notes += state.clarity_notes if results else ()
        answer = self._answer(results, entries.matched + len(extracts), question, request, notes)
        if self.usage_log is not None:
            self.usage_log.record_shown(_entry_ids(answer))
        return answer

    def _rank(
        self,
        entries: EntryHits,
        question: Question,
        request: Request,
        state: _State,
        query: QuestionVectors | None,
    ) -> tuple[list[RankedCandidate], list[Extract]]:
        """Rank entries, facts and passages together; return the entries, then the others."""
        known_facts, notes = state.facts, state.notes
        moment = min(state.now, request.as_of or state.now)
        if not question.text or (known_facts is None and request.where.is_selective):
            candidates = score_together(query, entries, state.entries, [], None)
            ranked = rank(candidates, question, moment, self.excluded_signals, self.project)
            if known_facts is None or question.text:
                return ranked, []
            from remem.search.answer.facts import list_facts

            return ranked, list_facts(known_facts, request)

        def with_passages(reader: PassageReader) -> tuple[list[Candidate], PassageHits]:
            hits = gather_passages(reader, question, self._sources(request), lambda: query)
            passages = _without_later(hits.candidates, known_facts, request)
            covered = with_coverage(entries, hits.terms)
            return score_together(query, covered, state.entries, passages, reader), hits

        try:
            candidates, hits = state.passages.read(with_passages)
        except StoreError as error:
            notes.append(f"the files were not searched: {error}")
            candidates = score_together(query, entries, state.entries, [], None)
            hits = PassageHits([], question, tuple(map(Term, question.terms)))
        corrected = hits.question
        damage = state.passages.damage  # any step since the refresh may have found it
        if damage and not any(damage in note for note in notes):
            notes.append(f"results may be out of date: {damage}")
        ranked = rank(candidates, corrected, moment, self.excluded_signals, self.project)
        ranked, problem = self.files.rerank(ranked, corrected.text)
        if problem:
            notes.append(problem)
        ranked = prefer_current(
            ranked,
            corrected,
            hits.terms,
            local_day(moment, question.zone),
            self.excluded_signals,
        )
        if query is not None:
            from remem.search.rank.clarity import NO_CLEAR_MATCH, with_clarity  # lazy

            ranked, clear = with_clarity(ranked, corrected, hits.terms, hits.total)
            state.clarity_notes = () if clear else (NO_CLEAR_MATCH,)
        passages = passages_for_recall(ranked, Relevance(candidates, corrected))
        entries_found = [result for result in ranked if isinstance(result.item, Entry)]
        return entries_found, _with_facts([extract_of(p) for p in passages], known_facts, request)

    def _read_by_id(self, question: Question, request: Request, state: _State) -> Answer | None:
        """Answer a question that consists of ids only; reading an entry this way counts as use."""
        if not (question.ids or question.lines or state.facts):
            return None
        from remem.search.answer.by_id import find_by_id  # lazy: most questions have no ids

        untrusted = request.where.include_untrusted
        by_id = find_by_id(
            question, state.entries, state.passages, state.facts, untrusted=untrusted
        )
        if by_id is None:
            return None
        results, notes = by_id
        notes = [*_recovery_notes(state), *notes]
        detailed = replace(request, format="detailed")
        answer = self._answer(results, len(results), question, detailed, notes)
        if self.usage_log is not None:
            self.usage_log.record_used(_entry_ids(answer))
        return answer

    def _begin(
        self, question: Question, state: _State, begun_query: PendingQuery | None = None
    ) -> PendingQuery | None:
        """Start embedding the question; reuse `begun_query` if nothing has changed since."""
        if not question.text:
            return None
        vector_counts = state.vector_counts()
        if begun_query is not None and begun_query.is_for(question.corrected_text, vector_counts):
            return begun_query
        return self.model.begin(question.corrected_text, vector_counts)

    def _sources(self, request: Request) -> tuple[Source, ...]:
        """Include transcripts only on request, because anybody may have spoken there."""
        with_transcripts = self.transcripts and request.where.include_untrusted
        return ("memory", "sessions") if with_transcripts else ("memory",)

    def _answer(
        self,
        results: Iterable[RankedCandidate | Extract],
        match_count: int,
        question: Question,
        request: Request,
        notes: Sequence[str],
    ) -> Answer:
        """Fill the answer with `results`, in the given order; `match_count` counts all matches."""
        style = AnswerStyle(
            counter=self.counter,
            max_tokens=_max_tokens(request),
            include_context=request.include_context,
            detailed=request.format != "brief",
            why=request.why,
            nonce=self.random_bytes(6).hex(),
            project=self.project,
        )
        if not self.store.writable:
            notes = [*notes, "read-only: nothing can be stored at present"]
        return pack(
            (offer(result, question, style) for result in results),
            request.token_budget,
            self.counter,
            limit=request.limit,
            match_count=match_count,
            notes=notes,
        )


def _recovery_notes(state: _State) -> list[str]:
    """Return notes about a recent recovery of the store."""
    recovery = state.entries.record(RECOVERY)
    return recovery.sentences if recovery is not None and recovery.is_recent(state.now) else []


def _entry_ids(answer: Answer) -> list[str]:
    return [entry.id for entry in answer.entries if is_entry_id(entry.id)]


def _max_tokens(request: Request) -> int | None:
    """Return the maximum number of tokens of one text in the answer; None for no limit."""
    return request.token_budget // 4 if request.format == "brief" else None


def _without_later(
    candidates: list[Candidate], known_facts: KnownFacts | None, request: Request
) -> list[Candidate]:
    """Leave out passages from after the time that a question asks about.

    They must not make a statement that was valid then look outdated.
    """
    if request.as_of is None:
        return candidates
    if known_facts is None:
        return [c for c in candidates if not is_later(c.passage, request.as_of)]
    from remem.search.answer.facts import without_hidden

    return without_hidden(candidates, known_facts, request)


def _with_facts(
    extracts: list[Extract], known_facts: KnownFacts | None, request: Request
) -> list[Extract]:
    """Replace passages with their facts; for a question about the past, omit later passages."""
    if known_facts is None:
        return [extract for extract in extracts if not is_later(extract.passage, request.as_of)]
    from remem.search.answer.facts import with_facts

    return with_facts(extracts, known_facts, request)
