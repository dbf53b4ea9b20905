"""What does the owner take back for good? An entry of any scope, a fact of main."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from remem.core.ids import is_entry_id
from remem.core.likeness import wording
from remem.core.scope import MAIN
from remem.errors import RememError, UnknownEntry, shown
from remem.maintenance.erasing.unfinished import Unfinished, unfinished
from remem.notes.locks import alone, alone_within
from remem.ports import Tombstone
from remem.workspace.care import Care
from remem.workspace.layering import Layers
from remem.workspace.parts import Parts
from remem.workspace.synthesis import Synthesises

if TYPE_CHECKING:
    from remem.maintenance.erasing import Erased
    from remem.maintenance.erasing.facts import ErasingFacts
    from remem.maintenance.erasing.run import Erasing


class Erases(Layers, Synthesises, Care):
    """Erasing, with a tombstone that keeps the words away."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._unerased: str | None = None
        self.finish_erasing()

    def erase(self, id_: str, *, entity: str | None = None) -> Erased:
        """Remove an entry or a fact for good, with every wording it had. `entity` tells facts
        apart that have one id."""
        from remem.maintenance.erasing.run import erase

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
        from remem.maintenance.erasing.facts import finish_fact
        from remem.maintenance.erasing.run import finish_entry

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
        from remem.maintenance.erasing.run import require_known
        from remem.maintenance.knowledge.entities import require

        if entity is None and not self._is_fact(id_):
            with self._store.read() as snapshot:
                known = require_known(snapshot, id_)
            return [known.entry.content] if known else []
        facts = self.known()
        whose = facts.of(require(facts, entity)) if entity else facts.facts
        said = [each.fact for each in whose if each.id == id_]
        elsewhere = any(each.id == id_ for each in facts.facts)
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
            known = sorted(snapshot.by_ids([each.id for each in tombstones]))
        erased = [self.erase(id_).id for id_ in known]
        if self.scope != MAIN:
            return erased
        gone = {(each.id, each.wording) for each in tombstones}
        facts = [each for each in self.known().facts if (each.id, wording(each.fact)) in gone]
        return erased + [self._erase_fact(each.id, each.entity).id for each in facts]

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
        from remem.maintenance.erasing.facts import erase_fact

        done = erase_fact(self._erasing_facts(), id_, entity, self._now())
        self._brain_changed()
        return done

    def _erasing_facts(self) -> ErasingFacts:
        from remem.maintenance.erasing.facts import ErasingFacts

        return ErasingFacts(self._knowing, self._erasing(), self._summarise, self._read_again)

    def _erasing(self) -> Erasing:
        from remem.maintenance.erasing.run import Erasing

        parts, files = self._parts, self._upkeep.files

        def write_files() -> None:
            files.sweep()
            files.catch_up()

        return Erasing(self._store, parts.passages, parts.layout, self.scope, write_files)

    def _summarise(self, entity: str) -> None:
        """A page that was never made is not made for this."""
        from remem.maintenance.synthesis.entities import summary_path

        page = self._parts.layout.root / summary_path(self.known().root(entity))
        if page.exists():
            self.synthesize((entity,))

    def _read_again(self) -> None:
        self._freshness.run(lambda _done, _of: None)
        self._parts.passages.scrub()
