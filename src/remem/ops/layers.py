"""Check the layers of a memory, which are MEMORY.md, daily notes and facts, and what search has.

Each layer has its own kind of content. The check finds content that is in the wrong layer, or
missing from one. It writes nothing; repairs are made in the owner's workspace.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import time_ns
from typing import Final

from remem.admin.audit.noise import Noise
from remem.admin.audit.stale_lines import find_stale_lines
from remem.admin.doctor import chatter, facts
from remem.admin.doctor.facts import LostFact
from remem.admin.doctor.findings import Finding
from remem.app.opening import open_scope, system_clock
from remem.app.stores import open_store, postgres_address, require_database
from remem.errors import RememError, counted
from remem.extract.rules import Rules
from remem.files import archive, atomic
from remem.files.fact_history import SeenFact, earlier_texts, is_versioned, seen_fact_of, seen_facts
from remem.files.facts import FactFiles, KnownFacts, facts_in
from remem.files.layout import Layout
from remem.model.host_loading import CURATED_FILES, MEMORY_MD
from remem.model.scope import MAIN, Scope
from remem.ports.entries import Snapshot
from remem.search.refresh.reading import SourceFiles
from remem.search.refresh.refresh import Refresh
from remem.setup.migrate import lasting_notes
from remem.store.sqlite.passages import SqlitePassages
from remem.text.statements import statements

_DAY_NS: Final = 86_400 * 10**9


@dataclass(frozen=True, slots=True)
class LayerCheck:
    """Checks the layers of one workspace; `against` is a backup to compare facts with."""

    layout: Layout
    against: Path | None = None

    def findings(self, scope: Scope, sources: SourceFiles) -> Iterator[Finding]:
        """Yield the findings about a scope without damage; most are about main."""
        yield from self._stale_search(scope, sources)
        if scope == MAIN:
            yield from self._main_findings()

    def _main_findings(self) -> Iterator[Finding]:
        yield from facts.unreadable_findings(FactFiles(self.layout)())
        try:
            with _main_snapshot(self.layout) as snapshot:
                if snapshot is not None:
                    now = system_clock()
                    yield from lasting_notes.findings(
                        lasting_notes.find_lasting(self.layout, snapshot, Rules(), now)
                    )
                yield from facts.rewritten_findings(self._lost_facts(snapshot))
            yield from chatter.chatter_findings(self._chatter())
            yield from chatter.stale_findings(self._stale_lines())
        except RememError as error:
            what, hint = str(error.args[0]), error.hint or "fix it and run the doctor again"
            yield Finding("main", "layers", "notice", what, "the layers were not compared", hint)

    def _stale_search(self, scope: Scope, sources: SourceFiles) -> Iterator[Finding]:
        """Yield a finding about files that search has not read for a day.

        There is none if the scope was never searched.
        """
        path = self.layout.passages(scope)
        if not path.exists():
            return
        # Errors are left out: the check of the scope reports them.
        with suppress(RememError), closing(SqlitePassages(path)) as passages:
            refresh = Refresh(passages, sources, self.layout.refresh_lock(scope))
            yield from facts.stale_search_findings(str(scope), refresh.unread(time_ns() - _DAY_NS))

    def repairs(self) -> Iterator[str]:
        """Repair the layers, except MEMORY.md, and yield sentences about the repairs."""
        try:
            if not _has_database(self.layout):
                return
            with _main_snapshot(self.layout) as snapshot:
                lost = self._lost_facts(snapshot)
            with open_scope(self.layout, MAIN) as workspace:
                layers = workspace.services.layers
                if lost and (restored := layers.restore_facts(lost)):
                    facts = counted(restored, "earlier fact was", "earlier facts were")
                    yield f"main: {facts} restored as superseded"
                if new := layers.store_lasting_statements():
                    statements_of_notes = counted(new, "statement")
                    stored = "was stored as an entry" if new == 1 else "were stored as entries"
                    yield f"main: {statements_of_notes} of daily notes {stored}"
                layers.record_facts()
                workspace.refresh()
        except RememError as error:
            yield f"main: not repaired: {error}"

    def _chatter(self) -> list[chatter.Chatter]:
        return chatter.find_chatter(self._text(MEMORY_MD))

    def _stale_lines(self) -> list[Noise]:
        stale = [
            line
            for name in CURATED_FILES
            for line in statements(name, self._text(name), always_loaded=True)
        ]
        return find_stale_lines(stale, system_clock()[:10])

    def _text(self, name: str) -> str:
        return (atomic.read(self.layout.root / name) or b"").decode(errors="replace")

    def _lost_facts(self, snapshot: Snapshot | None) -> list[LostFact]:
        known_facts = FactFiles(self.layout)()

        def is_erased(wording_hash: int) -> bool:
            return snapshot is not None and bool(snapshot.tombstones(wording_hash=wording_hash))

        return facts.lost_facts(self._seen_facts(known_facts), known_facts, is_erased)

    def _seen_facts(self, known_facts: KnownFacts) -> Iterator[SeenFact]:
        """Yield earlier facts: those in remem's own log, in the backup, and in git commits."""
        yield from seen_facts(self.layout)
        if self.against is not None:
            yield from _facts_in_backup(self.against)
        if known_facts.files and is_versioned(self.layout.root):
            for file in known_facts.files:
                for text in earlier_texts(self.layout.root, file.path):
                    yield from map(seen_fact_of, facts_in(text, file.path).facts)


@contextmanager
def _main_snapshot(layout: Layout) -> Iterator[Snapshot | None]:
    """Open a snapshot of main's entries; None if there is no database yet."""
    if postgres_address(layout) is None and not _has_database(layout):
        yield None
        return
    with open_store(layout, MAIN) as store, store.read() as snapshot:
        yield snapshot


def _has_database(layout: Layout) -> bool:
    """Return whether main has a database.

    Raise StoreMissing if it had one, so that no new one is created in its place.
    """
    require_database(layout.database(MAIN), layout.domains(MAIN))
    return layout.database(MAIN).exists()


def _facts_in_backup(source: Path) -> Iterator[SeenFact]:
    with tempfile.TemporaryDirectory(prefix="remem-compare-") as folder:
        backup = Layout(Path(folder) / "backup")
        archive.unpack(source, backup.root)
        yield from map(seen_fact_of, FactFiles(backup)().facts)
