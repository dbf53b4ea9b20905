"""Curation: verdicts of the owner, agents and models on lines of the index and other memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeVar

from remem.admin.curate.answers import JudgedPage, VerdictHandler
from remem.admin.curate.batch import GUIDANCE, Batch, BatchBuilder, CurationView, view_of
from remem.admin.curate.conversation_lines import ConversationLines
from remem.admin.curate.departures import departures
from remem.admin.curate.doubts import Doubts
from remem.admin.curate.file_lines import FileLine, file_lines, unstored_lines
from remem.admin.curate.given import GivenAnswer, read_answers, with_items
from remem.admin.curate.habits import Habits
from remem.admin.curate.headings import with_lines
from remem.admin.curate.lines import CandidateLines, keys_left_out
from remem.admin.curate.names import ItemNames, short_name
from remem.admin.curate.result import Curation, Refusal, Verdicts
from remem.app.context import Resources, SessionContext
from remem.app.services.entries import EntryService
from remem.app.services.index_choices import verdict_views
from remem.disclose.gate_guard import GateGuard
from remem.entries.verdicts import all_verdicts, save_verdict
from remem.errors import ConfigError, InvalidInput
from remem.model.arguments import MAX_BUDGET, MIN_BUDGET, one_of, whole_number
from remem.model.verdict import OWNER, TOPICS, Topic, Verdict
from remem.ports.entries import EntryReader, Snapshot, Transaction
from remem.search.answer.answer import answer_text
from remem.text.note_dates import iso_date_in_name

_ANSWER_FRAME_TOKENS: Final = 60
"""The cost of an answer without its task, lines and items."""
T = TypeVar("T")


class _RollBack(Exception):
    """Ends a transaction whose changes must not be kept."""


@dataclass(frozen=True, slots=True)
class CurationService:
    """Handles verdicts on the entries of one scope."""

    context: SessionContext
    resources: Resources
    entries: EntryService
    gate_guard: GateGuard
    conversation_lines: ConversationLines

    def curate(
        self, verdicts: Sequence[Mapping[str, Any]], topic: str | None, token_budget: int
    ) -> Curation:
        """Return the next items to judge or, if there are verdicts, their outcomes."""
        self.gate_guard.require()
        checked_topic = one_of(topic, TOPICS, "topic") if topic is not None else None
        if not verdicts:
            return self._next_items(checked_topic, token_budget)
        return self._apply(read_answers(verdicts), self._author(), checked_topic, token_budget)

    def ask_model(self, topic: str | None, token_budget: int) -> Curation:
        """Let the configured language model judge the next items, with an agent's rights."""
        self._require_owner("remem curate --llm")
        chat = self.resources.chat()
        if chat is None:
            raise ConfigError(
                "no language model is configured", hint="set llm_url in .remem/config.toml"
            )
        from remem.admin.curate.model_judge import ask_model

        checked_topic = one_of(topic, TOPICS, "topic") if topic is not None else None
        batch = self._next_items(checked_topic, token_budget)
        if not (batch.lines or batch.items):
            return Curation(waiting=len(self._proposals()))
        answers, refused = ask_model(chat, batch)
        curation = self._apply(answers, "model", checked_topic, token_budget)
        return replace(curation, refused=(*refused, *curation.refused))

    def accept(self, numbers: Sequence[int]) -> Curation:
        """Apply the proposals with these numbers, or all of them."""
        self._require_owner("remem curate --accept")
        proposals = self._proposals(numbers)
        now, deps, lines = self.context.now(), self.entries.deps, self._all_file_lines()

        def operation(tx: Transaction) -> list[Verdict | Refusal]:
            handler = VerdictHandler(tx, OWNER, now, deps, _unstored(lines, tx))
            return [handler.accept(proposal) for proposal in proposals]

        return self._report(self.entries.store.write(operation), lines)

    def decline(self, numbers: Sequence[int]) -> Verdicts:
        """Decline the proposals with these numbers, or all of them; they are not made again."""
        self._require_owner("remem curate --decline")
        declined = [replace(proposal, state="declined") for proposal in self._proposals(numbers)]

        def operation(tx: Transaction) -> None:
            for proposal in declined:
                save_verdict(tx, proposal)

        self.entries.store.write(operation)
        self.entries.sync.after_write()
        return Verdicts(tuple(verdict_views(declined, self.entries.store)))

    def _next_items(self, topic: Topic | None, token_budget: int) -> Curation:
        budget = whole_number(token_budget, MIN_BUDGET, MAX_BUDGET, "token_budget")
        lines = self._all_file_lines()
        view, batch = self._preview_batch(lines, topic, budget)
        waiting = len(self._proposals())
        left_out = tuple(view.groups(batch.left_out))
        page = view.as_page() if topic in (None, "index") else None
        if not (view.page or left_out or batch.items):
            return Curation(waiting=waiting)
        return Curation(
            task=GUIDANCE,
            page=page,
            left_out=left_out,
            items=tuple(batch.items),
            remaining=batch.remaining,
            waiting=waiting,
        )

    def _preview_batch(
        self, lines: Sequence[FileLine], topic: Topic | None, budget: int
    ) -> tuple[CurationView, Batch]:
        """Return all that could be judged if the proposals were accepted, and a batch of it."""
        count = self.entries.deps.counter.count
        limit = self.context.config.index_tokens
        with self.entries.store.read() as current:
            habits = _habits(current)

        def collect(snapshot: Snapshot) -> tuple[CurationView, Batch]:
            candidates = self._candidates(snapshot, lines, habits)
            available = max(budget - _ANSWER_FRAME_TOKENS - count(GUIDANCE), 0)
            view = view_of(candidates, limit, self.entries.deps.counter).cut_to_budget(available)
            page_text = answer_text(view.as_page()) if topic in (None, "index") else ""
            builder = BatchBuilder(view, max(available - count(page_text), 0))
            batch = builder.fill(topic, self._doubts(snapshot, candidates))
            return view, replace(batch, remaining=batch.remaining + len(view.hidden))

        return self._read_after(self._accept_all(lines), collect)

    def _read_after(
        self, change: Callable[[Transaction], None] | None, read: Callable[[Snapshot], T]
    ) -> T:
        """Return what `read` returns after a change, which is then undone; None changes nothing."""
        if change is None:
            with self.entries.store.read() as snapshot:
                return read(snapshot)
        results: list[T] = []

        def operation(tx: Transaction) -> None:
            change(tx)
            results[:] = [read(tx)]
            raise _RollBack

        with suppress(_RollBack):
            self.entries.store.write(operation)
        return results[0]

    def _accept_all(self, lines: Sequence[FileLine]) -> Callable[[Transaction], None] | None:
        """Return the change that accepts all proposals; None without proposals."""
        proposals, now = self._proposals(), self.context.now()

        def accept_all(tx: Transaction) -> None:
            handler = VerdictHandler(tx, OWNER, now, self.entries.deps, _unstored(lines, tx))
            for proposal in proposals:
                handler.accept(proposal)

        return accept_all if proposals else None

    def _candidates(
        self, snapshot: Snapshot, lines: Sequence[FileLine], habits: Habits
    ) -> CandidateLines:
        index, unstored = self.entries.index_of(snapshot), _unstored(lines, snapshot)
        verdicts = all_verdicts(snapshot)
        return CandidateLines(snapshot, index, verdicts, list(unstored.values()), habits)

    def _doubts(self, snapshot: Snapshot, candidates: CandidateLines) -> Doubts:
        nonce = partial(_nonce, self.resources.random_bytes)
        return Doubts(snapshot, candidates.verdicts, candidates.habits, nonce)

    def _apply(
        self, answers: Sequence[GivenAnswer], author: str, topic: Topic | None, token_budget: int
    ) -> Curation:
        now, deps, lines = self.context.now(), self.entries.deps, self._all_file_lines()
        view, batch = self._preview_batch(lines, topic, token_budget)
        on_page = [*view.page, *view.hidden, *view.without_room]

        def operation(tx: Transaction) -> list[Verdict | Refusal]:
            candidates = self._candidates(tx, lines, _habits(tx))
            item_of = _NameResolver(candidates.names(), lambda: self._doubts(tx, candidates))
            page = JudgedPage(
                items={line.item for line in on_page},
                entries={line.entry for line in on_page},
                of_notes={line.entry for line in on_page if iso_date_in_name(line.order[0])},
                left=keys_left_out(tx, on_page),
                seen=[line.words_hash for line in batch.left_out],
            )
            handler = VerdictHandler(tx, author, now, deps, _unstored(lines, tx), page)
            return handler.apply_all(with_items(with_lines(answers, view), item_of))

        return self._report(self.entries.store.write(operation), lines, view)

    def _report(
        self,
        outcomes: Sequence[Verdict | Refusal],
        lines: Sequence[FileLine],
        before: CurationView | None = None,
    ) -> Curation:
        self.entries.sync.after_write()
        recorded = [outcome for outcome in outcomes if isinstance(outcome, Verdict)]
        view, batch = self._preview_batch(lines, None, MAX_BUDGET)
        departed = departures(before, view, recorded) if before else ()
        known = {line.words_hash for line in (before or view).page}
        return Curation(
            page=view.as_page(departed, known),
            applied=tuple(verdict.number for verdict in recorded if verdict.in_force),
            proposed=tuple(verdict.number for verdict in recorded if not verdict.in_force),
            refused=tuple(outcome for outcome in outcomes if isinstance(outcome, Refusal)),
            remaining=len(batch.left_out) + len(batch.items) + batch.remaining,
            waiting=len(self._proposals()),
        )

    def _all_file_lines(self) -> list[FileLine]:
        """Return the statements of the owner's files and conversations; only main has any."""
        if not self.context.is_main:
            return []
        extractor = self.resources.rule_extractor()
        return file_lines(self.context.layout, extractor, self.conversation_lines())

    def _proposals(self, numbers: Sequence[int] = ()) -> list[Verdict]:
        """Return the undecided proposals, or those with the given numbers."""
        with self.entries.store.read() as snapshot:
            verdicts = all_verdicts(snapshot)
        waiting = {verdict.number: verdict for verdict in verdicts if verdict.state == "proposed"}
        if unknown := [number for number in numbers if number not in waiting]:
            raise InvalidInput(
                f"there is no proposal {unknown[0]}", hint="`remem curate --list` shows them"
            )
        return [waiting[number] for number in numbers or waiting]

    def _author(self) -> str:
        return OWNER if self.context.trust == "owner" else f"agent {self.context.session.agent}"

    def _require_owner(self, command: str) -> None:
        self.context.require_owner("curate the index", command)


@dataclass(frozen=True, slots=True)
class _NameResolver:
    """Returns the item that a short name stands for; any other name is an item already."""

    names: ItemNames
    doubts: Callable[[], Doubts]

    def __call__(self, name: str) -> str:
        if item := self.names.item(name):
            return item
        if not name.isalpha():
            return name
        return next((item for item in self.doubts().items() if short_name(item) == name), name)


def _habits(reader: EntryReader) -> Habits:
    verdicts = all_verdicts(reader)
    return Habits(verdicts, reader.find({id_ for verdict in verdicts for id_ in verdict.entries}))


def _unstored(lines: Sequence[FileLine], reader: EntryReader) -> dict[str, FileLine]:
    """Return the lines that are not stored as entries yet, by their items."""
    return {line.item: line for line in unstored_lines(lines, reader)}


def _nonce(random_bytes: Callable[[int], bytes]) -> str:
    return random_bytes(4).hex()
