"""Facts about people, projects and things, and daily notes; both exist only in main.

Sessions of other scopes are refused before anything is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from remem.app.context import SessionContext
from remem.app.services.entries import EntryService
from remem.entries.pending_facts import (
    FactDraft,
    confirm_as_fact,
    held_fact,
    hold_fact,
    make_fact_draft,
)
from remem.errors import InvalidInput, StoreError
from remem.files.facts import FactFiles, KnownFacts
from remem.learn.daily_note import NoteReceipt, append_note
from remem.learn.facts import answers, entities
from remem.learn.facts.answers import FactAnswer
from remem.learn.facts.recording import record
from remem.learn.facts.writer import FactWriter
from remem.learn.synthesize.synthesize import SynthesisJob, refresh_summaries
from remem.model.arguments import refuse_unknown
from remem.model.entry import Entry, Trust, conversation_source, granted_trust
from remem.model.fact import STATEMENT_FIELDS
from remem.ports.entries import Store
from remem.ports.models import Extractor
from remem.text.similarity import folded_hash


class FactFields(TypedDict, total=False):
    """The optional fields of a fact."""

    category: str
    timestamp: str
    source: str
    origin: str
    kind: str
    trust: Trust


@dataclass(frozen=True, slots=True)
class FactService:
    """Reads and writes the facts and daily notes of main.

    `rule_extractor` returns an extractor that makes no network calls. `update_qmd` makes the
    search program QMD read the fact files again, and returns its problems.
    """

    context: SessionContext
    entries: EntryService
    files: FactFiles
    rule_extractor: Callable[[], Extractor]
    update_qmd: Callable[[], list[str]]

    @property
    def writer(self) -> FactWriter:
        self.require_main()
        context = self.context
        return FactWriter(context.layout, self.files, context.clock, context.zone, self._is_erased)

    @property
    def _store(self) -> Store:
        return self.entries.store

    def require_main(self) -> None:
        self.context.require_main("facts belong to main")

    def known(self) -> KnownFacts:
        """Return all entities and facts that the files contain now."""
        return self.writer.read()

    def note(self, text: str, *, keep_secrets: bool = False) -> NoteReceipt:
        """Append to today's note."""
        context = self.context
        context.require_main("the daily notes belong to main")
        if keep_secrets:
            context.require_secret_keeper("remem note")
        return append_note(
            context.layout, text, context.now(), context.zone, mask_secrets=not keep_secrets
        )

    def record(
        self, entity: str, fact: str, fields: FactFields, *, keep_secrets: bool = False
    ) -> FactAnswer:
        refuse_unknown(fields, STATEMENT_FIELDS, "facts.record")
        values = {"entity": entity, "fact": fact, **fields}
        return self._record("record", values, keep_secrets=keep_secrets)

    def supersede(
        self,
        id_: str,
        fact: str,
        entity: str | None,
        fields: FactFields,
        *,
        keep_secrets: bool = False,
    ) -> FactAnswer:
        if not isinstance(id_, str) or not id_:
            raise InvalidInput("id is missing", hint="name the fact that is replaced")
        refuse_unknown(fields, STATEMENT_FIELDS, "facts.supersede")
        entity_filter = {} if entity is None else {"entity": entity}
        values = {"supersedes": id_, "fact": fact, **entity_filter, **fields}
        return self._record("supersede", values, keep_secrets=keep_secrets)

    def confirm(self, id_: str) -> Entry:
        """Confirm an entry; if it holds a fact for review, the fact is recorded."""
        with self._store.read() as snapshot:
            draft = held_fact(snapshot, id_)
        if draft is None or not self.context.is_main or self.entries.find(id_).archived:
            return self.entries.confirm(id_)
        self.context.require_owner("review memories", "remem review")
        fact = record(self.writer, draft).fact
        self.update_qmd()
        topics = self.context.config.topics
        entry = self._store.write(confirm_as_fact(id_, fact.id, self.context.now(), topics))
        self.entries.sync.after_write()
        return entry

    def add_aliases(self, entity: str, aliases: Sequence[str]) -> FactAnswer:
        return self._entity_answer("alias", entities.add_aliases(self.writer, entity, aliases).id)

    def merge(self, entity: str, into: str) -> FactAnswer:
        return self._entity_answer("merge", entities.merge(self.writer, entity, into)[1].id)

    def unmerge(self, entity: str) -> FactAnswer:
        return self._entity_answer("unmerge", entities.unmerge(self.writer, entity).id)

    def keep_apart(self, entity: str, other: str) -> FactAnswer:
        return self._entity_answer("distinct", entities.keep_apart(self.writer, entity, other).id)

    def refresh_summaries(self, known_facts: KnownFacts, names: Iterable[str]) -> list[str]:
        """Rewrite the summaries of entities whose facts have ended, because search reads them.

        Return the reasons why some could not be rewritten.
        """
        context = self.context
        roots = list(dict.fromkeys(known_facts.root(name).id for name in names))
        job = SynthesisJob(context.layout, self._store, self.rule_extractor(), context.now()[:10])
        return refresh_summaries(job, known_facts, roots)

    def _record(self, action: str, values: dict[str, Any], *, keep_secrets: bool) -> FactAnswer:
        """Record a fact; an untrusted one is held for review."""
        writer = self.writer
        if keep_secrets:
            self.context.require_secret_keeper(f"remem fact {action}")
        max_trust = granted_trust(self.context.trust, values.pop("trust", None))
        conversation = self.context.conversation or str(self.context.scope)
        origin = values.get("origin") or conversation
        values["origin"] = conversation_source(origin) if origin == conversation else origin
        draft = make_fact_draft(values, mask_secrets=not keep_secrets)
        if max_trust == "untrusted":
            return self._hold(action, draft)
        result = record(writer, draft)
        known_facts = writer.read()
        answer = answers.record_answer(action, result, known_facts)
        notes = list(answer.notes)
        if result.superseded is not None:
            notes += self.refresh_summaries(known_facts, [result.superseded.entity])
        return replace(answer, notes=(*notes, *self.update_qmd()))

    def _hold(self, action: str, draft: FactDraft) -> FactAnswer:
        receipt = self._store.write(hold_fact(draft, self.context.now(), self.entries.deps))
        if not receipt.stored:
            raise InvalidInput(f"not recorded: {receipt.reason}")
        self.entries.sync.after_write()
        return FactAnswer(
            action,
            facts=(),
            redacted=draft.redacted or None,
            waiting=receipt.id,
            notes=("untrusted: the owner can confirm it as a fact with `remem review`",),
        )

    def _entity_answer(self, action: str, id_: str) -> FactAnswer:
        known_facts = self.known()
        entity = answers.entity_view(known_facts, known_facts.root(id_))
        return FactAnswer(action, entity=entity, notes=known_facts.problems)

    def _is_erased(self, text: str) -> bool:
        """Return whether the owner has erased a text from the entries.

        If the entries cannot be read, return False: facts must still be recorded, and the fact
        files have tombstones of their own.
        """
        try:
            with self._store.read() as snapshot:
                return bool(snapshot.tombstones(wording_hash=folded_hash(text)))
        except StoreError:
            return False
