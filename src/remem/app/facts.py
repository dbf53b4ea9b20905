"""Facts about people, projects and things: record, supersede, list, merge.

Facts and daily notes belong to main. Any other session is refused before anything is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from remem.app.entries import Entries
from remem.errors import InvalidInput, NotAllowed, StoreError
from remem.model.arguments import one_of, refuse_unknown
from remem.model.entry import TRUSTS, Entry, conversation_source, lower_trust
from remem.model.fact import FACT_ACTIONS
from remem.model.scope import MAIN

if TYPE_CHECKING:
    from remem.files.facts import KnownFacts
    from remem.learn.daily_note import NoteReceipt
    from remem.learn.facts.answers import FactAnswer
    from remem.learn.facts.entities import FactWriter


class Knowledge(Entries):
    """Facts and notes of main."""

    def note(self, text: str) -> NoteReceipt:
        """Append to today's note; when this returns, it survives a power cut."""
        from remem.learn.daily_note import append_note

        self._main_alone("the daily notes")
        return append_note(self._parts.layout, text, self._now(), self._parts.zone)

    def record_fact(self, entity: str, fact: str, **said: Any) -> FactAnswer:
        """Record a fact of an entity, which is made if it is new.

        `category`, `timestamp` (today), `source`, `origin` ("path#L4-L5", by default this
        conversation), `kind` of the entity and `trust` may be said too. The same statement is
        recorded once; contradictions are reported and left to the caller.
        """
        _refuse_unknown(said, "record_fact")
        return self._record("record", {"entity": entity, "fact": fact, **said})

    def supersede_fact(self, id_: str, fact: str, **said: Any) -> FactAnswer:
        """Replace a fact by another, in one step; the old one stays, marked as superseded."""
        if not isinstance(id_, str) or not id_:
            raise InvalidInput("id is missing", hint="name the fact that is replaced")
        _refuse_unknown(said, "supersede_fact", "entity")
        return self._record("supersede", {"supersedes": id_, "fact": fact, **said})

    def facts(
        self,
        entity: str | None = None,
        *,
        as_of: str | None = None,
        id_: str | None = None,
        limit: int | None = None,
    ) -> FactAnswer:
        """The facts that stand now, or stood at the end of a day."""
        from remem.learn.facts.answers import list_facts

        return list_facts(self.known(), entity, as_of, limit, id_)

    def fact_history(
        self, entity: str | None = None, *, id_: str | None = None, limit: int | None = None
    ) -> FactAnswer:
        """Every fact of an entity, superseded ones too; or the chain of one fact."""
        from remem.learn.facts.answers import list_history

        return list_history(self.known(), entity, id_, limit)

    def entities(self) -> FactAnswer:
        from remem.learn.facts.answers import list_entities

        return list_entities(self.known())

    def fact_contradictions(self) -> FactAnswer:
        """Active facts of one entity that contradict each other."""
        from remem.learn.facts.answers import list_contradictions

        return list_contradictions(self.known())

    def alias_entity(self, entity: str, aliases: Sequence[str]) -> FactAnswer:
        """Give an entity further names."""
        from remem.learn.facts.entities import add_aliases

        return self._of_entity("alias", add_aliases(self._knowing, entity, aliases).id)

    def merge_entities(self, entity: str, into: str) -> FactAnswer:
        """Say that an entity is another; each keeps its facts where they are."""
        from remem.learn.facts.entities import merge

        return self._of_entity("merge", merge(self._knowing, entity, into)[1].id)

    def unmerge_entity(self, entity: str) -> FactAnswer:
        from remem.learn.facts.entities import unmerge

        return self._of_entity("unmerge", unmerge(self._knowing, entity).id)

    def fact(self, action: str, **said: Any) -> FactAnswer:
        """Everything above by the name of the action, as the tool has it."""
        from remem.learn.facts.answers import run_action

        self._main_alone("facts")
        return run_action(self, one_of(action, FACT_ACTIONS, "action"), said)

    def confirm(self, id_: str) -> Entry:
        """Make an untrusted entry the owner's own; one that waits to be a fact becomes one."""
        from remem.entries.pending_facts import confirm_as_fact, held_fact
        from remem.learn.facts.recording import record

        with self._store.read() as snapshot:
            draft = held_fact(snapshot, id_)
        if draft is None or self.scope != MAIN or self.entry(id_).archived:
            return super().confirm(id_)
        self._owner_only("reviews memory", "remem review")
        done = record(self._knowing, draft)
        self._brain_changed()
        entry = self._store.write(confirm_as_fact(id_, done.fact.id, self._now(), self._how.topics))
        self._upkeep.after_write()
        return entry

    def known(self) -> KnownFacts:
        """All entities and facts as the files have them now."""
        return self._knowing.known()

    def _record(self, action: str, said: dict[str, Any]) -> FactAnswer:
        from remem.entries.pending_facts import make_fact_draft
        from remem.learn.facts.answers import record_answer
        from remem.learn.facts.recording import record

        knowing = self._knowing
        trust = said.pop("trust", None)
        allowed = lower_trust(self._parts.trust, one_of(trust, TRUSTS, "trust") if trust else None)
        conversation = self._parts.conversation or str(self.scope)
        origin = said.get("origin") or conversation
        said["origin"] = conversation_source(origin) if origin == conversation else origin
        draft = make_fact_draft(said)
        if allowed == "untrusted":
            return self._held(action, draft)
        done = record(knowing, draft)
        known = knowing.known()
        answer = record_answer(action, done, known)
        notes = list(answer.notes)
        if done.superseded is not None:
            notes += self._summaries_follow(known, [done.superseded.entity])
        notes += [behind] if (behind := self._brain_changed()) else []
        return replace(answer, notes=tuple(notes))

    def _held(self, action: str, draft: Any) -> FactAnswer:
        from remem.entries.pending_facts import hold_fact
        from remem.learn.facts.answers import FactAnswer

        receipt = self._store.write(hold_fact(draft, self._now(), self._how))
        self._upkeep.after_write()
        return FactAnswer(
            action,
            facts=(),
            redacted=draft.redacted or None,
            waiting=receipt.id,
            notes=("untrusted: it is a fact once the owner confirms it with `remem review`",),
        )

    def _of_entity(self, action: str, id_: str) -> FactAnswer:
        from remem.learn.facts.answers import FactAnswer, view_of

        known = self.known()
        return FactAnswer(action, entity=view_of(known, known.root(id_)), notes=known.troubles)

    def _main_alone(self, what: str) -> None:
        if self.scope != MAIN:
            raise NotAllowed(f"{what} belong to main", hint="ask in the main session")

    @cached_property
    def _shelf(self) -> FactWriter:
        from remem.learn.facts.entities import FactWriter

        parts = self._parts
        return FactWriter(
            parts.layout,
            self._facts,
            parts.clock,
            parts.zone,
            lambda text: self._store.write(lambda tx: tx.add_notice(self._now(), text)),
            self._has_erased,
        )

    def _has_erased(self, text: str) -> bool:
        """Facts are recorded while entries cannot be read, too: their files know of tombstones."""
        from remem.text.similarity import folded_hash

        try:
            with self._store.read() as snapshot:
                return snapshot.erased(None, folded_hash(text)) is not None
        except StoreError:
            return False

    @property
    def _knowing(self) -> FactWriter:
        self._main_alone("facts")
        return self._shelf


def _refuse_unknown(said: dict[str, Any], method: str, *more: str) -> None:
    from remem.learn.facts.answers import STATEMENT_FIELDS

    refuse_unknown(said, (*more, *STATEMENT_FIELDS), method)
