"""Curation: choices for the index, and verdicts of the owner, agents and models on memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from remem.admin.curate.answers import VerdictHandler
from remem.admin.curate.batch import GUIDANCE, Batch, Candidates
from remem.admin.curate.doubts import Doubts
from remem.admin.curate.file_lines import FileLine, lines_by_item, unstored_lines
from remem.admin.curate.given import GivenAnswer, expand_names, read_answers
from remem.admin.curate.habits import Habits
from remem.admin.curate.lines import CandidateLines
from remem.admin.curate.result import Curation, Refusal, Verdicts, VerdictView
from remem.app.context import SessionContext
from remem.app.services.entries import EntryService
from remem.app.services.index_preview import IndexPreview, preview_index
from remem.disclose.gate_guard import GateGuard
from remem.entries.index import Index
from remem.entries.index_page import IndexLine
from remem.entries.verdicts import (
    add_verdict,
    all_verdicts,
    owners_choice,
    save_verdict,
    undo_verdict,
)
from remem.errors import ConfigError, InvalidInput, shown
from remem.model.arguments import MAX_BUDGET, MIN_BUDGET, one_of, whole_number
from remem.model.entry import Category, Entry, is_entry_id
from remem.model.verdict import OWNER, TOPICS, Answer, Topic, Verdict
from remem.ports.entries import EntryReader, Transaction
from remem.ports.models import Chat, Extractor
from remem.text.secrets.mask import redact

_FRAME_TOKENS: Final = 60
"""Tokens of an answer besides its task, its lines and its items."""


@dataclass(frozen=True, slots=True)
class CurationService:
    """Handles verdicts on the entries of one scope.

    `chat` returns the configured language model, if any.
    """

    context: SessionContext
    entries: EntryService
    gate_guard: GateGuard
    random_bytes: Callable[[int], bytes]
    chat: Callable[[], Chat | None]
    rule_extractor: Callable[[], Extractor]

    def curate(
        self, verdicts: Sequence[Mapping[str, Any]], topic: str | None, token_budget: int
    ) -> Curation:
        """Return the next items to judge or, if there are verdicts, their outcomes."""
        self.gate_guard.require()
        chosen = one_of(topic, TOPICS, "topic") if topic is not None else None
        if not verdicts:
            return self._next_items(chosen, token_budget)
        return self._apply(read_answers(verdicts), self._author(), chosen, token_budget)

    def ask_model(self, topic: str | None, token_budget: int) -> Curation:
        """Let the configured language model judge the next items, with an agent's rights."""
        self._require_owner("remem curate --llm")
        chat = self.chat()
        if chat is None:
            raise ConfigError(
                "no language model is configured", hint="set llm_url in .remem/config.toml"
            )
        from remem.admin.curate.model_judge import ask_model

        batch = self.curate((), topic, token_budget)
        if not (batch.groups or batch.items):
            return Curation(waiting=len(self._proposals()))
        answers, refused = ask_model(chat, batch)
        chosen = one_of(topic, TOPICS, "topic") if topic is not None else None
        done = self._apply(answers, "model", chosen, token_budget)
        return replace(done, refused=(*refused, *done.refused))

    def accept(self, numbers: Sequence[int]) -> Curation:
        """Apply the proposals with these numbers, or all of them."""
        self._require_owner("remem curate --accept")
        chosen = self._proposals(numbers)
        now, deps, index = self.context.now(), self.entries.deps, self.entries.index()

        def operation(tx: Transaction) -> list[Verdict | Refusal]:
            handler = VerdictHandler(
                tx, OWNER, now, deps, lines_by_item(self._file_lines(tx, index))
            )
            return [handler.accept(proposal) for proposal in chosen]

        return self._done(self.entries.store.write(operation))

    def decline(self, numbers: Sequence[int]) -> Verdicts:
        """Decline the proposals with these numbers, or all of them; they are not made again."""
        self._require_owner("remem curate --decline")
        declined = [replace(proposal, state="declined") for proposal in self._proposals(numbers)]

        def operation(tx: Transaction) -> None:
            for proposal in declined:
                save_verdict(tx, proposal)

        self.entries.store.write(operation)
        self.entries.sync.after_write()
        return Verdicts(tuple(self._views(declined)))

    def _next_items(self, topic: Topic | None, token_budget: int) -> Curation:
        budget = whole_number(token_budget, MIN_BUDGET, MAX_BUDGET, "token_budget")
        count = self.entries.deps.counter.count
        batch = self._batch(topic, max(budget - _FRAME_TOKENS - count(GUIDANCE), 0))
        waiting = self._proposals()
        done = Curation(
            groups=tuple(batch.groups()),
            items=tuple(batch.items),
            remaining=batch.remaining,
            waiting=len(waiting),
        )
        if not (done.groups or done.items):
            return done
        return replace(done, task=GUIDANCE, page=self._page(waiting).fullness())

    def _batch(self, topic: Topic | None, budget: int) -> Batch:
        index, count = self.entries.index(), self.entries.deps.counter.count
        with self.entries.store.read() as snapshot:
            known = all_verdicts(snapshot)
            ids = {id_ for verdict in known for id_ in verdict.entries[:1]}
            habits = Habits(known, snapshot.find(ids))
            file_lines = self._file_lines(snapshot, index)
            lines = CandidateLines(snapshot, index, known, file_lines, habits)
            doubts = Doubts(snapshot, known, habits, partial(_nonce, self.random_bytes))
            return Candidates(lines, doubts).batch(topic, budget, count)

    def _apply(
        self, answers: Sequence[GivenAnswer], author: str, topic: Topic | None, token_budget: int
    ) -> Curation:
        now, deps, index = self.context.now(), self.entries.deps, self.entries.index()
        whole = self._batch(None, MAX_BUDGET)
        asked = self._next_items(topic, token_budget).lines
        given = expand_names(answers, [whole.names[name] for name in asked], whole.names)
        shown = frozenset(whole.line_items(shown=True))

        def operation(tx: Transaction) -> list[Verdict | Refusal]:
            lines = lines_by_item(self._file_lines(tx, index))
            return VerdictHandler(tx, author, now, deps, lines, shown).apply_all(given)

        return self._done(self.entries.store.write(operation))

    def _done(self, outcomes: Sequence[Verdict | Refusal]) -> Curation:
        self.entries.sync.after_write()
        recorded = [outcome for outcome in outcomes if isinstance(outcome, Verdict)]
        proposed = [verdict.number for verdict in recorded if verdict.state == "proposed"]
        waiting = self._proposals()
        page = self._page(waiting)
        return Curation(
            page=page.fullness(),
            applied=tuple(verdict.number for verdict in recorded if verdict.in_force),
            proposed=tuple(proposed),
            refused=tuple(outcome for outcome in outcomes if isinstance(outcome, Refusal)),
            waiting=len(waiting),
            notes=tuple(page.notes()),
        )

    def _page(self, proposals: Sequence[Verdict]) -> IndexPreview:
        """Return the index as it would be if the owner accepted the proposals."""
        index, now = self.entries.index(), self.context.now()

        def accept_all(tx: Transaction) -> None:
            lines = lines_by_item(self._file_lines(tx, index))
            handler = VerdictHandler(tx, OWNER, now, self.entries.deps, lines)
            for proposal in proposals:
                handler.accept(proposal)

        target = self.context.config.index_tokens
        return preview_index(self.entries, target, accept_all if proposals else None)

    def _file_lines(self, reader: EntryReader, index: Index) -> list[FileLine]:
        """Return the lines of the owner's files that are not stored; only main has such files."""
        if not self.context.is_main:
            return []
        extractor = self.rule_extractor()
        return unstored_lines(self.context.layout, reader, index.text, extractor)

    def _proposals(self, numbers: Sequence[int] = ()) -> list[Verdict]:
        """Return the undecided proposals, or those with the given numbers."""
        with self.entries.store.read() as snapshot:
            known = all_verdicts(snapshot)
        waiting = {verdict.number: verdict for verdict in known if verdict.state == "proposed"}
        if unknown := [number for number in numbers if number not in waiting]:
            raise InvalidInput(
                f"there is no proposal {unknown[0]}", hint="`remem curate --list` shows them"
            )
        return [waiting[number] for number in numbers or waiting]

    def _author(self) -> str:
        return OWNER if self.context.trust == "owner" else f"agent {self.context.session.agent}"

    def pin(self, what: Sequence[str], text: str | None, category: Category) -> Verdicts:
        """Pin lines or entries to the index, or show one line in other words."""
        self._require_owner("remem index pin")
        if text is not None and len(what) != 1:
            raise InvalidInput("only one line can be reworded at a time")
        new = [item for item in what if _is_text(item)]
        stored = {item: self.entries.add({"category": category, "content": item}) for item in new}
        ids = [stored[item].id if item in stored else item for item in what]
        versions = {
            receipt.id: (0, receipt.version)
            for receipt in stored.values()
            if not receipt.deduplicated
        }
        chosen = list(self._lines(ids))
        answer: Answer = "pin" if text is None else "reword"
        words = redact(text).text if text is not None else None
        return self._choose([(answer, entry, line, words) for entry, line in chosen], versions)

    def drop(self, what: Sequence[str]) -> Verdicts:
        """Leave lines or entries out of the index; recall still finds them."""
        self._require_owner("remem index drop")
        return self._choose([("drop", entry, line, None) for entry, line in self._lines(what)])

    def order(self, what: Sequence[str]) -> Verdicts:
        """Put lines in the given order, beginning at the topmost position that one of them has."""
        self._require_owner("remem index order")
        named = list(dict.fromkeys(entry.id for entry, _ in self._lines(what)))
        if len(named) < 2:
            raise InvalidInput("an order needs at least two lines", hint="name both of them")
        current = list(dict.fromkeys(line.entry for line in self.entries.index().lines))
        if missing := [id_ for id_ in named if id_ not in current]:
            raise InvalidInput(
                f"{missing[0]} is not in the index", hint=f"`remem index pin {missing[0]}` first"
            )
        first = min(current.index(id_) for id_ in named)
        above = [id_ for id_ in current[:first] if id_ not in named]
        below = [id_ for id_ in current[first:] if id_ not in named]
        ids = (*above, *named, *below)
        now = self.context.now()
        verdict = Verdict(0, now, OWNER, "applied", "index", "order", ids)
        return self._record([verdict])

    def undo(self, number: int | None) -> Verdicts:
        """Undo a verdict, the last one by default."""
        self._require_owner("remem curate --undo")
        now, topics = self.context.now(), self.entries.deps.topics
        undone, notes = self.entries.store.write(lambda tx: undo_verdict(tx, number, now, topics))
        self.entries.sync.after_write()
        return Verdicts(tuple(self._views([undone])), tuple(notes))

    def all(self) -> Verdicts:
        self._require_owner("remem curate --list")
        with self.entries.store.read() as snapshot:
            verdicts = all_verdicts(snapshot)
        return Verdicts(tuple(self._views(verdicts)))

    def _choose(
        self,
        chosen: Iterable[tuple[Answer, Entry, int | None, str | None]],
        versions: Mapping[str, tuple[int, int]] = MappingProxyType({}),
    ) -> Verdicts:
        now = self.context.now()
        return self._record(
            [
                replace(
                    owners_choice(answer, entry, now, line=line, text=text),
                    versions={id_: versions[id_] for id_ in (entry.id,) if id_ in versions},
                )
                for answer, entry, line, text in chosen
            ]
        )

    def _record(self, verdicts: Sequence[Verdict]) -> Verdicts:
        recorded = self.entries.store.write(
            lambda tx: [add_verdict(tx, verdict) for verdict in verdicts]
        )
        self.entries.sync.after_write()
        return Verdicts(tuple(self._views(recorded)), tuple(_overflow_notes(self.entries.index())))

    def _lines(self, what: Sequence[str]) -> Iterator[tuple[Entry, int | None]]:
        """Yield the entries that are given by id or line number.

        A line number of an entry with several lines also yields the hash of that line.
        """
        if not what:
            raise InvalidInput("no line was named", hint="`remem index --why` lists their numbers")
        index = self.entries.index()
        for item in what:
            if item.isdecimal():
                line = _numbered(index, int(item))
                yield self.entries.find(line.entry), None if line.alone else line.words
            elif is_entry_id(item):
                entry = self.entries.find(item)
                if not entry.live:
                    raise InvalidInput(
                        f"{item} is archived, replaced or waiting for review",
                        hint="only active entries can be in the index",
                    )
                yield entry, None
            else:
                raise InvalidInput(
                    f"{shown(item)} is neither the number of a line nor the id of an entry",
                    hint="`remem index --why` lists both",
                )

    def _views(self, verdicts: Iterable[Verdict]) -> Iterator[VerdictView]:
        for verdict in verdicts:
            with self.entries.store.read() as snapshot:
                found = snapshot.find(verdict.entries[:1])
            yield VerdictView(
                verdict.number,
                verdict.at,
                verdict.author,
                verdict.state,
                verdict.topic,
                verdict.answer,
                verdict.entries,
                "".join(entry.content for entry in found.values()),
                verdict.text,
                verdict.category,
                verdict.reason,
            )

    def _require_owner(self, command: str) -> None:
        self.context.require_owner("curate the index", command)


def _nonce(random_bytes: Callable[[int], bytes]) -> str:
    return random_bytes(4).hex()


def _is_text(item: str) -> bool:
    """Return whether an argument is the text of a new line, not a number or an id."""
    return len(item.split()) > 1


def _numbered(index: Index, number: int) -> IndexLine:
    if not 1 <= number <= len(index.lines):
        raise InvalidInput(
            f"the index has no line {number}", hint=f"its lines are 1 to {len(index.lines)}"
        )
    return index.lines[number - 1]


def _overflow_notes(index: Index) -> Iterator[str]:
    for id_ in index.unpinned:
        yield f"{id_} is pinned, but the index has no room for it"
