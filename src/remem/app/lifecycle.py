"""What does the owner take back for good? An entry of any scope, a fact of main.

What becomes of what nobody needs? It fades, and whoever needs it brings it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from remem.app.care import Care
from remem.app.layers import Layers
from remem.app.parts import Parts
from remem.app.synthesis import Synthesises
from remem.entries.erase import Unfinished, unfinished
from remem.errors import RememError, UnknownEntry, shown
from remem.files.locks import alone, alone_within
from remem.model.entry import is_entry_id
from remem.model.scope import MAIN
from remem.ports.records import Tombstone
from remem.text.similarity import folded_number

if TYPE_CHECKING:
    from remem.entries.decay import Decaying
    from remem.entries.erase import Erased, Erasing
    from remem.entries.reinforcement import Counted, Decayed, Reinforced, Undone
    from remem.learn.facts.erase import ErasingFacts


class Decays(Care):
    """Reinforcement and decay of one session's entries."""

    def reinforce(self, id: str) -> Reinforced:  # noqa: A002 - as the tool calls it
        """This memory still matters: it fades more slowly, and stands again if it had faded."""
        from remem.entries.reinforcement import reinforce

        now, topics = self._now(), self._how.topics
        try:
            done = self._store.write(lambda tx: reinforce(tx, id, now, topics))
        except UnknownEntry as error:
            raise self._explained(error, [id]) from None
        self._upkeep.after_write()
        return done

    def decay(self, *, dry_run: bool = False, explain: bool = False) -> Decayed:
        """Archive the low memories that nobody used for long; what was cited counts first."""
        from remem.entries.decay import decay

        self._owner_only("lets memory fade", "remem decay")
        self._upkeep.before_read()
        counted = None if dry_run else self.count_citations()
        done = decay(self._decaying(), dry_run=dry_run, explain=explain)
        self._upkeep.after_write()
        if counted is None:
            return done
        return replace(done, uses_found=counted.uses, notes=counted.troubles)

    def undo_decay(self) -> Undone:
        """What the last run archived stands again."""
        from remem.entries.decay import undo

        self._owner_only("brings memory back", "remem decay --undo")
        done = undo(self._decaying())
        self._upkeep.after_write()
        return done

    def count_citations(self) -> Counted:
        """Ids that the agent cites in conversations that may be read are uses, each once."""
        from remem.entries.reinforcement import Counted, count_citations

        parts = self._parts
        if str(parts.scope) not in parts.config.transcripts:
            return Counted()
        listing = parts.transcripts()
        counted = count_citations(self._store, listing.transcripts, self._now(), self._how.topics)
        return Counted(counted.uses, (*listing.troubles, *counted.troubles))

    def _decaying(self) -> Decaying:
        from remem.entries.decay import Decaying

        return Decaying(self._store, str(self.scope), self._how.topics, self._now())


class Erases(Layers, Synthesises, Care):
    """Erasing, with a tombstone that keeps the words away."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._unerased: str | None = None
        self.finish_erasing()

    def erase(self, id_: str, *, entity: str | None = None) -> Erased:
        """Remove an entry or a fact for good, with every wording it had. `entity` tells facts
        apart that have one id."""
        from remem.entries.erase import erase

        self._owner_only("erases memory", "remem erase")
        with alone(self._erase_lock):
            if entity is not None or self._is_fact(id_):
                return self._erase_fact(id_, entity)
            return erase(self._erasing(), id_, self._now())

    def finish_erasing(self) -> None:
        """Take the steps that a killed `erase` has left, unless a live one is taking them."""
        if not self._store.writable:
            return
        try:
            with self._store.read() as snapshot:
                cut_short = unfinished(snapshot)
            if not cut_short:
                return
            with alone_within(self._erase_lock, 0) as mine:
                if mine:
                    for each in cut_short:
                        self._finish(each)
        except RememError as error:
            self._unerased = f"an erasure was cut short, and cannot be finished yet: {error}"
        else:
            self._unerased = None

    @property
    def trouble(self) -> list[str]:
        return [*super().trouble, *([self._unerased] if self._unerased else [])]

    def _finish(self, erasure: Unfinished) -> None:
        from remem.entries.erase import finish_entry
        from remem.learn.facts.erase import finish_fact

        if erasure.entity is not None:
            finish_fact(self._erasing_facts(), erasure, self._now())
        else:
            finish_entry(self._erasing(), erasure.id)
        done = f"the erasure of {erasure.id} was cut short, and has been finished"
        self._store.write(lambda tx: tx.announce(self._now(), done))

    @property
    def _erase_lock(self) -> Path:
        return self._parts.layout.state_folder(self.scope) / "erase.lock"

    def said_by(self, id_: str, *, entity: str | None = None) -> list[str]:
        """The words that erasing would remove; none where they were erased before.

        An id that names nothing here raises UnknownEntry.
        """
        from remem.entries.erase import require_known
        from remem.learn.facts.entities import require

        if entity is None and not self._is_fact(id_):
            with self._store.read() as snapshot:
                known = require_known(snapshot, id_)
            return [known.entry.content] if known else []
        facts = self.known()
        whose = facts.of(require(facts, entity)) if entity else facts.facts
        said = [fact.fact for fact in whose if fact.id == id_]
        elsewhere = any(fact.id == id_ for fact in facts.facts)
        if not said and (elsewhere or id_ not in facts.ids):
            raise UnknownEntry(
                f"{shown(entity)} has no fact {shown(id_)}", hint="`remem fact list` shows ids"
            )
        return said

    def bury(self, tombstones: Sequence[Tombstone]) -> list[str]:
        """Take over what was erased elsewhere; returns the ids that were still here."""
        self._owner_only("erases memory", "remem erase")
        self._store.write(lambda tx: tx.bury(tombstones))
        with self._store.read() as snapshot:
            known = sorted(snapshot.by_ids([tombstone.id for tombstone in tombstones]))
        erased = [self.erase(id_).id for id_ in known]
        if self.scope != MAIN:
            return erased
        gone = {(tombstone.id, tombstone.wording) for tombstone in tombstones}
        facts = [fact for fact in self.known().facts if (fact.id, folded_number(fact.fact)) in gone]
        return erased + [self._erase_fact(fact.id, fact.entity).id for fact in facts]

    def _is_fact(self, id_: str) -> bool:
        """Facts are main's; elsewhere nothing is looked at. What looks like an entry's id is a
        fact's only where no entry has it."""
        if self.scope != MAIN:
            return False
        if is_entry_id(id_):
            with self._store.read() as snapshot:
                if snapshot.by_ids([id_]):
                    return False
        return id_ in self.known().ids

    def _erase_fact(self, id_: str, entity: str | None) -> Erased:
        from remem.learn.facts.erase import erase_fact

        done = erase_fact(self._erasing_facts(), id_, entity, self._now())
        self._brain_changed()
        return done

    def _erasing_facts(self) -> ErasingFacts:
        from remem.learn.facts.erase import ErasingFacts

        return ErasingFacts(self._knowing, self._erasing(), self._summarise, self._read_again)

    def _erasing(self) -> Erasing:
        from remem.entries.erase import Erasing

        parts, files = self._parts, self._upkeep.files

        def write_files() -> None:
            files.sweep()
            files.catch_up()

        return Erasing(self._store, parts.passages, parts.layout, self.scope, write_files)

    def _summarise(self, entity: str) -> None:
        """A page that was never made is not made for this."""
        from remem.learn.synthesize.entities import summary_path

        page = self._parts.layout.root / summary_path(self.known().root(entity))
        if page.exists():
            self.synthesize((entity,))

    def _read_again(self) -> None:
        self._freshness.run(lambda _done, _of: None)
        self._parts.passages.scrub()
