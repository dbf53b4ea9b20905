"""Has one layer of the memory taken another's place? Looked at without writing anything; mended
through the owner's own workspace."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import time_ns
from typing import Final

from remem.admin.doctor import chatter, facts
from remem.admin.doctor.facts import Lost
from remem.admin.doctor.findings import Finding
from remem.app.opening import open_workspace, owner_session, system_clock
from remem.errors import RememError
from remem.extract.rules import Rules
from remem.files import archive, atomic
from remem.files.fact_history import SeenFact, earlier_texts, facts_seen, is_versioned, seen_of
from remem.files.facts import FactFiles, Known, facts_in
from remem.files.layout import Layout
from remem.model.scope import MAIN, Scope
from remem.ports.entries import Snapshot
from remem.search.refresh.reading import Sources
from remem.search.refresh.refresh import Refresh
from remem.setup.init import require_database
from remem.setup.migrate import lasting_notes
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.passages import SqlitePassages

_DAY_NS: Final = 86_400 * 10**9


@dataclass(frozen=True, slots=True)
class LayersOf:
    """The layers of one workspace; `against` is a backup to compare facts with."""

    layout: Layout
    against: Path | None = None

    def findings(self, scope: Scope, sources: Sources) -> Iterator[Finding]:
        """What ails a scope whose databases are sound; most layers are main's alone."""
        yield from self._unread(scope, sources)
        if scope == MAIN:
            yield from self._of_main()

    def _of_main(self) -> Iterator[Finding]:
        yield from facts.unreadable_findings(FactFiles(self.layout)())
        try:
            with _reading(self.layout) as snapshot:
                if snapshot is not None:
                    now = system_clock()
                    yield from lasting_notes.told(
                        lasting_notes.stranded(self.layout, snapshot, Rules(), now)
                    )
                yield from facts.rewritten_findings(self._lost(snapshot))
            yield from chatter.told(self._chatter())
        except RememError as error:
            what, hint = str(error.args[0]), error.hint or "mend it, and look again"
            yield Finding("main", "layers", "notice", what, "the layers were not compared", hint)

    def _unread(self, scope: Scope, sources: Sources) -> Iterator[Finding]:
        """What search has not read for a day; a scope that was never searched is not behind."""
        path = self.layout.passages(scope)
        if not path.exists():
            return
        try:
            kept = SqlitePassages(path)
        except RememError:  # the examination of the database says why
            return
        try:
            refresh = Refresh(kept, sources, self.layout.refresh_lock(scope))
            yield from facts.stale_search_findings(str(scope), refresh.unread(time_ns() - _DAY_NS))
        except RememError:  # likewise
            return
        finally:
            kept.close()

    def repairs(self) -> Iterator[str]:
        """What was done. MEMORY.md is not touched: that takes the owner's own command."""
        session = owner_session(MAIN)
        try:
            if not _has_entries(self.layout):
                return
            with _reading(self.layout) as snapshot:
                lost = self._lost(snapshot)
            with open_workspace(self.layout.root, session, background=False) as workspace:
                if lost and (back := workspace.bring_back_facts(lost)):
                    yield f"main: earlier facts that are back, as superseded: {back}"
                if new := workspace.keep_stranded():
                    yield f"main: statements of daily notes that are entries now: {new}"
                workspace.record_facts()
                workspace.refresh()
        except RememError as error:
            yield f"main: not repaired: {error}"

    def _chatter(self) -> list[chatter.Chatter]:
        data = atomic.read(self.layout.root / chatter.MEMORY_MD)
        text = (data or b"").decode(errors="replace")
        return chatter.chatter(text, Rules(), system_clock()[:10])

    def _lost(self, snapshot: Snapshot | None) -> list[Lost]:
        known = FactFiles(self.layout)()
        erased: Callable[[int], bool] = (
            (lambda wording: bool(snapshot.erased(None, wording)))
            if snapshot is not None
            else (lambda _: False)
        )
        return facts.lost_wordings(self._seen(known), known, erased)

    def _seen(self, known: Known) -> Iterator[SeenFact]:
        """Our own record first, then the backup, then the commits."""
        yield from facts_seen(self.layout)
        if self.against is not None:
            yield from _in_backup(self.against)
        if known.files and is_versioned(self.layout.root):
            for file in known.files:
                for text in earlier_texts(self.layout.root, file.path):
                    yield from map(seen_of, facts_in(text, file.path).facts)


@contextmanager
def _reading(layout: Layout) -> Iterator[Snapshot | None]:
    """Main's entries; None where there are none yet."""
    if not _has_entries(layout):
        yield None
        return
    store = SqliteStore(layout.database(MAIN))
    try:
        with store.read() as snapshot:
            yield snapshot
    finally:
        store.close()


def _has_entries(layout: Layout) -> bool:
    """Whether main has a database; one that is lost must not be begun anew by looking."""
    require_database(layout.database(MAIN), layout.domains(MAIN))
    return layout.database(MAIN).exists()


def _in_backup(source: Path) -> Iterator[SeenFact]:
    with tempfile.TemporaryDirectory(prefix="remem-compare-") as folder:
        beside = Layout(Path(folder) / "backup")
        archive.unpack(source, beside.root)
        yield from map(seen_of, FactFiles(beside)().facts)
